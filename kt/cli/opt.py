"""Parse IR, run passes, print it: mlir-opt's habits.

Every pass is a flag, run in the order given; FILE may be '-' (the default) for standard input.

passes
  kt opt kernel.mlir --canonicalize --plan-schedule=mode=upstream
  kt opt kernel.mlir --device toy --pass-pipeline='builtin.module(normalize-ktir,canonicalize)'
  kt opt kernel.mlir --device toy --apply-patterns=pre_scheduling --pattern-stats
printing
  kt opt kernel.mlir --generic | kt opt -
  kt opt kernel.mlir --device toy --normalize-ktir --print-ir-after-change -o /dev/null
looking inside
  kt opt kernel.mlir --canonicalize --debug-only=canonicalize --timing
  kt opt kernel.mlir --cse --crash-reproducer=bug.mlir; kt opt --run-reproducer bug.mlir
tests
  kt opt cases.mlir --split-input-file --verify-diagnostics
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kt.cli.common import add_remarks_option, print_remarks, read_source, write_text
from kt.cli.errors import print_diagnostics
from kt.ir.diagnostics import KtError, PassError

_SPELLINGS = {
    "--mlir-print-op-generic": "--generic",
    "--mlir-print-debuginfo": "--locations",
    "--mlir-print-ir-after-all": "--print-ir-after-all",
    "--mlir-print-ir-before-all": "--print-ir-before-all",
    "--mlir-print-ir-after-change": "--print-ir-after-change",
    "--mlir-print-ir-after": "--print-ir-after",
    "--mlir-print-ir-before": "--print-ir-before",
    "--mlir-timing": "--timing",
    "--mlir-pass-pipeline-crash-reproducer": "--crash-reproducer",
}
_SWITCHES = ("--verify-each", "--allow-unregistered-dialect")


def rewrite(argv: Sequence[str]) -> list[str]:
    """Arguments with mlir-opt's spellings as ours, and pass flags as ``--run=PASS``."""
    from kt.passes.registry import pass_names

    known, found, only_operands = set(pass_names()), [], False
    words = iter(_reproduced(list(argv)))
    for text in words:
        only_operands = only_operands or text == "--"
        if only_operands or not text.startswith("-") or text == "-":
            found.append(text)
            continue
        flag, equals, value = text.partition("=")
        flag = f"-{flag}" if len(flag) > 2 and not flag.startswith("--") else flag
        flag = _SPELLINGS.get(flag, flag)
        if flag == "--apply-patterns":
            groups = f"=groups={value}" if value else ""
            found.append(f"--run=--ktdfarch-apply-patterns{groups}")
        elif flag.removeprefix("--") in known:
            found.append(f"--run={text}")
        elif flag == "--pass-pipeline" and (equals or (value := next(words, "")) != ""):
            found.append(f"--run=--pass-pipeline={value}")
        elif flag in _SWITCHES:
            found.append(f"{flag}={value or 'true'}")
        else:
            found.append(f"{flag}{equals}{value}")
    return found


def _switch(text: str) -> bool:
    if text in ("true", "1", "false", "0"):
        return text in ("true", "1")
    raise argparse.ArgumentTypeError(f"expected true or false, not '{text}'")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", nargs="?", default="-", help="IR text; '-' is standard input")
    add("-o", dest="out", metavar="FILE", help="where to write (default: standard output)")
    add("--run", action="append", default=[], help=argparse.SUPPRESS)
    _pass_options(parser.add_argument_group("passes"))
    _print_options(parser.add_argument_group("printing"))
    add = parser.add_argument_group("reading").add_argument
    add(
        "--allow-unregistered-dialect", type=_switch, default=True, metavar="BOOL",
        help="accept operations that no dialect knows, in generic form (default: true)",
    )  # fmt: skip
    add("--lenient", action="store_true", help="accept contradictions that upstream's tools accept")
    add(
        "--conventions", choices=("kt", "scheduler", "ktir-cpu"),
        help="set the module attribute that says how addresses and tiles are counted",
    )  # fmt: skip
    _debug_options(parser.add_argument_group("looking inside"))
    add = parser.add_argument_group("tests").add_argument
    add("--split-input-file", action="store_true", help="parts between '// -----' are apart")
    add(
        "--verify-diagnostics", action="store_true",
        help="compare messages with '// expected-error@+1 {{text}}' comments; print nothing else",
    )  # fmt: skip


