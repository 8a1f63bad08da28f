"""Joins the grammar files, gives every op its syntax class, and has Lark build the tables.

Two grammars: *attributes* (types and attributes in full) and *core* (operations, in which a whole
type or attribute is one token). Dialect files are joined as text, one namespace. Ops whose syntax is
equal share one rule and one token kind; which op it is, its name tells at run time.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Callable
from functools import cache as memoized
from pathlib import Path
from typing import Any

from attrs import define

from kt.ir import registry
from kt.ir.attributes import BitEnumAttr, EnumAttr
from kt.ir.types import Type
from kt.parse import cache, syntax_api
from kt.parse.driver import Language
from kt.parse.pending import Pending, fail
from kt.parse.tables import PREFIX

_QUOTED = re.compile(r'"(\w+)"')
_CORE_RULES = ("kt.parse.core_actions", "kt.parse.attr_actions", "kt.parse.directives")


def grammar_dir() -> Path:
    """Where the ``.lark`` files are: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "grammars"
    return inside if inside.is_dir() else package.parent / "grammars"


@define
class Languages:
    """Both grammars, ready to run, and where the callbacks of their rules are."""

    core: Language
    attributes: Language
    modules: dict[str, str]
    inlined: dict[str, list[int]]
    """Hand-written rules that stand in their syntax class itself: which symbols are children."""


_loaded: Languages | None = None


def languages() -> Languages:
    """The grammars: from the cache, else built by Lark (about a second) and cached."""
    global _loaded
    if _loaded is None:
        key = cache.fingerprint(grammar_dir())
        data = cache.load(key)
        if data is None:
            data = build_tables()
            cache.store(key, data)
        _loaded = _load(data)
    return _loaded


def _load(data: dict[str, Any]) -> Languages:
    modules: dict[str, str] = data["modules"]
    callbacks = Callbacks(modules)
    core = Language(data["core"], callbacks, data["words"], {})
    core.adopt = Adopter(core, data["classes"], data["helpers"])
    core.fuse = memoized(Fuses(data["classes"], data["helpers"]))
    return Languages(
        core,
        Language(data["attributes"], callbacks, {}, data["names"]),
        modules,
        data["inlined"],
    )


class Adopter:
    """Finds the syntax class of an op that was declared after the tables were built."""

    def __init__(self, language: Language, classes: dict[str, str], helpers: dict[str, str]) -> None:
        self.language = language
        self.classes = classes
        self.helpers = helpers
        self.refused: set[str] = set()

    def __call__(self, name: str) -> bool:
        """Whether ``name`` is an op whose format some other op has too; it is a known word then."""
        if name in self.refused:
            return False
        cls = registry.lookup_op(name)
        if cls is None:
            return False
        if cls.assembly_format is not None and name not in syntax_api.SYNTAX:
            from kt.parse.formats import RulePool, compile_syntax

            kind = self.classes.get(compile_syntax(cls, RulePool(dict(self.helpers))))
            if kind is not None:
                self.language.words[name] = (kind, name)
                return True
        self.refused.add(name)
        return False


class Fuses:
    """Makes the matcher of whole operations of a syntax class."""

    def __init__(self, classes: dict[str, str], helpers: dict[str, str]) -> None:
        self.bodies = {kind: body for body, kind in classes.items()}
        found = ((name, key.partition(" ")) for key, name in helpers.items())
        self.keywords = {
            name: tuple(_QUOTED.findall(body)) for name, (kind, _, body) in found if kind == "keywords"
        }

    def __call__(self, kind: str) -> Any:
        from kt.parse.fused import compile_constant, compile_fuse

        body = self.bodies.get(kind, "")
        if body == "attr_dict arith_value":
            return compile_constant(build_op, syntax_api.ACTIONS["attr_typed_number"])
        return compile_fuse(body, self.keywords, build_op)


class Callbacks:
    """Finds the callback of a rule; imports the syntax module that has it on first use."""

    def __init__(self, modules: dict[str, str]) -> None:
        self.modules = modules
        for name in _CORE_RULES:
            importlib.import_module(name)

    def __call__(self, rule: str) -> Callable[..., Any] | None:
        if rule.startswith("op_syntax_"):
            return build_op
        if rule.startswith("dialect_syntax_"):
            return build_attribute
        if rule.startswith("format_clause"):
            number = int(rule.split("_")[1][6:])
            return lambda *children: (number, children)
        if rule == "first_choice":
            return lambda *children: (True, children)
        if rule == "second_choice":
            return lambda *children: (False, children)
        module = self.modules.get(rule)
        if module is not None:
            importlib.import_module(module)
        return syntax_api.ACTIONS.get(rule)


