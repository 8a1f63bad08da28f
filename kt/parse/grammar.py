"""The grammars as they are used: tables from the cache, and what is called when a rule is read.

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
from kt.parse import cache, syntax_api
from kt.parse.driver import Language
from kt.parse.pending import Pending, fail

_QUOTED = re.compile(r'"(\w+)"')
CORE_RULES = ("kt.parse.core_actions", "kt.parse.attr_actions", "kt.parse.directives")


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
            from kt.parse.cold_build import build_tables

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
        for name in CORE_RULES:
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


def attribute_syntax(sigil: str, name: str) -> syntax_api.OpSyntax | None:
    """Hand-written syntax of a type (``!``) or attribute (``#``); an op may have the same name."""
    own = syntax_api.SYNTAX.get(sigil + name)
    return own or (syntax_api.SYNTAX.get(name) if name not in registry.OPS else None)
