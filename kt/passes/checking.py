"""The oracle: a kernel must mean the same after every pass, down to the decoded artifact.

The kernel runs once by the meaning of its KTIR. After every pass the IR runs on the same inputs, on
the executor as long as it has operations that the executor knows, as an artifact on the simulated
device from DataflowIR on. The first pass after which a buffer differs is the guilty one.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import define, field

from kt.binary import Program
from kt.ir.core import Operation
from kt.ir.diagnostics import InternalError, KtError, RunError, VerifyError
from kt.ir.numbers import DType
from kt.parse import print_op
from kt.passes.base import Pass, PassContext
from kt.passes.compiler import Compilation, DeviceLike, Options
from kt.passes.instruments import Instrument, top_of
from kt.sim.buffers import parameters_of
from kt.sim.compare import Comparison, compare_buffers
from kt.sim.doubt import allowances
from kt.sim.functions import find_function, function_table
from kt.sim.inputs import generate_arguments
from kt.sim.runtime import Report, Runtime
from kt.sim.simulate import by_name, simulate

Arguments = Mapping[str, Any] | Sequence[Any]


@define
class Entry:
    """What the run after one pass gave. ``seconds`` is the time of the run."""

    name: str
    ok: bool
    max_error: float = 0.0
    message: str = ""
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "ok": self.ok, "max_error": self.max_error, "message": self.message}


@define(eq=False)
class CheckReport:
    """One entry per pass, in order; the last one is the first that is not ok, if any."""

    kernel: str
    device: str
    entries: list[Entry] = field(factory=list)
    run: Report | None = None
    """The run of the artifact, once it came to that."""
    context: PassContext | None = None

    @property
    def ok(self) -> bool:
        return bool(self.entries) and all(entry.ok for entry in self.entries)

    @property
    def failed(self) -> Entry | None:
        """The entry of the guilty pass."""
        return next((entry for entry in self.entries if not entry.ok), None)

    @property
    def max_error(self) -> float:
        return max((entry.max_error for entry in self.entries), default=0.0)

    def to_json(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "kernel": self.kernel,
            "device": self.device,
            **(self.run or Report()).to_json(),
            "max_error": self.max_error,
            "passes": [entry.to_json() for entry in self.entries],
        }


class _Guilty(Exception):
    """Ends a check at the first pass that changed the meaning."""


@define(eq=False)
class Oracle(Instrument):
    """The kernel's meaning on one set of inputs, and the comparison of other runs with it."""

    compilation: Compilation
    kernel: Operation
    """The module as it was before the first pass."""
    arguments: dict[str, Any]
    dtypes: dict[str, DType]
    report: CheckReport
    _wanted: dict[str, np.ndarray] | None = None
    _allowed: dict[str, np.ndarray] | None = None
    _last: tuple[Program, dict[str, np.ndarray]] | None = None
    """The artifact that ran last, and what it gave: an equal one needn't run again."""
    _text: str = ""
    """The IR that ran last, likewise."""

    @classmethod
    def of(
        cls, compilation: Compilation, arguments: Arguments | None = None, seed: int = 0
    ) -> Oracle:
        """For a compilation that hasn't begun; missing arguments are generated from ``seed``."""
        module, device = compilation.module, compilation.device
        function = find_function(module, compilation.kernel)
        parameters = parameters_of(function, function_table(module).get)
        given = by_name(arguments if arguments is not None else (), parameters)
        values = generate_arguments(module, function, seed, given)
        dtypes = {p.name: p.dtypes[0] for p in parameters if len(p.dtypes) == 1}
        report = CheckReport(compilation.kernel, str(device.name), context=compilation.context)
        return cls(compilation, module.clone(), values, dtypes, report)

    @property
    def wanted(self) -> dict[str, np.ndarray]:
        """The buffers as the kernel leaves them."""
        if self._wanted is None:
            self._wanted = self._simulate(self.kernel)
        return self._wanted

    def compare(self, found: Mapping[str, np.ndarray]) -> Comparison:
        """Compare the buffers of another run with the kernel's.

        What isn't equal bit by bit must be within what sums and templates allow.
        """
        exact = compare_buffers(self.wanted, found, self.dtypes)
        if exact.ok:
            return exact
        if self._allowed is None:
            ulps = self.compilation.device.ulps
            self._allowed = allowances(
                lambda: self._simulate(self.kernel), self.wanted, self.dtypes, ulps
            )
        return compare_buffers(self.wanted, found, self.dtypes, self._allowed)

    def _simulate(self, module: Operation) -> dict[str, np.ndarray]:
        compilation = self.compilation
        return simulate(
            module, _copies(self.arguments), compilation.kernel, device=compilation.device
        )

    def run_program(self, program: Program) -> dict[str, np.ndarray]:
        """Execute an artifact on a fresh device; the report of the run is kept.

        Accesses that no signal orders are errors, whatever they happen to read.
        """
        if self._last is not None and self._last[0] == program:
            return self._last[1]
        kernel = Runtime(self.compilation.device, hazards=True).load(program)
        found = kernel(_copies(self.arguments))
        self.report.run = kernel.last
        self._last = program, {name: np.asarray(array) for name, array in found.items()}
        return self._last[1]

    def run_module(self, module: Operation) -> dict[str, np.ndarray]:
        """Execute IR of any level."""
        module = module.clone()
        if any(op.name == "dataflow.program_unit" for op in module.walk()):
            return self.run_program(self.compilation.encode(module))
        return self._simulate(module)

    def judge(self, name: str, run: Any) -> None:
        """Add the entry for what ``run()`` gives; raises _Guilty if it is not what it should be."""
        start = time.perf_counter()
        try:
            result = self.compare(run())
        except InternalError:
            raise
        except KtError as error:
            result = Comparison(False, 0.0, str(error))
        seconds = time.perf_counter() - start
        entry = Entry(name, result.ok, result.max_error, result.message, seconds)
        self.report.entries.append(entry)
        if not entry.ok:
            raise _Guilty

    def after(self, item: Pass, op: Operation, ctx: PassContext) -> None:
        if ctx.running:  # passes within passes may leave the module half done
            return
        text = print_op(top_of(op), generic=True)
        if text == self._text:  # the same IR means the same
            self.report.entries.append(Entry(str(item), True, self.report.entries[-1].max_error))
            return
        self._text = text
        self.judge(str(item), lambda: self.run_module(top_of(op)))


