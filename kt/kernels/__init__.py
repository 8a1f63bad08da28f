"""Kernels written in Python: a function that is run once, and writes down what it would compute.

>>> @kernel(grid=8, x="f16[96, 64]", y="f16[96, 64]", out="f16[96, 64]")
... def add(tile, x, y, out):
...     rows = tile * 12
...     out[rows:12, 0:64] = x[rows:12, 0:64] + y[rows:12, 0:64]
>>> print(add.text.splitlines()[0])
func.func @add(%x: index, %y: index, %out: index) attributes {grid = [8]} {

``x[start:size, …]`` is an access tile: ``size`` elements from ``start`` on in each dimension. Reading one
loads it; arithmetic on the loaded arrays broadcasts as in NumPy. A dimension of a tensor may be named
after a parameter of the kernel (``"f16[n, 64]"`` with ``n="index"``). ``for row in tile.range(n)`` is a loop.
"""

from __future__ import annotations

from kt.kernels.decorator import Kernel, kernel

__all__ = ["Kernel", "kernel"]
