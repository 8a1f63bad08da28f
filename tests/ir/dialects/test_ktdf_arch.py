"""ktdf_arch: rules of devices, resources, properties and features; endpoints; matching."""

from __future__ import annotations

import pytest

from kt.ir.attributes import DictAttr, StringAttr, UnitAttr, as_attribute
from kt.ir.diagnostics import KtError, VerifyError
from kt.ir.dialects.ktdf_arch import DatapathOp, DeviceOp, MapAttr, MemoryOp, endpoint
from kt.ir.dialects.ktdf_arch_features import Access, feature_satisfies, fit_access
from kt.ir.types import f16, f32
from kt.ir.verifier import verify
from kt.parse import parse_text


def check(text: str) -> None:
    verify(parse_text(text, "d.mlir"))


def device(body: str, attributes: str = "") -> str:
    return f"ktdf_arch.device @d {attributes} {{\n{body}\n}}\n"


def findings(text: str) -> str:
    """All that parser or verifier say against a text, one a line."""
    try:
        check(text)
    except KtError as error:
        return "\n".join(d.message for d in error.diagnostics)
    return ""


# Devices


def test_good_device():
    assert (
        findings(
            device(
                """
  %bus = memory {kind = "BUS", size = 1024 : ui64}
  %a = group @left {kind = "cell"} share(%bus) {
    %u = exec_unit {kind = "MOVER"}
    datapath %bus to %u : memory, exec_unit
    yield %u
  } -> exec_unit
  %b = group @right {kind = "cell"} share(%bus) {
    %u = exec_unit {kind = "MOVER"}
    yield %u
  } -> exec_unit
  %sw:2 = switch [2] {id = "xbar"}
  datapath %a to %sw#0 : exec_unit, port
  datapath %sw#1 to %b : port, exec_unit
  datapath @direct {kind = "wire", ktdf_arch.bandwidth = 4} %b to %a : exec_unit, exec_unit
""",
                "attributes {version = 1, vendor = 3}",
            )
        )
        == ""
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ktdf_arch.device @d {}", "empty device requires 'import_path' attribute"),
        (device("%x = arith.constant 1 : i32"), "expects child ops to be resources"),
        (
            'ktdf_arch.device @d attributes {version = 1 : i32} import("x")',
            "'version' failed to satisfy constraint: 64-bit signless integer attribute",
        ),
        (
            device('%a = memory @x {kind = "A"}\n%b = memory @x {kind = "B"}'),
            'resource with id "x" redefined',
        ),
        (
            device('%a = memory @x {kind = "A"}\ngroup share(%a) {\n%u = exec_unit @x\n}'),
            'resource with id "x" redefined',
        ),
        (
            device('%a = memory {kind = "A", size = 1}\n%b = memory {kind = "A", size = 2}'),
            "has size 2, but another memory",
        ),
        (
            'ktdf_arch.device @d import("x")\nktdf_arch.device @d import("y")',
            "redefinition of symbol named 'd'",
        ),
        (device("%a = memory {size = 4}"), "requires attribute 'kind'"),
        (device("%a = memory {kind = unit}"), "failed to satisfy constraint: valid memory space"),
        (device("%a = memory {kind = [1]}"), "failed to satisfy constraint: valid memory space"),
        (device("%a = memory {kind = f32}"), "failed to satisfy constraint: valid memory space"),
        (
            device('%a = memory {kind = "A", size = 0}'),
            "integer attribute whose minimum value is 1",
        ),
        (
            device('%a = memory {kind = "A", size = 4 : i32}'),
            "64-bit integer attribute whose minimum",
        ),
        (
            device("%s:2 = switch [2] {connectivity = dense<true> : tensor<2x3xi1>}"),
            "expected connectivity shape {2, 2}, but got {2, 3}",
        ),
        (device("%s:2 = switch [2] {connectivity = 4}"), "requires a dense adjacency matrix"),
        (
            device('%a = memory {kind = "A"}\ndatapath %a to %a : memory, memory'),
            "can't link resource to itself",
        ),
        (
            device('%a = memory {kind = "A"}\n%g = group share(%a) {\n} -> exec_unit'),
            "region branch point has 0 operands, but region successor needs 1 inputs",
        ),
        (
            device('%a = memory {kind = "A"}\n%g = group share(%a) {\n} -> memory'),
            "result #0 must be variadic of Type of an execution unit resource., but got",
        ),
        (
            device('patterns {\n"ktdf_arch.exec_unit"() : () -> !ktdf_arch.exec_unit\n}'),
            "expects child ops to be 'pdl.pattern'",
        ),
        ("ktdf_arch.patterns {\n}", "expects parent op 'ktdf_arch.device'"),
        (
            '%m = ktdf_arch.memory {kind = "A"}',
            "expects parent op to be 'ktdf_arch.device' or another",
        ),
        (
            device(
                '%a = memory {kind = "A"}\ngroup share() {\ndatapath %a to %a : memory, memory\n}'
            ),
            "use of undeclared SSA value name",
        ),
        (
            device('%a = memory {kind = "A"}\ndatapath %a to %a : foo, memory'),
            "mnemonic, got 'foo'",
        ),
    ],
)
def test_refused(text, message):
    assert message in findings(text)


