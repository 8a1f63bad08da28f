"""The verifier: one faulty op per rule, with the message that MLIR gives."""

from __future__ import annotations

import pytest

from kt.ir import types as t
from kt.ir.attributes import DenseArrayAttr, IntegerAttr, StringAttr
from kt.ir.constraints import I64_ATTR, INDEX, SIGNLESS_INTEGER_LIKE
from kt.ir.core import Block, Operation, Region, UnregisteredOp
from kt.ir.diagnostics import FileLoc, VerifyError
from kt.ir.opdef import (
    attr,
    operand,
    optional_operand,
    region,
    result,
    successor,
    variadic_operand,
    variadic_result,
)
from kt.ir.traits import (
    AttrSizedOperands,
    GraphRegion,
    HasParent,
    ImplicitTerminator,
    IsolatedFromAbove,
    NoTerminator,
    Pure,
    SameOperandsAndResultType,
    Symbol,
    SymbolTable,
    Terminator,
)
from kt.ir.verifier import verify


class Add(Operation):
    name = "vt.add"
    traits = (Pure(), SameOperandsAndResultType())
    lhs = operand(SIGNLESS_INTEGER_LIKE)
    rhs = operand(SIGNLESS_INTEGER_LIKE)
    sum = result(SIGNLESS_INTEGER_LIKE)


class Make(Operation):
    name = "vt.make"
    values = variadic_result()


class Use(Operation):
    name = "vt.use"
    values = variadic_operand()


class Indices(Operation):
    name = "vt.indices"
    values = variadic_operand(INDEX)


class Sized(Operation):
    name = "vt.sized"
    traits = (AttrSizedOperands(),)
    one = operand()
    many = variadic_operand()
    maybe = optional_operand()


class Counted(Operation):
    name = "vt.counted"
    count = attr(I64_ATTR)


class End(Operation):
    name = "vt.end"
    traits = (Terminator(), Pure())
    values = variadic_operand()


class Jump(Operation):
    name = "vt.jump"
    traits = (Terminator(), Pure())
    target = successor()


class Fork(Operation):
    name = "vt.fork"
    traits = (Terminator(), Pure())
    left = successor()
    right = successor()


class Free(Operation):
    """Blocks without terminator that see outer values."""

    name = "vt.free"
    traits = (NoTerminator(),)
    outputs = variadic_result()
    inside = region(max_blocks=1)


class Graph(Operation):
    name = "vt.graph"
    traits = (NoTerminator(), GraphRegion(), SymbolTable(), IsolatedFromAbove())
    inside = region(single_block=True)


class Flow(Operation):
    name = "vt.flow"
    traits = (IsolatedFromAbove(),)
    inside = region()


class Loop(Operation):
    name = "vt.loop"
    traits = (ImplicitTerminator("vt.end"),)
    inside = region()


class Child(Operation):
    name = "vt.child"
    traits = (HasParent(("vt.loop",)),)


class Named(Operation):
    name = "vt.named"
    traits = (Symbol(),)


class Strict(Operation):
    name = "vt.strict"

    def verify_(self) -> None:
        raise self.error("contradicts itself", code="strict")


def make(*types):
    return Make((), types)


def graph(*ops):
    return Graph.build(regions=[Region([Block(ops=ops)])])


def errors(op, **options):
    with pytest.raises(VerifyError) as info:
        verify(op, **options)
    return [d.message for d in info.value.diagnostics]


