"""What a kernel's text says about its arguments, and programs no longer do."""

from __future__ import annotations

from typing import Any, Self

from attrs import evolve, frozen

from kt.binary import Program
from kt.binary.model import ADDRESS, Argument
from kt.binary.spans import Spans
from kt.ir.core import Operation
from kt.ir.diagnostics import RunError
from kt.sim.buffers import Parameter, Ranges, buffer_shape, calls, parameters_of
from kt.sim.functions import find_function, function_table
from kt.sim.run import grid_of
from kt.sim.shapes import Layout


@frozen(eq=False)
class Signature:
    """Which arguments are buffers, of what type, shape and size."""

    arguments: tuple[Argument, ...]
    spans: Spans

    @classmethod
    def of(cls, module: Operation, name: str) -> Self:
        """From the KTIR of a kernel."""
        function: Any = find_function(module, name)
        lookup = function_table(module).get
        ranges = Ranges({}, grid_of(function), calls(function, lookup))
        parameters = parameters_of(function, lookup)
        views = {
            i: [(use.view, use.dtype.itemsize) for use in p.uses if not use.displaced]
            for i, p in enumerate(parameters)
        }
        arguments = tuple(_argument(p, ranges) for p in parameters)
        return cls(arguments, Spans.of(function, views))

    def added_to(self, program: Program) -> Program:
        """The program, with what is known about its arguments."""
        arguments = tuple(map(_complete, program.arguments, self.arguments))
        return self.spans.added_to(evolve(program, arguments=arguments))


def _complete(found: Argument, known: Argument) -> Argument:
    """What programs do with an argument, and what the kernel says about it."""
    if known.kind != ADDRESS:
        return found
    if found.kind != ADDRESS:  # a pointer that no program uses
        return known
    return evolve(found, dtype=known.dtype, shape=known.shape)


def _argument(parameter: Parameter, ranges: Ranges) -> Argument:
    if not parameter.is_pointer:
        return Argument(parameter.name, "scalar", str(parameter.type))
    try:
        shape, dtype = buffer_shape(parameter, ranges)
    except RunError:  # it depends on scalars of the launch
        use = next((u for u in parameter.uses if not u.displaced), parameter.uses[0])
        shape, dtype = tuple(n if n >= 0 else -1 for n in use.view.type.shape), use.dtype
        if use.displaced or use.view.static_strides.values[-len(shape) :] != Layout.dense(shape).strides:
            shape = (-1,)
    return Argument(parameter.name, ADDRESS, dtype.name, shape=shape, minimum=0)