_builders: dict[str, Callable[[Any], Pending]] = {}
_attribute_builders: dict[str, Callable[..., Any]] = {}


def build_op(parts: Any) -> Pending:
    """The record of an op in custom form, from all symbols of its rule: name first, literals too."""
    name = parts[0]
    build = _builders.get(name)
    if build is None:
        build = _builders[name] = _make_builder(name)
    return build(parts)


build_op.takes_parts = True  # type: ignore[attr-defined]


def _make_builder(name: str) -> Callable[[Any], Pending]:
    cls = registry.lookup_op(name)
    load_syntax(name.partition(".")[0])
    found = syntax_api.SYNTAX.get(name)
    if found is not None:
        build = found.build
        picks = languages().inlined.get(found.rule)
        if picks is not None:
            children = "".join(f", c[{i + 1}]" for i in picks)
            return eval(f"lambda c: build(cls{children})", {"build": build, "cls": cls})
        return lambda c: build(cls, *c[1]) if type(c[1]) is tuple else build(cls, c[1])
    from kt.parse.format_builder import compile_builder

    return compile_builder(cls)


def build_attribute(name: str, *children: Any) -> Any:
    """A dialect's type or attribute from the children of its rule; ``name`` has its sigil."""
    build = _attribute_builders.get(name)
    if build is None:
        build = _attribute_builders[name] = _make_attribute_builder(name[0], name[1:])
    return build(*children)


def _make_attribute_builder(sigil: str, name: str) -> Callable[..., Any]:
    cls: Any = registry.lookup_attribute(name)
    load_syntax(name.partition(".")[0])
    found = attribute_syntax(sigil, name)
    if found is not None:
        build = found.build
        return lambda c=(): build(cls, *c) if type(c) is tuple else build(cls, c)
    if issubclass(cls, BitEnumAttr):
        return lambda words: cls(cls.separator.join(words))
    if issubclass(cls, EnumAttr):
        return lambda words: _enum(cls, words)
    return cls


def _enum(cls: Any, words: tuple[str, ...]) -> Any:
    if len(words) != 1 or words[0] not in cls.cases:
        fail(f"expected one of {', '.join(cls.cases)} for #{cls.name}, got '{', '.join(words)}'")
    return cls(words[0])


_syntax_loaded: set[str] = set()


def load_syntax(dialect: str) -> None:
    """Import ``kt.parse.syntax.<dialect>`` if there is one."""
    if dialect not in _syntax_loaded:
        _syntax_loaded.add(dialect)
        module = f"kt.parse.syntax.{dialect}"
        if importlib.util.find_spec(module) is not None:
            importlib.import_module(module)


# -- cold build ------------------------------------------------------------------------------------


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
    for name in _CORE_RULES:
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


_TERMINAL = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|\b([A-Z][A-Z0-9_]*)\b')


def _rename(text: str) -> str:
    """Terminals get a prefix, for Lark names the keyword ``"symbol"`` SYMBOL."""
    return _TERMINAL.sub(lambda m: f"{PREFIX}{m[0]}" if m[1] else m[0], text)


_RULE = re.compile(r"^[?!]*(\w+)\s*:", re.MULTILINE)


def _read(*names: str) -> str:
    """The grammar files that exist, joined; each must end its last line."""
    files = [grammar_dir() / f"{name}.lark" for name in names]
    return "".join(f.read_text() + "\n" for f in files if f.is_file())


_PLAIN_RULE = re.compile(r'^(\w+):((?: (?:\w+|"(?:[^"\\\n]|\\.)*"))+)\n(?! *\|)', re.MULTILINE)
_SYMBOL = re.compile(r'\w+|"(?:[^"\\\n]|\\.)*"')


def _plain_rules(text: str) -> dict[str, str]:
    """Rules that are one sequence of symbols, and no callback's: name → right-hand side."""
    found = {m[1]: m[2].strip() for m in _PLAIN_RULE.finditer(text) if m[1] not in syntax_api.ACTIONS}
    used = re.findall(r"(?<![\w\"])[a-z_]\w*\b(?!:)", _QUOTED_TEXT.sub("", text))
    return {name: body for name, body in found.items() if name not in used}


_QUOTED_TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*')


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


def attribute_syntax(sigil: str, name: str) -> syntax_api.OpSyntax | None:
    """Hand-written syntax of a type (``!``) or attribute (``#``); an op may have the same name."""
    own = syntax_api.SYNTAX.get(sigil + name)
    return own or (syntax_api.SYNTAX.get(name) if name not in registry.OPS else None)


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
