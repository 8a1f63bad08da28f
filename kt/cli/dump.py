"""Show what an artifact holds: arguments, plans, programs, instructions.

  kt dump kernel.ktb
  kt dump kernel.ktb --json
"""

from __future__ import annotations

import argparse

from kt.cli import common


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.ktb", help="the artifact")
    parser.add_argument("-o", dest="out", metavar="FILE", help="default: standard output")
    common.add_json_option(parser)


def execute(args: argparse.Namespace) -> int:
    from kt.binary import Program

    program = Program.load(args.file)
    if args.json:
        import json

        common.write_text(json.dumps(program.to_json(), indent=1), args.out)
    else:
        common.write_text(program.disassemble(), args.out)
    return 0
