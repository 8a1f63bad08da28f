"""Run a kernel on NumPy arrays.

An array stands for the buffer that a base-pointer argument (``index``) points to: it is copied into
the simulated global memory, and the memory's contents come back after the run. Its dtype is the
storage type of the views' element type: NumPy's own for f16, f32, f64 and integers (i1: bool or
uint8); for df16, bf16 and other floats that NumPy lacks either unsigned codes of that width or
float32 values, and the result comes back in the same form. Other arguments go by value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import define

from kt.ir import types as t
from kt.ir.core import Operation
from kt.ir.diagnostics import RunError
from kt.ir.numbers import DType, decode, encode, round_to
from kt.sim.arguments import integer
from kt.sim.buffers import Parameter, Ranges, check_displacements
from kt.sim.errors import Fault
from kt.sim.functions import find_function
from kt.sim.inputs import generate_arguments
from kt.sim.machine import GLOBAL, Machine
from kt.sim.memory import ALIGNMENT, Bank
from kt.sim.prepared import Prepared, kept
from kt.sim.run import run_kernel
from kt.sim.shapes import check_shape, layouts
from kt.sim.values import Pointer, View, dtype_of


def simulate(
    module: Operation,
    arguments: Mapping[str, Any] | Sequence[Any] = (),
    func: str | None = None,
    checks: bool = True,
    machine: Machine | None = None,
    memory_map: Mapping[str, int] | None = None,
    *,
    device: Any = None,
    seed: int = 0,
    batch: int | None = None,
) -> dict[str, np.ndarray]:
    """Run a function of a module of any level and return its buffers after the run, by name.

    Parameters
    ----------
    arguments : by name (as in the text, without ``%``), or in order. Missing ones are generated
        from ``seed`` (see :mod:`kt.sim.inputs`).
    func : name of the function; may be left out when only one is called by no other.
    checks : find reads of data that was never written, accesses of different tiles to the same bytes
        that nothing orders, and exchanges that the tiles of a group reach differently often.
    machine : memories to run on; contents of scratchpads last. A new one when absent.
    memory_map : byte addresses in the global memory for buffers by name. A name that is no argument
        is a buffer that the kernel addresses by constants: it is placed there and returned as well.
    device : what resolves memory spaces (see :mod:`kt.sim.machine`) when a machine is made.
    batch : at most so many tiles run as one NumPy operation.

    Results of the function come back as ``result0``, … Raises RunError with the location of the
    operation for anything undefined.
    """
    try:
        kernel = kept(module, func, lambda: Prepared.of(module, find_function(module, func)))
    except Fault as fault:
        raise RunError(fault.message, module.location, hint=fault.hint) from None
    function, parameters = kernel.function, kernel.parameters
    last = machine is None and not memory_map  # placed by hand, buffers may overlap
    machine = machine or Machine(device=device)
    machine.checks = checks
    if machine.device is None:
        machine.aliases.update(kernel.aliases)
    memory_map = memory_map or {}
    given = by_name(arguments, parameters, memory_map)
    values = generate_arguments(module, function, seed, given, parameters)
    _check_shapes(kernel, values)
    bank = machine.bank(GLOBAL)
    before = bank.top
    bank.top = max(bank.top, min(kernel.fixed_end, bank.capacity))
    try:
        arrays = [v for v in values.values() if isinstance(v, np.ndarray)]
        bank.reach(min(bank.capacity, bank.top + sum(v.nbytes + ALIGNMENT for v in arrays)))
        placed = _place(parameters, values, memory_map, bank, kernel.conventions)
        results = run_kernel(
            kernel, [p.value for p in placed[: len(parameters)]], machine, batch=batch
        )
        found = {p.name: p.read(bank, last) for p in placed if p.dtype is not None}
    except Fault as fault:
        raise RunError(fault.message, function.location, hint=fault.hint) from None
    finally:
        bank.release(before)
    types = function.attr("function_type").results
    for i, (value, type) in enumerate(zip(results, types)):
        found[f"result{i}"] = _result(value, type)
    return found


def _result(value: Any, type: t.Type) -> np.ndarray:
    """A result in NumPy's type for it, where there is one."""
    value = np.asarray(value)
    if isinstance(t.element_type_of(type), t.FloatType):
        storage = dtype_of(type).storage
        return value.astype(storage) if storage.kind == "f" else value
    return value


