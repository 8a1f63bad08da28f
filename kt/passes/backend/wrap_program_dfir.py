"""wrap-program-dfir: separate what a program is from what it does.

Before::

    module @p {
      func.func @p(%x: index) attributes {grid = [2]} {
        … symbol.create_id %x {symbol_id = -1 : si64} : index
        dataflow.program_unit … ; return
      }
    }

After::

    module @p {
      func.func private @p_body()
      func.func @p(%x: index) { symbol.create_id %x {symbol_id = -1 : si64} : index
        call @p_body() : () -> () ; return }
      module {
        func.func @p_body() attributes {grid = [2]} { dataflow.program_unit … ; return }
      }
    }

The outer function holds the signature and the meaning of the symbols, the inner one the code, which
uses no argument.
"""

from __future__ import annotations

from attrs import frozen

from kt.ir.attributes import StringAttr, SymbolRefAttr
from kt.ir.builder import Builder
from kt.ir.clone import clone_op
from kt.ir.core import Block, BlockArgument, Operation, Region, Value
from kt.ir.dce import erase_dead_ops
from kt.ir.diagnostics import Note, PassError
from kt.ir.dialects import builtin, dataflow, func, symbol
from kt.ir.types import FunctionType
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass


@register_pass
@frozen
class WrapProgramDfir(Pass):
    """Split every program into a signature with symbols and a body without arguments."""

    name = "wrap-program-dfir"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for child in list(module.body.ops):
            if isinstance(child, builtin.ModuleOp) and _holds_program(child):
                wrap(child)
                ctx.stat("programs")


def _holds_program(module: Operation) -> bool:
    if module.attr("sym_name") is None:
        return False
    if any(isinstance(op, builtin.ModuleOp) for op in module.body.ops):
        return False
    return any(isinstance(op, dataflow.ProgramUnitOp) for op in module.walk())


def wrap(module: Operation) -> None:
    """Wrap the program function of one module."""
    name = module.attr("sym_name").value
    function = next(
        (
            op
            for op in module.body.ops
            if isinstance(op, func.FuncOp) and op.attr("sym_name").value == name
        ),
        None,
    )
    if function is None:
        raise PassError(f"module @{name} holds no function of its own name", module.location)
    slice_ = _symbol_slice(function)
    _check_arguments(function, set(slice_))
    location = function.location
    body_name = f"{name}_body"
    empty = FunctionType((), ())
    outer = Block()
    outer_function = func.FuncOp.build(
        sym_name=StringAttr(name),
        function_type=function.attr("function_type"),
        regions=[Region([outer])],
        location=location,
    )
    if function.attr("arg_attrs") is not None:
        outer_function.properties["arg_attrs"] = function.attr("arg_attrs")
    mapping: dict[Value, Value] = {}
    for argument in function.body.arguments:
        mapping[argument] = outer.add_argument(argument.type, argument.name_hint, argument.loc)
    builder = Builder.at_end(outer, location)
    for op in slice_:
        builder.insert(clone_op(op, mapping))
    builder.create(func.CallOp, [], callee=SymbolRefAttr(body_name), result_types=[])
    builder.create(func.ReturnOp, [])
    inner = builtin.ModuleOp.build(regions=[Region([Block()])], location=module.location)
    for op in module.body.ops:
        inner.body.append(op.detach())
    declaration = func.FuncOp.build(
        sym_name=StringAttr(body_name),
        function_type=empty,
        sym_visibility=StringAttr("private"),
        regions=[Region()],
        location=location,
    )
    for op in (declaration, outer_function, inner):
        module.body.append(op)
    _strip(function, slice_, body_name, empty)


def _symbol_slice(function: func.FuncOp) -> list[Operation]:
    """The symbol declarations and the arithmetic behind them, in textual order."""
    wanted: dict[Operation, None] = {}
    for op in function.walk():
        if isinstance(op, symbol.CreateIdOp):
            if op.parent is not function.body:
                raise PassError("a symbol is declared outside the program's entry block", op.location)
            stack: list[Operation] = [op]
            while stack:
                current = stack.pop()
                if current in wanted:
                    continue
                wanted[current] = None
                makers = (value.defining_op for value in current.operands)
                stack.extend(maker for maker in makers if maker is not None)
    return [op for op in function.body.ops if op in wanted]


def _check_arguments(function: func.FuncOp, allowed: set[Operation]) -> None:
    for argument in function.body.arguments:
        assert isinstance(argument, BlockArgument)
        for user in argument.users:
            if user not in allowed:
                raise PassError(
                    f"argument #{argument.index} of @{function.attr('sym_name').value} is used below "
                    "its program's body",
                    user.location,
                    notes=(Note("the function is here", function.location),),
                    hint="arguments reach a program as symbols only",
                )


def _strip(
    function: func.FuncOp, slice_: list[Operation], name: str, type: FunctionType
) -> None:
    """The body keeps the code alone: no declarations, no arguments."""
    for op in reversed(slice_):
        if isinstance(op, symbol.CreateIdOp):
            op.erase()
    erase_dead_ops(function)
    for argument in list(reversed(function.body.arguments)):
        function.body.erase_argument(argument.index)
    function.properties["sym_name"] = StringAttr(name)
    function.properties["function_type"] = type
    function.properties.pop("arg_attrs", None)
    function.properties.pop("sym_visibility", None)