MISMATCHES = [
    (lambda a, f: Add([a[0]], [t.i32]), "'vt.add' op expected 2 operands, but found 1"),
    (lambda a, f: Add([a[0], a[1]], []), "'vt.add' op requires one result, but found 0"),
    (
        lambda a, f: Add([a[0], f[0]], [t.i32]),
        "'vt.add' op operand #1 must be signless-integer-like, but got 'f32'",
    ),
    (
        lambda a, f: Add([a[0], a[1]], [t.f32]),
        "'vt.add' op result #0 must be signless-integer-like, but got 'f32'",
    ),
    (
        lambda a, f: Add([a[0], a[1]], [t.i64]),
        "'vt.add' op requires the same type for all operands and results",
    ),
    (
        lambda a, f: Indices([a[0]]),
        "'vt.indices' op operand #0 must be variadic of index, but got 'i32'",
    ),
    (lambda a, f: Counted(), "'vt.counted' op requires attribute 'count'"),
    (
        lambda a, f: Counted((), (), {"count": StringAttr("x")}),
        "'vt.counted' op attribute 'count' failed to satisfy constraint: "
        "64-bit signless integer attribute",
    ),
    (lambda a, f: Free(regions=[]), "'vt.free' op requires one region"),
    (lambda a, f: Use(regions=[Region()]), "'vt.use' op requires zero regions"),
    (
        lambda a, f: Graph.build(regions=[Region()]),
        "'vt.graph' op region #0 ('inside') failed to verify constraint: region with 1 blocks",
    ),
    (
        lambda a, f: Free.build(regions=[Region([Block(), Block()])], result_types=[]),
        "'vt.free' op region #0 ('inside') failed to verify constraint: region with at most 1 blocks",
    ),
    (lambda a, f: Sized([a[0]]), "'vt.sized' op requires attribute 'operandSegmentSizes'"),
    (
        lambda a, f: Sized([a[0]], (), {"operandSegmentSizes": DenseArrayAttr.of([1, 0, 0], t.i64)}),
        "'vt.sized' op attribute 'operandSegmentSizes' must be 'array<i32: …>', but is "
        "'array<i64: 1, 0, 0>'",
    ),
    (
        lambda a, f: Sized([a[0]], (), {"operandSegmentSizes": DenseArrayAttr.of([1, 1], t.i32)}),
        "'vt.sized' op 'operandSegmentSizes' attribute for specifying operand segments must have "
        "3 elements, but got 2",
    ),
    (
        lambda a, f: Sized(
            [a[0]], (), {"operandSegmentSizes": DenseArrayAttr.of([1, 1, 0], t.i32)}
        ),
        "'vt.sized' op operand count (1) does not match with the total size (2) specified in "
        "attribute 'operandSegmentSizes'",
    ),
    (
        lambda a, f: Sized(
            [a[0], a[0], a[0]], (), {"operandSegmentSizes": DenseArrayAttr.of([1, 0, 2], t.i32)}
        ),
        "'vt.sized' op operand group starting at #1 requires 0 or 1 element, but found 2",
    ),
    (lambda a, f: Child(), "'vt.child' op expects parent op 'vt.loop'"),
    (lambda a, f: Named(), "'vt.named' op requires attribute 'sym_name'"),
    (
        lambda a, f: Loop.build(regions=[Region([Block(ops=[Use()])])]),
        "'vt.loop' op expects regions to end with 'vt.end', found 'vt.use'",
    ),
    (
        lambda a, f: Flow.build(regions=[Region([Block()])]),
        "empty block: expect at least a terminator",
    ),
    (
        lambda a, f: Flow.build(regions=[Region([Block(ops=[Use()])])]),
        "block with no terminator, has 'vt.use'",
    ),
    (
        lambda a, f: Flow.build(regions=[Region([Block(ops=[End(), End()])])]),
        "'vt.end' op must be the last operation in the parent block",
    ),
]


@pytest.mark.parametrize(("bad", "message"), MISMATCHES, ids=[m for _, m in MISMATCHES])
def test_declared_rules(bad, message):
    a, f = make(t.i32, t.i32), make(t.f32)
    module = graph(a, f, bad(a.results, f.results))
    assert message in errors(module)


def test_a_valid_module_passes_twice():
    a = make(t.i32, t.i32)
    add = Add.build(*a.results)
    inner = Add.build(add, add)
    module = graph(a, add, Free.build(regions=[Region([Block(ops=[inner])])], result_types=[]))
    verify(module)
    verify(module)


def test_all_errors_are_found_with_their_places():
    a = make(t.i32, t.i32)
    bad = [Add(a.results, [t.f32], location=FileLoc.at("k.mlir", n, 3)) for n in (4, 7)]
    with pytest.raises(VerifyError) as info:
        verify(graph(a, *bad))
    assert [str(d.location) for d in info.value.diagnostics] == ["k.mlir:4:3", "k.mlir:7:3"]


def test_types_that_one_op_may_have_are_checked_for_the_next():
    """The memo of accepted types is by class, operands and results."""
    a, f = make(t.i32, t.i32), make(t.f32, t.f32)
    verify(graph(a, Add.build(*a.results)))
    wrong = [Add(f.results, [t.f32]) for _ in range(2)]
    assert len(errors(graph(f, *wrong))) == 2


def test_use_before_definition():
    a = make(t.i32, t.i32)
    late = make(t.i32)
    free = Free.build(
        regions=[Region([Block(ops=[Use(late.results), late, a, Use(a.results)])])],
        result_types=[],
    )
    with pytest.raises(VerifyError) as info:
        verify(free)
    (found,) = info.value.diagnostics
    assert found.message == "'vt.use' op operand #0 does not dominate this use"
    assert found.notes[0].message == "operand defined here (op in the same block)"


def test_graph_regions_have_no_order():
    late = make(t.i32)
    verify(graph(Use(late.results), late))


def test_values_of_an_inner_region_stay_inside():
    inner = make(t.i32)
    free = Free.build(regions=[Region([Block(ops=[inner])])], result_types=[])
    (message,) = errors(graph(free, Use(inner.results)))
    assert message == "'vt.use' op operand #0 does not dominate this use"