def by_name(
    arguments: Mapping[str, Any] | Sequence[Any],
    parameters: list[Parameter],
    memory_map: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """Arguments by name, from a mapping or in order. RunError for unknown or too many ones."""
    names = [p.name for p in parameters]
    if isinstance(arguments, Mapping):
        strange = [n for n in arguments if n not in names and n not in (memory_map or {})]
        if strange:
            raise RunError(
                f"there is no argument '{strange[0]}'",
                hint=f"the arguments are: {', '.join(names) or 'none'}",
            )
        return dict(arguments)
    if len(arguments) > len(names):
        raise RunError(f"{len(arguments)} arguments for a function of {len(names)}")
    return dict(zip(names, arguments))


# -- binding -------------------------------------------------------------------------------------


def _check_shapes(kernel: Prepared, values: Mapping[str, Any]) -> None:
    """RunError for an array that a view of the kernel would take for another one."""
    pointers = [p for p in kernel.parameters if p.is_pointer and np.ndim(values[p.name]) > 1]
    if not pointers:
        return
    numbers = {p.value: values[p.name] for p in kernel.parameters if not p.is_pointer}
    ranges = Ranges({v: n for v, n in numbers.items() if _is_number(n)}, kernel.grid, {})
    for p in pointers:
        check_shape(p.name, np.shape(values[p.name]), layouts(p, ranges), p.value.location)


@define
class Bound:
    """One argument as it was bound: its run-time value, and for a buffer where it lies."""

    name: str
    value: Any
    dtype: DType | None = None
    address: int = 0
    shape: tuple[int, ...] = ()
    form: np.dtype[Any] | None = None

    def read(self, bank: Bank, last: bool) -> np.ndarray:
        """The buffer's contents in the form in which it was given.

        ``last``: nothing is done with the bank any more, so that its own bytes may be given away (but
        not for a small buffer, which would keep all the others alive).
        """
        assert self.dtype is not None and self.form is not None
        stored = np.ndarray(self.shape, self.dtype.storage, bank.data, self.address)
        if self.form == self.dtype.storage:
            return stored if last and 16 * stored.nbytes > bank.data.nbytes else stored.copy()
        if self.form.kind == "f":
            return np.asarray(decode(stored, self.dtype), self.form)
        return stored.astype(self.form)


def _place(
    parameters: list[Parameter],
    values: Mapping[str, Any],
    memory_map: Mapping[str, int],
    bank: Bank,
    conventions: str,
) -> list[Bound]:
    """Bind all arguments in order, then the buffers that only ``memory_map`` names."""
    bound = []
    for parameter in parameters:
        value = values[parameter.name]
        address = memory_map.get(parameter.name)
        if isinstance(parameter.type, t.MemRefType):
            bound.append(_memref(parameter, value, bank, address))
        elif isinstance(parameter.type, t.TensorType):
            bound.append(Bound(parameter.name, _tensor(parameter, value)))
        elif (isinstance(value, np.ndarray) and value.ndim) or (
            parameter.is_pointer and not _is_number(value)
        ):
            bound.append(_pointer(parameter, np.asarray(value), bank, address, conventions))
        else:
            bound.append(Bound(parameter.name, _scalar(parameter, value)))
    names = {p.name for p in parameters}
    for name, address in memory_map.items():
        if name not in names and name in values:
            array = np.asarray(values[name])
            made = _copy_in(name, array, _own_dtype(array), bank, address)
            bound.append(made)
    return bound


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, np.integer))


