"""Tensors that stay on the device, and host arrays on their way there and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import define, field

from kt.binary.model import Argument
from kt.ir.diagnostics import RunError
from kt.ir.numbers import DType, decode, dtype, encode
from kt.sim.engine.stores import Store

if TYPE_CHECKING:
    from kt.sim.runtime import Runtime


@define(eq=False, repr=False)
class Tensor:
    """A buffer in a memory of the device. It lives until it is freed.

    Pass it to a kernel in the place of an array: nothing is copied then. ``address`` counts bytes of the
    memory ``memory.name``.
    """

    runtime: Runtime
    memory: Store
    address: int
    shape: tuple[int, ...]
    dtype: np.dtype
    alive: bool = field(default=True, init=False)

    @property
    def nbytes(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize

    def numpy(self) -> np.ndarray:
        """The contents, copied to the host."""
        self.require()
        return self.memory.get(self.address, self.nbytes).view(self.dtype).reshape(self.shape)

    def write(self, array: Any) -> None:
        """Copy an array of the same shape and type to the device."""
        self.require()
        array = np.asarray(array)
        if array.shape != self.shape or array.dtype != self.dtype:
            raise RunError(
                f"the tensor holds {list(self.shape)} of {self.dtype}, "
                f"the array {list(array.shape)} of {array.dtype}"
            )
        self.memory.put(self.address, array)

    def free(self) -> None:
        """Give the memory back; the tensor can't be used any more. Again: does nothing."""
        if self.alive:
            self.alive = False
            self.memory.forget(self.address, self.nbytes)
            self.runtime.allocator(self.memory).free(self.address, self.nbytes)
            self.runtime.tensors.remove(self)

    def require(self) -> None:
        """RunError if the tensor was freed."""
        if not self.alive:
            raise RunError("the tensor was freed", hint="make a new one with Runtime.tensor")

    def __repr__(self) -> str:
        state = "" if self.alive else ", freed"
        return f"Tensor({list(self.shape)} of {self.dtype} in {self.memory.name} at {self.address}{state})"


def to_storage(argument: Argument, value: Any) -> np.ndarray:
    """An array as the device's memory holds it.

    Besides the storage type, float32 arrays are taken for types that NumPy lacks, and booleans for i1.
    """
    array = np.asarray(value)
    if array.dtype == object:
        raise RunError(f"argument '{argument.name}' can't be {value!r}: it is a buffer")
    if not argument.dtype:
        return np.ascontiguousarray(array)
    form = dtype(argument.dtype)
    if array.dtype != form.storage:
        if not fits(array.dtype, form):
            raise RunError(
                f"argument '{argument.name}' has elements of type {array.dtype}, "
                f"the kernel's view has {argument.dtype}",
                hint=f"pass an array of {form.storage}",
            )
        array = encode(array, form)
    return np.ascontiguousarray(array)


def from_storage(argument: Argument, stored: np.ndarray, like: np.dtype) -> np.ndarray:
    """What the memory holds, in the type that the array was given in."""
    if not argument.dtype or like == stored.dtype:
        return stored
    return np.asarray(decode(stored, dtype(argument.dtype)), like)


def fits(given: np.dtype, form: DType) -> bool:
    """Whether an array of this type holds values of ``form``."""
    if form.name == "i1":
        return given == np.bool_
    return form.is_float and form.storage.kind != "f" and given == np.float32
