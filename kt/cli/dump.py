"""Show what an artifact holds: arguments, plans, programs, instructions.

kt dump kernel.ktb
kt dump kernel.ktb --json
kt dump kernel.ktb --spyrecode exported    (job plan as JSON, program image; kt launch reads it)
"""

from __future__ import annotations

import argparse

from kt.cli import common


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.ktb", help="the artifact; '-' reads standard input")
    parser.add_argument("-o", dest="out", metavar="FILE", help="default: standard output")
    parser.add_argument(
        "--spyrecode", metavar="DIR", help="write a SpyreCode directory instead of text"
    )
    common.add_json_option(parser)


def execute(args: argparse.Namespace) -> int:
    from kt.cli.launch import load

    program = load(args.file)
    if args.spyrecode is not None:
        from kt.binary.spyrecode import export_directory

        print(export_directory(program, args.spyrecode))
    elif args.json:
        import json

        common.write_text(json.dumps(program.to_json(), indent=1), args.out)
    else:
        common.write_text(program.disassemble(), args.out)
    return 0