def test_alias_must_be_a_dictionary():
    assert "expected dictionary attribute" in findings("#k = 4\n" + device("%a = memory #k"))


def test_notes_point_to_the_other_place():
    with pytest.raises(KtError, match="redefined") as caught:
        check(device('%a = memory @x {kind = "A"}\n%u = exec_unit @x'))
    assert caught.value.notes[0].location.position().line == 2


def test_kinds_may_be_any_memory_space():
    assert findings(device("%a = memory {kind = 4}\n%b = memory {kind = {x}}")) == ""
    assert findings(device("%a = memory {kind = #ktdp.memory_space<global>}")) == ""


def test_endpoints_follow_shares_and_yields():
    module = parse_text(
        device(
            """
  %m = memory @m {kind = "M"}
  %g = group share(%m) {
    %h = group share(%m) {
      %u = exec_unit @u
      datapath %m to %u : memory, exec_unit
      yield %u
    } -> exec_unit
    yield %h
  } -> exec_unit
  datapath %g to %m : exec_unit, memory
"""
        )
    )
    for link in module.walk_type(DatapathOp):
        ends = {endpoint(link.source).op.resource_id, endpoint(link.target).op.resource_id}
        assert ends == {"m", "u"}
    assert sum(1 for _ in module.walk_type(DatapathOp)) == 2


def test_built_in_python():
    memory = MemoryOp.build(kind="M", size=8)
    verify(memory)
    assert memory.resource_id is None and memory.kind is StringAttr("M")
    assert not list(DeviceOp.build(sym_name="d", import_path="x", regions=[]).regions)


# Maps


def test_map():
    table = MapAttr(((f16, as_attribute(8)), (StringAttr("A"), as_attribute(4))))
    assert table.get(f16).value == 8 and table.get("A").value == 4 and table.get(f32) is None
    assert "A" in table and f32 not in table and len(table) == 2
    assert list(table) == [f16, StringAttr("A")]
    with pytest.raises(ValueError, match="multiple entries for key"):
        MapAttr(((f16, as_attribute(8)), (f16, as_attribute(9))))


def test_map_text():
    module = parse_text(
        "func.func private @f() attributes {m = #ktdf_arch.map<f16 = 8, {x} = [1, 2], "
        '7 = #ktdf_arch.map<>, "a" = #ktdf_arch.map<f32 = 1>>}'
    )
    table = module.body.first_op.attributes["m"]
    assert len(table) == 4 and table.get(f16) is as_attribute(8)
    assert table.get(7) is MapAttr(())
    with pytest.raises(KtError, match="multiple entries for key"):
        parse_text("func.func private @f() attributes {m = #ktdf_arch.map<f16 = 1, f16 = 2>}")


# Properties and features


def on_link(attributes: str) -> str:
    return device(
        f'%m = memory {{kind = "M"}}\n%u = exec_unit\ndatapath {{{attributes}}} %m to %u : memory, exec_unit'
    )


def on_unit(attributes: str) -> str:
    return device(f"%u = exec_unit {{{attributes}}}")


def feature(name: str, value: str) -> str:
    return f"ktdf_arch.features = {{ktdf_arch.feature.{name} = {value}}}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (on_unit("ktdf_arch.bandwidth = 4"), "only valid on links"),
        (on_link("ktdf_arch.bandwidth = 4 : i32"), "requires 64-bit integer attribute"),
        (on_link("ktdf_arch.bandwidth = 0"), "must be > 0, but is 0"),
        (on_unit("ktdf_arch.transfer_granularity = array<i64: 1>"), "only valid on links"),
        (on_link("ktdf_arch.transfer_granularity = [1]"), "requires dense 64-bit integer array"),
        (on_link("ktdf_arch.transfer_granularity = array<i64: -1>"), "granularity must be >= 0"),
        (on_link("ktdf_arch.transfer_granularity = array<i64: 2, 2>"), "repeated granularity (2)"),
        (on_unit("ktdf_arch.features = 4"), "requires dictionary attribute"),
        (on_unit('ktdf_arch.maps_to = "X"'), "only valid on mappable ops"),
        (on_unit("ktdf_arch.overlaps = 4"), "requires array attribute"),
        (on_unit("ktdf_arch.unheard"), "unrecognized 'ktdf_arch' intrinsic: \"ktdf_arch.unheard\""),
        (on_unit(feature("unheard", "unit")), "unrecognized 'ktdf_arch' feature"),
        (on_link(feature("load", "{}")), "only valid on execution units"),
        (on_unit(feature("queue", "{}")), "only valid on links"),
        (on_unit(feature("simd", "4")), "requires unit or dictionary attribute"),
        (on_unit(feature("simd", "{splat = 4}")), "attribute 'splat' requires unit"),
        (on_unit(feature("simd", "{lanes = 4}")), "'lanes' requires map from type"),
        (
            on_unit(feature("simd", '{lanes = #ktdf_arch.map<"x" = 4>}')),
            "'lanes' requires map from type",
        ),
        (on_unit(feature("simd", "{lanes = #ktdf_arch.map<f16 = 0>}")), "must be > 0, but is 0"),
        (on_unit(feature("load", "{word_size = 4}")), "'word_size' requires map from attribute"),
        (on_unit(feature("load", '{word_size = #ktdf_arch.map<"A" = 0>}')), "must be > 0"),
        (
            on_unit(feature("store", '{access_granularity = #ktdf_arch.map<"A" = 4>}')),
            "requires map from attribute to array of dictionary attributes",
        ),
        (
            on_unit(feature("load", '{access_granularity = #ktdf_arch.map<"A" = [{}]>}')),
            "'size_in_words' requires 64-bit integer",
        ),
        (
            on_unit(
                feature(
                    "load",
                    '{access_granularity = #ktdf_arch.map<"A" = [{size_in_words = 1, align_in_words = 0}]>}',
                )
            ),
            "'align_in_words' must be > 0",
        ),
        (on_link(feature("queue", "{ordered = 1}")), "attribute 'ordered' requires unit"),
        (on_link(feature("queue", "{depth = 0}")), "attribute 'depth' must be > 0"),
        (on_link(feature("queue", "{size = 1 : i8}")), "attribute 'size' requires 64-bit integer"),
    ],
)
def test_properties_refused(text, message):
    assert message in findings(text)


