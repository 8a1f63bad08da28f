"""The cold build: joins the grammar files, gives every op its syntax class, has Lark make the tables.

Ops whose syntax is equal share one rule and one token kind. What comes out is kept in the user's cache.
"""

from __future__ import annotations

import importlib
import re
from typing import Any

from attrs import define

from kt.ir import registry
from kt.ir.attributes import BitEnumAttr, EnumAttr
from kt.ir.types import Type
from kt.parse import syntax_api
from kt.parse.grammar import CORE_RULES, attribute_syntax, grammar_dir, load_syntax
from kt.parse.tables import PREFIX

_PLAIN_RULE = re.compile(r'^(\w+):((?: (?:\w+|"(?:[^"\\\n]|\\.)*"))+)\n(?! *\|)', re.MULTILINE)
_QUOTED_TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*')
_RULE = re.compile(r"^[?!]*(\w+)\s*:", re.MULTILINE)
_SYMBOL = re.compile(r'\w+|"(?:[^"\\\n]|\\.)*"')
_TERMINAL = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|\b([A-Z][A-Z0-9_]*)\b')


def build_tables() -> dict[str, Any]:
    """Import every dialect, assemble both grammars and extract Lark's tables."""
    from kt.parse.tables import extract

    texts = assemble()
    data: dict[str, Any] = {
        "core": extract(build_lark(texts.core, ["file"])),
        "attributes": extract(build_lark(texts.attributes, ["type_text", "attr_text"])),
        "words": texts.words,
        "classes": texts.classes,
        "helpers": texts.helpers,
        "names": texts.names,
        "modules": texts.modules,
        "inlined": texts.inlined,
    }
    return data


def build_lark(grammar: str, starts: list[str], **options: Any) -> Any:
    """A ``Lark`` object of an assembled grammar. Its lexer is never run: ours is in the driver."""
    from lark import Lark
    from lark.lexer import Lexer

    class NoLexer(Lexer):
        __future_interface__ = 2

        def __init__(self, conf: Any) -> None:
            pass

        def lex(self, lexer_state: Any, parser_state: Any) -> Any:
            raise RuntimeError("the driver has its own lexer")

    return Lark(grammar, parser="lalr", lexer=NoLexer, start=starts, **options)


@define
class Texts:
    """The assembled grammars and the tables beside them."""

    core: str
    attributes: str
    words: dict[str, tuple[str, str]]
    names: dict[str, str]
    modules: dict[str, str]
    classes: dict[str, str]
    """Syntax classes: right-hand side → kind of the op's name."""
    helpers: dict[str, str]
    """Helper rules of the formats: their bodies → names."""
    inlined: dict[str, list[int]]
    """Hand-written rules without alternatives → positions of their children."""
    problems: list[str]
    """Formats that can't be compiled: mistakes of a dialect's author (their ops stay generic)."""


def assemble() -> Texts:
    """Grammar texts of all known dialects."""
    from kt.parse import formats

    registry.load_all()
    for name in CORE_RULES:
        importlib.import_module(name)
    for dialect in registry.dialect_names():
        load_syntax(dialect)
    modules = {rule: function.__module__ for rule, function in syntax_api.ACTIONS.items()}
    pool = formats.RulePool()
    problems: list[str] = []
    core_text = _read("common", "core", *registry.dialect_names())
    attr_text = _read("common", "attributes", *[f"{d}_attrs" for d in registry.dialect_names()])
    rules = dict.fromkeys(_RULE.findall(core_text), "") | _plain_rules(core_text)
    core, words, classes, inlined = _op_rules(pool, rules, problems)
    core_text = _PLAIN_RULE.sub(lambda m: "" if m[1] in inlined else m[0], core_text)
    attributes, names = _attribute_rules(set(_RULE.findall(attr_text)), problems)
    core_text += "\n".join([*core, *pool.lark(), ""])
    attr_text += "\n".join([*attributes, ""])
    return Texts(
        _rename(core_text), _rename(attr_text), words, names, modules,
        {body: f"$OP_{n}" for body, n in classes.items()}, pool.rules, inlined, problems,
    )  # fmt: skip


