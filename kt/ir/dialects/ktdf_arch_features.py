"""Features and reserved properties of ``ktdf_arch``: typed readers, checks, matching.

``ktdf_arch.features`` says what a resource provides, or what another op requires of the resource
that runs it. The readers (:class:`LoadStore`, :class:`Simd`, :class:`Queue`) serve the verifier, the
device model and the matching of a requirement against a provided feature.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from kt.ir import types as t
from kt.ir.attributes import (
    ArrayAttr,
    Attribute,
    DenseArrayAttr,
    DictAttr,
    IntegerAttr,
    UnitAttr,
)
from kt.ir.diagnostics import Note

if TYPE_CHECKING:
    from kt.ir.core import Operation

FEATURE = "ktdf_arch.feature."
FEATURES = "ktdf_arch.features"
MAPS_TO = "ktdf_arch.maps_to"
LINKS, UNITS, MEMORIES = "links", "execution units", "memories"


def resource_class(op: Operation) -> str | None:
    """``links``, ``execution units``, ``memories`` or another word for ops of this dialect."""
    if not op.name.startswith("ktdf_arch."):
        return None
    words = {"datapath": LINKS, "exec_unit": UNITS, "memory": MEMORIES}
    return words.get(op.name.partition(".")[2], "other resources")


def _integer(value: Any) -> int | None:
    """The value of a signless 64-bit integer attribute, else None."""
    if isinstance(value, IntegerAttr) and value.type is t.i64:
        return value.value
    return None


def _entries(value: Attribute | None) -> dict[Attribute, Attribute]:
    return dict(getattr(value, "entries", ()) or ())


def _fields(value: Attribute | None) -> dict[str, Attribute]:
    return dict(value.entries) if isinstance(value, DictAttr) else {}


@frozen
class Access:
    """One permitted access: bytes or words at an address that is a multiple of ``align``."""

    size: int
    align: int = 1


def fit_access(accesses: Sequence[Access], min_size: int, max_align: int) -> Access | None:
    """The smallest access of at least ``min_size`` that needs at most ``max_align``."""
    best: Access | None = None
    for access in accesses:
        if access.size < min_size or access.align > max_align:
            continue
        if best is None or (access.size, access.align) <= (best.size, best.align):
            best = access
    return best


@frozen
class LoadStore:
    """``feature.load`` or ``feature.store``: words and accesses per memory kind (in words)."""

    word_sizes: dict[Attribute, int]
    accesses: dict[Attribute, tuple[Access, ...]]

    @classmethod
    def of(cls, value: Attribute) -> LoadStore:
        found = _fields(value)
        words = {k: _integer(v) or 1 for k, v in _entries(found.get("word_size")).items()}
        accesses = {
            k: tuple(_access(d) for d in v) if isinstance(v, ArrayAttr) else ()
            for k, v in _entries(found.get("access_granularity")).items()
        }
        return cls(words, accesses)

    def word_size(self, kind: Attribute) -> int:
        """Bytes per address unit of a memory kind; 1 when nothing is said."""
        return self.word_sizes.get(kind, 1)

    def satisfies(self, required: LoadStore) -> bool:
        if any(self.word_size(kind) != size for kind, size in required.word_sizes.items()):
            return False
        return all(
            fit_access(self.accesses.get(kind, ()), need.size, need.align) is not None
            for kind, needs in required.accesses.items()
            for need in needs
        )


def _access(value: Attribute) -> Access:
    found = _fields(value)
    return Access(
        _integer(found.get("size_in_words")) or 1, _integer(found.get("align_in_words")) or 1
    )


@frozen
class Simd:
    """``feature.simd``: vector lanes per element type, and what a unit can do to fill them."""

    splat: bool = False
    zero_pad: bool = False
    lanes: dict[Attribute, int] = field(factory=dict)

    @classmethod
    def of(cls, value: Attribute) -> Simd:
        found = _fields(value)
        lanes = {k: _integer(v) or 0 for k, v in _entries(found.get("lanes")).items()}
        return cls("splat" in found, "zero_pad" in found, lanes)

    def satisfies(self, required: Simd) -> bool:
        flags = self.splat >= required.splat and self.zero_pad >= required.zero_pad
        return flags and all(
            self.lanes.get(k, 0) >= n if k in self.lanes else False
            for k, n in required.lanes.items()
        )


@frozen
class Queue:
    """``feature.queue`` of a link: transfers and bytes in flight (None: unlimited), order kept."""

    depth: int | None = None
    size: int | None = None
    ordered: bool = False

    @classmethod
    def of(cls, value: Attribute) -> Queue:
        found = _fields(value)
        return cls(_integer(found.get("depth")), _integer(found.get("size")), "ordered" in found)

    def satisfies(self, required: Queue) -> bool:
        def enough(have: int | None, need: int | None) -> bool:
            return need is None or (have is not None and have >= need)

        return (
            self.ordered >= required.ordered
            and enough(self.size, required.size)
            and enough(self.depth, required.depth)
        )


READERS: dict[str, Any] = {"load": LoadStore, "store": LoadStore, "simd": Simd, "queue": Queue}


def feature_satisfies(name: str, provided: Attribute, required: Attribute) -> bool:
    """Whether a provided feature value meets a required one of the same (full) name."""
    if provided is required or isinstance(required, UnitAttr):
        return True
    reader = READERS.get(name.removeprefix(FEATURE)) if name.startswith(FEATURE) else None
    return reader is not None and reader.of(provided).satisfies(reader.of(required))


def features_of(op: Operation) -> dict[str, Attribute]:
    """The features dictionary of an op by full name (empty when there is none)."""
    return _fields(op.attributes.get(FEATURES))


# -- verification ----------------------------------------------------------------------------------


def _positive(op: Operation, where: str, value: Attribute | None, words: str) -> None:
    number = _integer(value)
    if number is None:
        raise op.error(f"{where} requires {words}")
    if number <= 0:
        raise op.error(f"{where} must be > 0, but is {number}")


def _check_map(op: Operation, where: str, value: Attribute | None, words: str) -> dict[Any, Any]:
    if value is None:
        return {}
    if value.name != "ktdf_arch.map":
        raise op.error(f"{where} requires {words}")
    return _entries(value)


def _check_load_store(op: Operation, where: str, value: dict[str, Attribute]) -> None:
    words = "map from attribute to 64-bit integer"
    for kind, size in _check_map(
        op, f"{where} attribute 'word_size'", value.get("word_size"), words
    ).items():
        _positive(op, f"{where} attribute 'word_size[{kind}]'", size, "64-bit integer")
    words = "map from attribute to array of dictionary attributes"
    at = f"{where} attribute 'access_granularity'"
    for kind, accesses in _check_map(op, at, value.get("access_granularity"), words).items():
        if not isinstance(accesses, ArrayAttr) or not all(
            isinstance(a, DictAttr) for a in accesses
        ):
            raise op.error(f"{at} requires {words}")
        for access in accesses:
            found = _fields(access)
            inner = f"{where} attribute 'access_granularity[{kind}]' attribute "
            _positive(op, f"{inner}'size_in_words'", found.get("size_in_words"), "64-bit integer")
            if "align_in_words" in found:
                _positive(op, f"{inner}'align_in_words'", found["align_in_words"], "64-bit integer")


def _check_flags(
    op: Operation, where: str, value: dict[str, Attribute], flags: Sequence[str]
) -> None:
    for flag in flags:
        if flag in value and not isinstance(value[flag], UnitAttr):
            raise op.error(f"{where} attribute '{flag}' requires unit")


def _check_simd(op: Operation, where: str, value: dict[str, Attribute]) -> None:
    _check_flags(op, where, value, ("splat", "zero_pad"))
    at, words = f"{where} attribute 'lanes'", "map from type to 64-bit integer"
    for kind, lanes in _check_map(op, at, value.get("lanes"), words).items():
        if not isinstance(kind, t.Type):
            raise op.error(f"{at} requires {words}")
        _positive(op, f"{where} attribute 'lanes[{kind}]'", lanes, "64-bit integer")


def _check_queue(op: Operation, where: str, value: dict[str, Attribute]) -> None:
    _check_flags(op, where, value, ("ordered",))
    for key in ("size", "depth"):
        if key in value:
            _positive(op, f"{where} attribute '{key}'", value[key], "64-bit integer")


def _check_nothing(op: Operation, where: str, value: dict[str, Attribute]) -> None:
    return


_CHECKS: dict[str, tuple[str, Callable[[Operation, str, dict[str, Attribute]], None]]] = {
    "compute": (UNITS, _check_nothing),
    "load": (UNITS, _check_load_store),
    "store": (UNITS, _check_load_store),
    "simd": (UNITS, _check_simd),
    "queue": (LINKS, _check_queue),
    # Later upstream versions know these two on memories; accepted, not read.
    "register_file": (MEMORIES, _check_nothing),
    "indirect_address_buffer": (MEMORIES, _check_nothing),
}


def verify_features(op: Operation, value: Attribute) -> None:
    """Check a ``ktdf_arch.features`` dictionary."""
    if not isinstance(value, DictAttr):
        raise op.error(f"'{FEATURES}' requires dictionary attribute")
    for name, feature in value.items():
        if not name.startswith(FEATURE):
            continue
        found = _CHECKS.get(name.removeprefix(FEATURE))
        if found is None:
            known = ", ".join(FEATURE + word for word in _CHECKS)
            raise op.error(
                f"unrecognized 'ktdf_arch' feature: \"{name}\"",
                notes=[Note(f"expected one of: {known}")],
            )
        place, check = found
        where = f"'{name}'"
        if resource_class(op) not in (None, place):
            raise op.error(f"{where} only valid on {place}")
        if not isinstance(feature, (UnitAttr, DictAttr)) and check is not _check_nothing:
            raise op.error(f"{where} requires unit or dictionary attribute")
        check(op, where, _fields(feature))


def _verify_granularity(op: Operation, where: str, value: Attribute) -> None:
    if not isinstance(value, DenseArrayAttr) or value.element_type is not t.i64:
        raise op.error(f"{where} requires dense 64-bit integer array attribute")
    seen: list[int] = []
    for size in value:
        if size < 0:
            raise op.error(f"{where} granularity must be >= 0, but is {size}")
        if size in seen:
            raise op.error(f"{where} repeated granularity ({size})")
        seen.append(size)


def verify_property(op: Operation, name: str, value: Attribute) -> None:
    """Check one discardable ``ktdf_arch.*`` attribute of any op; raises VerifyError."""
    where = f"'{name}' intrinsic"
    match name.partition(".")[2]:
        case "features":
            verify_features(op, value)
        case "maps_to":
            if resource_class(op) is not None:
                raise op.error(f"{where} only valid on mappable ops")
        case "overlaps":
            if not isinstance(value, ArrayAttr):
                raise op.error(f"{where} requires array attribute")
        case "bandwidth" | "transfer_granularity" as key:
            if resource_class(op) != LINKS:
                raise op.error(f"{where} only valid on links")
            if key == "bandwidth":
                _positive(op, where, value, "64-bit integer attribute")
            else:
                _verify_granularity(op, where, value)
        case _:
            known = ("bandwidth", "features", "maps_to", "overlaps", "transfer_granularity")
            raise op.error(
                f"unrecognized 'ktdf_arch' intrinsic: \"{name}\"",
                notes=[Note("expected one of: " + ", ".join(f"ktdf_arch.{k}" for k in known))],
            )
