"""Print the script that completes kt's commands, options, passes and devices in a shell.

  eval "$(kt completion bash)"          in ~/.bashrc
  eval "$(kt completion zsh)"           in ~/.zshrc
  kt completion fish | source           in config.fish
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence

SCRIPTS = {
    "bash": """\
_kt() {
  local IFS=$'\\n'
  COMPREPLY=($(kt __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -o default -F _kt kt
""",
    "zsh": """\
_kt() {
  local -a found
  found=(${(f)"$(kt __complete "${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( ${#found} )); then compadd -- $found; else _files; fi
}
compdef _kt kt
""",
    "fish": """\
complete -c kt -a '(kt __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
""",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=sorted(SCRIPTS))


def execute(args: argparse.Namespace) -> int:
    print(SCRIPTS[args.shell], end="")
    return 0


def candidates(words: Sequence[str]) -> list[str]:
    """What the last of these words (those behind ``kt``) can become; none: files."""
    from kt.cli import available

    start = words[-1] if words else ""
    before = [w for w in words[:-1] if not w.startswith("-")]
    if not before:
        return _fitting(available(), start)
    name = before[0]
    if name not in available():
        return []
    parser = argparse.ArgumentParser(add_help=True)
    importlib.import_module(f"kt.cli.{name}").add_arguments(parser)
    actions = {flag: action for action in parser._actions for flag in action.option_strings}
    previous = words[-2] if len(words) > 1 else ""
    if previous in actions and actions[previous].nargs != 0 and not start.startswith("-"):
        return _fitting(_values(previous, actions[previous]), start)
    if start.startswith("-"):
        flags = [*actions, "--load"]
        if name == "opt":
            from kt.passes.registry import pass_names

            flags += [f"--{p}" for p in pass_names()]
        return _fitting(flags, start)
    free = [a for a in parser._actions if not a.option_strings]
    values = [v for action in free for v in _values(action.dest, action)]
    return _fitting(values, start)


def _values(name: str, action: argparse.Action) -> list[str]:
    if action.choices is not None:
        return [str(c) for c in action.choices]
    if name.lstrip("-") == "device":
        from kt.arch import shipped_devices

        return list(shipped_devices())
    if name in ("--pass", "--from", "--to", "--against", "--print-ir-after", "--print-ir-before"):
        from kt.passes.registry import pass_names

        return pass_names()
    return []


def _fitting(words: Sequence[str] | dict[str, str], start: str) -> list[str]:
    return sorted(w for w in words if w.startswith(start))
