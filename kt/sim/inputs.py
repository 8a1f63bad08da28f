"""Generated inputs: arguments that nobody gave, random from a seed.

Floats are normal(0, 1). A buffer whose elements are looked up as indices gets values inside the
extent that they index, without repetition where elements are stored through them. A scalar that
decides a size, a bound or an address must be given, or comes from the upper bound that its type
promises.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from kt.ir import types as t
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import RunError
from kt.ir.numbers import DType, encode
from kt.sim.arguments import integer
from kt.sim.buffers import Parameter, Ranges, buffer_shape, calls, parameters_of
from kt.sim.functions import function_table
from kt.sim.run import grid_of
from kt.sim.values import dtype_of

MAX_ELEMENTS = 2**40


def generate_arguments(
    module: Operation,
    function: Any,
    seed: int = 0,
    given: Mapping[str, Any] | None = None,
    parameters: list[Parameter] | None = None,
) -> dict[str, Any]:
    """Values for all arguments of a function by name: those of ``given``, and random ones.

    Buffers come as arrays in their storage type (see :func:`kt.sim.simulate.simulate`), in the shape
    of the view that uses them. RunError when a size can't be known.
    """
    found = dict(given or {})
    if parameters is not None and all(p.name in found for p in parameters):
        return found
    lookup = function_table(module).get
    parameters = parameters or parameters_of(function, lookup)
    scalars: dict[Value, int] = {}
    for parameter in parameters:
        if parameter.name not in found and not _is_buffer(parameter):
            found[parameter.name] = _scalar(parameter, random_of(seed, parameter.name))
        if isinstance(parameter.type, (t.IndexType, t.IntegerType)) and not _is_buffer(parameter):
            value = found[parameter.name]
            if np.ndim(value) == 0:
                scalars[parameter.value] = integer(parameter.name, value, parameter.type, parameter.value.location)
    callers = calls(function, lookup)
    ranges = Ranges(scalars, grid_of(function), callers)
    for parameter in parameters:
        if parameter.name not in found:
            random = random_of(seed, parameter.name)
            found[parameter.name] = _buffer(parameter, ranges, random, module)
    return found


def random_of(seed: int, name: str) -> np.random.Generator:
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def _is_buffer(parameter: Parameter) -> bool:
    return parameter.is_pointer or isinstance(parameter.type, (t.MemRefType, t.TensorType))


def _scalar(parameter: Parameter, random: np.random.Generator) -> Any:
    type: Any = parameter.type
    bound = getattr(type, "upperbound", None)
    if bound is not None:
        return bound
    type = getattr(type, "type", type)
    if isinstance(type, t.FloatType):
        return float(random.standard_normal())
    if _decides(parameter.value, set()):
        raise RunError(
            f"argument '{parameter.name}' decides a size, a bound or an address and must be given",
            parameter.value.location,
            hint=f"for example --arg {parameter.name}=64",
        )
    if isinstance(type, t.IntegerType) and type.width == 1:
        return int(random.integers(0, 2))
    return int(random.integers(-100, 101))


_PLACES = (
    "ktdp.construct_memory_view", "ktdp.construct_access_tile", "ktdp.construct_indirect_access_tile",
    "scf.for", "scf.parallel", "scf.while", "tensor.empty", "memref.alloc", "tensor.extract_slice",
    "ktdf.fifo.allocate", "ktdf.data_transfer", "ktdf.parallel",
)  # fmt: skip


def _decides(value: Value, seen: set[Value]) -> bool:
    """Whether a scalar reaches a size, bound or address."""
    if value in seen:
        return False
    seen.add(value)
    for user in value.users:
        if user.name in _PLACES and _is_bound(user, value):
            return True
        scalars = [r for r in user.results if not isinstance(r.type, t.ShapedType)]
        plain = user.dialect in ("arith", "affine", "ktdp") and not user.regions
        if plain and any(_decides(result, seen) for result in scalars):
            return True
        if user.name == "func.call":
            return True
    return False


def _is_bound(user: Operation, value: Value) -> bool:
    return value in user.operands[:3] if user.name == "scf.for" else True


def _buffer(
    parameter: Parameter, ranges: Ranges, random: np.random.Generator, module: Operation
) -> Any:
    type: Any = parameter.type
    if isinstance(type, t.ShapedType):
        if not type.has_static_shape:
            raise RunError(f"argument '{parameter.name}' has a dynamic shape and must be given")
        shape, dtype = type.shape, dtype_of(type)  # type: ignore[attr-defined]
    else:
        shape, dtype = buffer_shape(parameter, ranges)
    limit = _looked_up(parameter)
    if limit is not None:
        extent, distinct = limit
        count = int(np.prod(shape, dtype=np.int64))
        if distinct and count <= extent:
            picked = random.permutation(extent)[:count]
        else:
            picked = random.integers(0, extent, count)
        return picked.astype(dtype.storage).reshape(shape)
    return random_array(shape, dtype, random)


def random_array(shape: tuple[int, ...], dtype: DType, random: np.random.Generator) -> np.ndarray:
    """Random elements in the storage type: floats normal(0, 1), integers up to ±100."""
    if math.prod(shape) > MAX_ELEMENTS:
        raise RunError(f"a buffer of shape {list(shape)} is too large to be generated")
    if dtype.is_float:
        return np.ascontiguousarray(encode(random.standard_normal(shape), dtype))
    low = max(int(dtype.min), -100) if dtype.signed and dtype.bits > 1 else 0
    high = 1 if dtype.bits == 1 else min(int(dtype.max), 100)
    return random.integers(low, high + 1, shape).astype(dtype.storage)


def _looked_up(parameter: Parameter) -> tuple[int, bool] | None:
    """Extent that the buffer's elements index and whether something is stored through them."""
    best: tuple[int, bool] | None = None
    for use in parameter.uses:
        for tile in use.view.result.users:
            if tile.name != "ktdp.construct_indirect_access_tile":
                continue
            base = tile.base.type.shape
            stored = any(user.name == "ktdp.store" for user in tile.result.users)
            for dim, (view, _) in enumerate(tile.subscripts()):
                if view is use.view.result and base[dim] != t.DYNAMIC:
                    extent = base[dim] if best is None else min(best[0], base[dim])
                    best = extent, stored or (best is not None and best[1])
    return best