def test_properties_are_checked_on_other_ops_too():
    with pytest.raises(VerifyError, match="only valid on links"):
        check("func.func private @f() attributes {ktdf_arch.bandwidth = 4}")
    check("func.func private @f() attributes {ktdf_arch.maps_to = @d}")
    # As a requirement any feature may stand anywhere.
    check(f"func.func private @f() attributes {{{feature('queue', '{depth = 3}')}}}")
    with pytest.raises(VerifyError, match="must be > 0"):
        check(f"func.func private @f() attributes {{{feature('queue', '{depth = 0}')}}}")


def parsed(text: str):
    if text == "unit":
        return UnitAttr()
    module = parse_text(f"func.func private @f() attributes {{x = {text}}}")
    return module.body.first_op.attributes["x"]


SIMD = "{lanes = #ktdf_arch.map<f16 = 8, f32 = 4>, splat}"
WORDS = '{word_size = #ktdf_arch.map<"A" = 16>}'


def access(memory: str, size: int, align: int) -> str:
    return (
        f'{{access_granularity = #ktdf_arch.map<"{memory}" = '
        f"[{{size_in_words = {size}, align_in_words = {align}}}]>}}"
    )


@pytest.mark.parametrize(
    ("name", "provided", "required", "met"),
    [
        ("simd", SIMD, "unit", True),
        ("simd", SIMD, "{lanes = #ktdf_arch.map<f16 = 8>}", True),
        ("simd", SIMD, "{lanes = #ktdf_arch.map<f16 = 9>}", False),
        ("simd", SIMD, "{lanes = #ktdf_arch.map<f64 = 1>}", False),
        ("simd", SIMD, "{splat}", True),
        ("simd", SIMD, "{zero_pad}", False),
        ("simd", "unit", "{splat}", False),
        ("simd", "unit", "{}", True),
        ("queue", "{depth = 4, ordered}", "{depth = 3}", True),
        ("queue", "{depth = 4, ordered}", "{ordered}", True),
        ("queue", "{depth = 4, ordered}", "{depth = 5}", False),
        ("queue", "{depth = 4, ordered}", "{size = 1}", False),
        ("load", WORDS, WORDS, True),
        ("load", WORDS, '{word_size = #ktdf_arch.map<"B" = 1>}', True),
        ("load", WORDS, '{word_size = #ktdf_arch.map<"A" = 8>}', False),
        ("load", access("A", 4, 4), access("A", 3, 4), True),
        ("load", access("A", 4, 4), access("A", 3, 2), False),
        ("load", access("A", 4, 4), access("A", 5, 4), False),
        ("load", access("A", 4, 4), '{access_granularity = #ktdf_arch.map<"B" = []>}', True),
        ("load", access("A", 4, 4), access("B", 1, 1), False),
        ("compute", "unit", "{x = 1}", False),
        ("compute", "{x = 1}", "{x = 1}", True),
        ("compute", "{x = 1}", "unit", True),
    ],
)
def test_matching(name, provided, required, met):
    assert feature_satisfies(f"ktdf_arch.feature.{name}", parsed(provided), parsed(required)) is met


def test_foreign_features_match_by_equality():
    one, two = DictAttr.of({"a": as_attribute(1)}), DictAttr.of({"a": as_attribute(2)})
    assert feature_satisfies("other.feature", one, one)
    assert not feature_satisfies("other.feature", one, two)


def test_best_fit():
    accesses = (Access(64, 64), Access(16, 8), Access(16, 4), Access(4, 1))
    assert fit_access(accesses, 5, 64) == Access(16, 4)
    assert fit_access(accesses, 1, 64) == Access(4, 1)
    assert fit_access(accesses, 17, 64) == Access(64, 64)
    assert fit_access(accesses, 17, 8) is None