def _rename(text: str) -> str:
    """Terminals get a prefix, for Lark names the keyword ``"symbol"`` SYMBOL."""
    return _TERMINAL.sub(lambda m: f"{PREFIX}{m[0]}" if m[1] else m[0], text)


def _read(*names: str) -> str:
    """The grammar files that exist, joined; each must end its last line."""
    files = [grammar_dir() / f"{name}.lark" for name in names]
    return "".join(f.read_text() + "\n" for f in files if f.is_file())


def _plain_rules(text: str) -> dict[str, str]:
    """Rules that are one sequence of symbols, and no callback's: name → right-hand side."""
    found = {m[1]: m[2].strip() for m in _PLAIN_RULE.finditer(text) if m[1] not in syntax_api.ACTIONS}
    used = re.findall(r"(?<![\w\"])[a-z_]\w*\b(?!:)", _QUOTED_TEXT.sub("", text))
    return {name: body for name, body in found.items() if name not in used}


def _op_rules(pool: Any, rules: dict[str, str], problems: list[str]) -> Any:
    """Rules, words and syntax classes of all ops; of a rule in ``rules``, its plain body if it has one.

    A hand-written rule of one plain sequence stands in the class itself: it shares the class of other
    ops of that form, and takes one reduction less.
    """
    from kt.ir.assembly import FormatError
    from kt.parse.formats import compile_syntax

    classes: dict[str, int] = {}
    words: dict[str, tuple[str, str]] = {}
    inlined: dict[str, list[int]] = {}
    elided = {getattr(cls, "default_dialect", None) for cls in registry.OPS.values()} | {"builtin"}
    for name, cls in registry.OPS.items():
        own = syntax_api.SYNTAX.get(name)
        if own is not None:
            body = own.rule
            if body not in rules:
                problems.append(f"{name}: no grammar file has the rule '{body}'")
                continue
            if rules[body]:
                symbols = _SYMBOL.findall(rules[body])
                inlined[body] = [i for i, s in enumerate(symbols) if s[0] != '"']
                body = rules[body]
        elif cls.assembly_format is not None:
            try:
                body = compile_syntax(cls, pool)
            except FormatError as error:
                problems.append(f"{name}: {error}")
                continue
        else:
            continue
        number = classes.setdefault(body, len(classes))
        word = (f"$OP_{number}", name)
        words[name] = word
        dialect, _, short = name.partition(".")
        if dialect in elided and "." not in short:
            words.setdefault(short, word)
    lines = [f"%declare WHOLE {' '.join(f'OP_{n}' for n in classes.values())}"]
    lines.append("?op_body: generic\n  | WHOLE")
    lines += [f"  | OP_{n} {body} -> op_syntax_{n}" for body, n in classes.items()]
    return lines, words, classes, inlined


def _attribute_rules(rules: set[str], problems: list[str]) -> tuple[list[str], dict[str, str]]:
    classes: dict[str, int] = {}
    names: dict[str, str] = {}
    numbers: dict[str, list[int]] = {"!": [], "#": []}
    for name, cls in registry.ATTRIBUTES.items():
        sigil = "!" if issubclass(cls, Type) else "#"
        own = attribute_syntax(sigil, name)
        if own is not None:
            body = own.rule
            if body not in rules:
                problems.append(f"{sigil}{name}: no grammar file has the rule '{body}'")
                continue
        elif issubclass(cls, (EnumAttr, BitEnumAttr)):
            body = "bracketed_words"
        elif not cls.__attrs_attrs__:
            body = ""
        else:
            problems.append(f"{sigil}{name}: has parameters, but no @syntax")
            continue
        number = classes.setdefault(f"{sigil} {body}", len(classes))
        names[sigil + name] = f"$DIALECT_{number}"
        if number not in numbers[sigil]:
            numbers[sigil].append(number)
    lines = [f"%declare {' '.join(f'DIALECT_{n}' for n in classes.values())} UNUSED"]
    for sigil, rule in (("!", "dialect_type"), ("#", "dialect_attr")):
        choices = [f"dialect_syntax_{n}" for n in numbers[sigil]] or ["UNUSED"]
        lines.append(f"?{rule}: {' | '.join(choices)}")
    lines += [f"dialect_syntax_{n}: DIALECT_{n} {body[2:]}" for body, n in classes.items()]
    return lines, names