def _pass_options(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--list-passes", action="store_true", help="name all passes, with one line each")
    add("--device", metavar="D", help="the device that passes ask")
    add("--pass-pipeline", metavar="P", help="passes as text: 'builtin.module(a,b{option=1})'")
    add(
        "--apply-patterns", metavar="GROUPS", nargs="?",
        help="run the device's patterns: those without a group, and those of GROUPS (pre_scheduling, …)",
    )  # fmt: skip
    add("--pattern-stats", action="store_true", help="say which patterns fired, and how often")
    add("--verify-each", type=_switch, default=True, metavar="BOOL", help="verify after every pass")


def _print_options(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--generic", action="store_true", help="print the generic form (--mlir-print-op-generic)")
    add("--locations", action="store_true", help="print locations (--mlir-print-debuginfo)")
    add("--print-ir-after-all", action="store_true", help="print the IR after every pass")
    add("--print-ir-before-all", action="store_true", help="print the IR before every pass")
    add("--print-ir-after-change", action="store_true", help="after passes that changed it only")
    add("--print-ir-after", metavar="PASSES", action="append", default=[], help="after these passes")
    add("--print-ir-before", metavar="PASSES", action="append", default=[], help="before these")


def _debug_options(group: argparse._ArgumentGroup) -> None:
    add_remarks_option(group)
    add = group.add_argument
    add("--timing", action="store_true", help="print the time of every pass")
    add(
        "--debug-only", metavar="PASSES", action="append", default=[],
        help="say what these passes did (names or patterns): rules with their places, counts, remarks",
    )  # fmt: skip
    add(
        "--crash-reproducer", metavar="FILE",
        help="where to write a reproducer if a pass crashes (default: a temporary file, which is named)",
    )  # fmt: skip
    add("--run-reproducer", action="store_true", help="FILE is a reproducer: run the passes that it names")


def _reproduced(argv: list[str]) -> list[str]:
    """``--run-reproducer FILE`` with the options that the file's first line names."""
    if "--run-reproducer" not in argv:
        return argv
    for path in argv:
        if Path(path).is_file():
            with open(path, encoding="utf-8", errors="replace") as file:
                words = shlex.split(file.readline().removeprefix("//"), comments=False)
            if words[:2] == ["kt", "opt"]:
                return [*words[2:], *argv]
    raise KtError(
        "no reproducer among the files", hint="its first line is '// kt opt --pass-pipeline=…'", code="option"
    )


def execute(args: argparse.Namespace) -> int:
    from kt.passes.manager import PassManager, Timing, list_passes, passes_from_flags

    if args.list_passes:
        for cls in list_passes():
            print(f"{cls.name:<34}{cls.summary()}")
        return 0
    passes = passes_from_flags(args.run)
    text, name = read_source(args.file)
    timing = Timing()
    manager = PassManager(
        passes,
        verify_each=args.verify_each,
        instruments=[*_printing(args), *_debugging(args), *([timing] if args.timing else [])],
        keep_input=True,
        lenient=args.lenient,
    )
    if args.verify_diagnostics:
        return _verify_diagnostics(args, text, name, manager)
    try:
        parts, errors = _transform_all(args, text, name, manager)
    finally:
        if args.timing:
            print(timing.report(), file=sys.stderr)
    for error in errors:
        print_diagnostics(error.diagnostics)
    if not errors or (parts and args.out is None):
        write_text("\n// -----\n\n".join(parts), args.out)
    return 1 if errors else 0


def _transform_all(args: argparse.Namespace, text: str, name: str, manager: Any) -> tuple[list[str], list[KtError]]:
    """The printed parts of a text, and what was wrong with the others if they are apart."""
    parts, errors = [], []
    for part, first in _parts(args, text):
        try:
            parts.append(_one(args, "\n" * first + part, name, manager))
        except KtError as error:
            if not args.split_input_file:
                raise
            errors.append(error)
    return parts, errors


def _verify_diagnostics(args: argparse.Namespace, text: str, name: str, manager: Any) -> int:
    """Exit code 0 if every part gives exactly the messages that its comments expect."""
    from kt.cli.expected import unmet
    from kt.passes.base import PassContext

    problems = []
    for part, first in _parts(args, text):
        padded, context = "\n" * first + part, PassContext()
        produced = []
        try:
            _transform(args, padded, name, manager, context)
        except KtError as error:
            produced = error.diagnostics
        problems += unmet(padded, name, [*context.remarks, *produced])
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def _parts(args: argparse.Namespace, text: str) -> list[tuple[str, int]]:
    from kt.parse import split_input

    return split_input(text) if args.split_input_file else [(text, 0)]


def _one(args: argparse.Namespace, text: str, name: str, manager: Any) -> str:
    """The text of one module after the passes."""
    from kt.parse import print_op
    from kt.passes.base import PassContext

    context = PassContext()
    module = _transform(args, text, name, manager, context)
    print_remarks(context, args.remarks)
    if args.pattern_stats:
        _pattern_stats(context)
    return print_op(module, generic=args.generic, locations=args.locations)


def _transform(args: argparse.Namespace, text: str, name: str, manager: Any, context: Any) -> Any:
    """The module of a text, verified, after the passes."""
    from kt.parse import parse_text

    module = parse_text(text, name, allow_unregistered=args.allow_unregistered_dialect)
    if args.conventions:
        from kt.ir.attributes import StringAttr

        module.attributes["kt.conventions"] = StringAttr(args.conventions)
    _load_devices(args, module, manager, context)
    if not manager.verify_each or not manager.passes:
        from kt.ir.verifier import verify

        verify(module, args.lenient)
    try:
        manager.run(module, context)
    except PassError as error:
        if context.device is None and error.hint is None:
            error.diagnostics[0].hint = "a device may be missing: --device"
        raise
    return module


def _pattern_stats(context: Any) -> None:
    """How often each pattern of the device fired, most frequent first."""
    from kt.passes.common.ktdfarch_apply_patterns import KtdfarchApplyPatterns

    name = KtdfarchApplyPatterns.name
    fired = {rule: n for (owner, rule), n in context.statistics.items() if owner == name}
    for rule, count in sorted(fired.items(), key=lambda item: -item[1]):
        print(f"{count:6}  {rule}", file=sys.stderr)
    if not fired:
        print("no pattern fired", file=sys.stderr)


def _load_devices(args: argparse.Namespace, module: Any, manager: Any, context: Any) -> None:
    """The device that passes ask; it is loaded for them only, as that takes a while."""
    if args.device or manager.passes:
        from kt.arch import device_ops, load_device

        if args.device:
            context.options["device"] = args.device
            context.device = load_device(args.device)
        if manager.passes and device_ops(module):
            context.device = load_device(module)


def _printing(args: argparse.Namespace) -> list[Any]:
    from kt.passes.manager import PrintIR, lookup_pass

    def names(given: list[str], everything: bool) -> frozenset[str] | None:
        listed = frozenset(n.strip() for text in given for n in text.split(","))
        for name in sorted(listed):
            lookup_pass(name)
        return None if everything else listed

    after = names(args.print_ir_after, args.print_ir_after_all or args.print_ir_after_change)
    before = names(args.print_ir_before, args.print_ir_before_all)
    if after == before == frozenset():
        return []
    return [PrintIR(after, before, only_changes=args.print_ir_after_change, out=sys.stderr)]


def _debugging(args: argparse.Namespace) -> list[Any]:
    from kt.passes.manager import DebugLog

    names = frozenset(n.strip() for text in args.debug_only for n in text.split(","))
    return [DebugLog(names, sys.stderr)] if names else []