def check_kernel(
    module: Operation,
    device: DeviceLike | None = None,
    arguments: Arguments | None = None,
    func: str | None = None,
    seed: int = 0,
    options: Options | None = None,
    passes: Sequence[Pass | str] | None = None,
) -> CheckReport:
    """Compile a kernel and compare the IR after every pass, and the artifact, with its meaning.

    ``passes`` replace the pipeline. Raises KtError when the kernel itself is refused; what goes wrong
    behind the first pass that made a difference is an entry of the report.
    """
    compilation = Compilation.start(module, device, func, options)
    oracle = Oracle.of(compilation, arguments, seed)
    if passes is None:
        compilation.check_legal()
    assert oracle.wanted is not None  # a kernel that does something undefined is refused here
    try:
        compilation.lower(instruments=[oracle], passes=passes)
        program = compilation.encode()
        oracle.judge("encode", lambda: oracle.run_program(program))
        oracle.judge("artifact", lambda: oracle.run_program(_through_bytes(program)))
    except _Guilty:
        pass
    except InternalError as error:
        if not isinstance(error.__cause__, VerifyError):
            raise
        name = getattr(error.details, "pass_name", "")
        oracle.report.entries.append(Entry(name, False, 0.0, error.message))
    return oracle.report



def _through_bytes(program: Program) -> Program:
    """The program as a file would hold it."""
    decoded = Program.from_bytes(program.to_bytes())
    if decoded != program:
        raise RunError("the artifact reads back as another program")
    return decoded


def _copies(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {n: v.copy() if isinstance(v, np.ndarray) else v for n, v in arguments.items()}