def test_own_results_are_not_visible_inside():
    free = Free((), [t.i32], regions=[Region([Block()])])
    free.body.append(Use(free.results))
    flow = Flow.build(regions=[Region([Block(ops=[free, End()])])])
    assert errors(flow) == ["'vt.use' op operand #0 does not dominate this use"]


def test_isolated_regions_see_nothing_from_outside():
    a = make(t.i32)
    inner = Flow.build(regions=[Region([Block(ops=[Use(a.results), End()])])])
    with pytest.raises(VerifyError) as info:
        verify(graph(a, inner))
    (found,) = info.value.diagnostics
    assert found.message == "'vt.use' op using value defined outside the region"
    assert found.notes[0].message == "required by region isolation constraints"


def diamond(*tail):
    """entry → left, right → exit; a value in entry and one in left; ``tail`` opens the exit."""
    entry, left, right, last = Block(), Block(), Block(), Block()
    a, b = make(t.i32), make(t.i32)
    for op in (a, Fork(successors=[left, right])):
        entry.append(op)
    for op in (b, Jump(successors=[last])):
        left.append(op)
    right.append(Jump(successors=[last]))
    for op in (*[op(a.results, b.results) for op in tail], End()):
        last.append(op)
    return entry, left, right, last


def test_dominance_between_blocks():
    entry, left, right, last = diamond(lambda a, b: Use(a))
    verify(Flow.build(regions=[Region([entry, last, left, right])]))
    entry, left, right, last = diamond(lambda a, b: Use(b))
    flow = Flow.build(regions=[Region([entry, left, right, last])])
    with pytest.raises(VerifyError) as info:
        verify(flow)
    (found,) = info.value.diagnostics
    assert found.message == "'vt.use' op operand #0 does not dominate this use"
    assert found.notes[0].message == "operand defined here (op in the same region)"


def test_unreachable_blocks_may_use_anything():
    entry, lost = Block(ops=[End()]), Block()
    a = make(t.i32)
    for op in (Use(a.results), a, End()):
        lost.append(op)
    verify(Flow.build(regions=[Region([entry, lost])]))


def test_a_reachable_use_of_an_unreachable_value():
    a = make(t.i32)
    entry, lost = Block(ops=[End(a.results)]), Block(ops=[a, End()])
    assert len(errors(Flow.build(regions=[Region([entry, lost])]))) == 1


def test_branches_stay_in_their_region():
    other = Flow.build(regions=[Region([Block(ops=[End()])])])
    flow = Flow.build(regions=[Region([Block(ops=[Jump(successors=[other.body])])])])
    assert "'vt.jump' op branches to a block that isn't in its region" in errors(flow)
    loop = Flow.build(regions=[Region([Block()])])
    loop.body.append(Jump(successors=[loop.body]))
    assert errors(loop) == ["'vt.jump' op entry block of region may not have predecessors"]


def test_symbols_are_unique():
    def named(name):
        return Named((), (), {"sym_name": StringAttr(name)})

    verify(graph(named("f"), named("g"), graph(named("f"))))
    with pytest.raises(VerifyError) as info:
        verify(graph(named("f"), named("f")))
    (found,) = info.value.diagnostics
    assert found.message == "redefinition of symbol named 'f'"
    assert found.notes[0].message == "see existing symbol definition here"


def test_strict_errors_can_be_allowed():
    assert errors(graph(Strict())) == ["'vt.strict' op contradicts itself"]
    verify(graph(Strict()), lenient=True)


def test_broken_use_lists():
    a = make(t.i32)
    use = Use(a.results)
    a.results[0]._uses = None
    assert errors(graph(a, use)) == ["'vt.use' op isn't among the users of its operand #0"]
    a, other = make(t.i32), Use()
    a.results[0]._uses = other
    assert errors(graph(a, other)) == [
        "'vt.make' op has 'vt.use' among its users, which doesn't use it"
    ]


def test_broken_links():
    a, b = Use(), Use()
    module = graph(a, b)
    b.prev_op = None
    assert errors(module) == ["'vt.use' op isn't linked to the ops around it"]
    a, b = Use(), Use()
    module = graph(a, b)
    module.body.last_op = a
    assert errors(module) == ["'vt.use' op isn't the last op that its block knows"]


def test_unregistered_ops_have_no_rules():
    odd = UnregisteredOp.make(
        "x.y", (), [t.i32], {"a": IntegerAttr(1, t.i64)}, None, [Region([Block()])]
    )
    verify(graph(odd, Use(odd.results)))


def test_depth_is_no_limit():
    inner = Use()
    for _ in range(3000):
        inner = Free.build(regions=[Region([Block(ops=[inner])])], result_types=[])
    verify(graph(inner))
    assert sum(1 for _ in inner.walk()) == 3001
    assert sum(1 for _ in inner.walk(post_order=True)) == 3001