def _pointer(
    parameter: Parameter, array: np.ndarray, bank: Bank, address: int | None, conventions: str
) -> Bound:
    check_displacements(parameter)
    dtype = next((d for d in parameter.dtypes if _fits(array, d)), None)
    if dtype is None and parameter.dtypes:
        wanted = " or ".join(f"{d.name} ({_accepted(d)})" for d in parameter.dtypes)
        raise RunError(
            f"argument '{parameter.name}' is an array of {array.dtype}, but the kernel views it as {wanted}",
            parameter.value.location,
            hint=f"convert it: {parameter.name}.astype({_accepted(parameter.dtypes[0]).split(' ')[0]})",
        )
    made = _copy_in(parameter.name, array, dtype or _own_dtype(array), bank, address)
    assert made.dtype is not None
    if not isinstance(parameter.type, t.IndexType):
        raise RunError(
            f"argument '{parameter.name}' of type {parameter.type} can't be an array",
            parameter.value.location,
        )
    unit = 1 if conventions == "scheduler" else made.dtype.itemsize
    made.value = Pointer.of(made.address // unit, made.address)
    return made


def _copy_in(name: str, array: np.ndarray, dtype: DType, bank: Bank, address: int | None) -> Bound:
    """Put an array into the memory, at an address or where there is room."""
    form = array.dtype
    stored = array
    if form != dtype.storage:
        stored = encode(array, dtype) if form.kind == "f" else array.astype(dtype.storage)
    stored = np.ascontiguousarray(stored)
    own = address is None
    if address is None:
        address = bank.allocate(max(stored.nbytes, 1))  # an empty buffer isn't the next one
    end = address + stored.nbytes
    if end > bank.capacity:
        raise Fault(
            f"buffer '{name}' ends at byte {end} of memory {bank.name}, which has {bank.capacity}"
        )
    bank.top = max(bank.top, end)
    bank.reach(end)
    bank.data[address:end] = stored.reshape(-1).view(np.uint8)
    if own:
        bank.hold(name, address, max(end, address + 1))
    elif bank.valid is not None:
        bank.valid[address:end] = 1
    return Bound(name, None, dtype, address, array.shape, form)


def _fits(array: np.ndarray, dtype: DType) -> bool:
    if array.dtype == dtype.storage:
        return True
    if dtype.name == "i1":
        return array.dtype == np.bool_
    return dtype.is_float and dtype.storage.kind != "f" and array.dtype == np.float32


def _accepted(dtype: DType) -> str:
    """NumPy types that an array of this dtype may have."""
    odd = dtype.is_float and dtype.storage.kind != "f"
    return f"np.{dtype.storage.name}" + (" codes or np.float32 values" if odd else "")


def _own_dtype(array: np.ndarray) -> DType:
    """The dtype of an array that no view describes."""
    names = {"f": "f", "i": "i", "u": "ui", "b": "i"}
    if array.dtype.kind not in names:
        raise RunError(f"an array of {array.dtype} can't be put into memory")
    width = 1 if array.dtype.kind == "b" else 8 * array.dtype.itemsize
    return dtype_of(
        {"f": _FLOATS.get(width)}.get(array.dtype.kind)
        or t.IntegerType(width, "u" if array.dtype.kind == "u" else "")
    )


_FLOATS = {16: t.f16, 32: t.f32, 64: t.f64}


def _memref(parameter: Parameter, value: Any, bank: Bank, address: int | None) -> Bound:
    type: Any = parameter.type
    array, dtype = np.asarray(value), dtype_of(type)
    shape = tuple(b if a == t.DYNAMIC else a for a, b in zip(type.shape, array.shape))
    if array.shape != shape or not _fits(array, dtype):
        raise RunError(
            f"argument '{parameter.name}' is {array.dtype} of shape {list(array.shape)}, but the "
            f"function takes {type}",
            parameter.value.location,
        )
    made = _copy_in(parameter.name, array, dtype, bank, address)
    strides = tuple(s // dtype.storage.itemsize for s in np.empty(shape, dtype.storage).strides)
    made.value = View(bank, 0, made.address, shape, strides, dtype)
    return made


def _tensor(parameter: Parameter, value: Any) -> np.ndarray:
    type: Any = parameter.type
    dtype, array = dtype_of(type), np.asarray(value)
    if (
        not _fits(array, dtype)
        or len(array.shape) != len(type.shape)
        or any(a not in (t.DYNAMIC, b) for a, b in zip(type.shape, array.shape))
    ):
        raise RunError(
            f"argument '{parameter.name}' is {array.dtype} of shape {list(array.shape)}, but the "
            f"function takes {type}",
            parameter.value.location,
        )
    return np.asarray(
        decode(array, dtype) if array.dtype == dtype.storage else round_to(array, dtype)
    )


def _scalar(parameter: Parameter, value: Any) -> Any:
    type: Any = getattr(parameter.type, "type", parameter.type)
    if not isinstance(type, (t.IndexType, t.IntegerType, t.FloatType)):
        raise RunError(f"an argument of type {type} can't be given", parameter.value.location)
    dtype = dtype_of(type)
    if isinstance(value, np.ndarray):
        value = value[()]
    if dtype.is_integer:
        value = integer(parameter.name, value, type, parameter.value.location)
        low, high = (0, dtype.max) if dtype.signed is False else (dtype.min, 2 * dtype.max + 1)
        if not low <= value <= max(high, 1):
            raise RunError(f"argument '{parameter.name}': {value} doesn't fit {type}")
    if isinstance(value, np.floating):
        value = float(value)
    found = np.asarray(round_to(value, dtype))[()]
    return int(found) if dtype.is_integer else found
