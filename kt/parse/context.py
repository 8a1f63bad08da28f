"""What one parse knows: aliases, and the types and attributes that its texts stand for.

A type or attribute inside an operation is one token. Its text is parsed once (by the grammar of
attributes) and looked up afterwards: in a table of the process if it names no alias, else in one of
this parse.
"""

from __future__ import annotations

import re
from typing import Any

from kt.ir import registry
from kt.ir import types as t
from kt.ir.attributes import Attribute, EnumAttr, OpaqueAttr
from kt.ir.diagnostics import FileLoc, ParseError, Source
from kt.parse.pending import SyntaxFailure, as_failure, fail

_BUILTIN: dict[str, t.Type] = {
    "index": t.index,
    "none": t.none,
    **{f"i{n}": t.IntegerType(n) for n in (1, 4, 8, 16, 32, 64)},
    **{word: t.BuiltinFloatType(word) for word in t.BuiltinFloatType.WIDTHS},
}
_INTEGER = re.compile(r"([su]?)i(0|[1-9][0-9]*)")
_MAX_WIDTH = (1 << 24) - 1
_types: dict[str, t.Type] = {}
_attrs: dict[str, Attribute] = {}
_OLD_FORM = re.compile(r"([#!]\w+)<\s*([A-Za-z_][\w.]*)\s*(.*)>", re.DOTALL)
_HEAD = re.compile(r"[#!]([A-Za-z_][\w.$-]*)")


def plain_type(text: str) -> t.Type | None:
    """The type of a text that has been read before and names no alias; None for any other."""
    return _BUILTIN.get(text) or _types.get(text)


class AliasUse:
    """``#name`` or ``!name``: what it stands for, None until its definition has been read."""

    __slots__ = ("name", "offset", "value")

    def __init__(self, name: str, offset: int) -> None:
        self.name = name
        self.offset = offset
        self.value: Any = None

    def get(self) -> Any:
        """The attribute or type; refuses an alias that isn't defined yet."""
        if self.value is None:
            fail(f"undefined symbol alias id '{self.name[1:]}'",
                 hint=f"define it above: {self.name} = …", at=self.name)  # fmt: skip
        return self.value


class Context:
    """State of one parse."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.aliases: dict[str, AliasUse] = {}
        self.late_locations: list[Any] = []
        self.constants: dict[str, Attribute] = {}
        """Numbers with their types, by their text."""
        self._types: dict[str, t.Type] = {}
        self._attrs: dict[str, Attribute] = {}
        self._used_alias = False

    def location(self, offset: int, length: int = 1) -> FileLoc:
        return FileLoc(self.source, offset, length)

    def alias(self, name: str, offset: int) -> AliasUse:
        self._used_alias = True
        found = self.aliases.get(name)
        if found is None:
            found = self.aliases[name] = AliasUse(name, offset)
        return found

    def builtin_type(self, word: str) -> t.Type | None:
        """The type of a bare word such as ``i32``; None if it isn't one."""
        found = _BUILTIN.get(word)
        if found is None:
            m = _INTEGER.fullmatch(word)
            if m is None:
                return None
            width = int(m[2][:9])
            if width > _MAX_WIDTH:
                fail(f"integer bitwidth is limited to {_MAX_WIDTH} bits")
            found = _BUILTIN[word] = t.IntegerType(width, m[1])
        return found

    def type(self, text: str, offset: int) -> t.Type:
        """The type that ``text`` (at ``offset`` of the file) means."""
        found = _types.get(text) or self._types.get(text)
        return found if found is not None else self._parse("type_text", text, offset, _types, self._types)

    def attr(self, text: str, offset: int) -> Attribute:
        """The attribute that ``text`` means."""
        found = _attrs.get(text) or self._attrs.get(text)
        return found if found is not None else self._parse("attr_text", text, offset, _attrs, self._attrs)

    def _parse(self, start: str, text: str, offset: int, shared: dict, own: dict) -> Any:
        outer, self._used_alias = self._used_alias, False
        try:
            value = self._parse_text(start, text, offset)
        except (ValueError, OverflowError, SyntaxFailure) as error:
            from kt.parse.driver import Failed

            failure = error if isinstance(error, SyntaxFailure) else as_failure(error)
            raise self.refusal(Failed(failure, offset, offset + len(text))) from None
        (own if self._used_alias else shared)[text] = value
        self._used_alias |= outer
        return value

    def refusal(self, error: Any) -> ParseError:
        """The ParseError of a callback's refusal (a ``Failed``), at the name it is about if it says."""
        failure = error.failure
        start, length = error.offset, 1
        found = []
        if failure.name is not None:
            name = re.escape(failure.name)
            if failure.name.isdigit():
                name += f"|(?i:0x0*{int(failure.name):x})"
            word = re.compile(rf"(?<![\w$.#-])(?:{name})(?![\w$.-])")
            found = list(word.finditer(self.source.text, error.offset, error.end))
        if found:
            place = found[-1 if failure.last else 0]
            start, length = place.start(), len(place[0])
        elif error.whole:
            length = error.end - error.offset
        return ParseError(failure.message, self.location(start, length), hint=failure.hint)

    def _parse_text(self, start: str, text: str, offset: int) -> Any:
        if text.startswith("array<"):
            return self._dense_array(text, offset)
        if text[0] in "#!":
            head = _HEAD.match(text)
            if head is not None and self._lookup(text[0], head[1]) is None:
                old = _OLD_FORM.fullmatch(text)
                name = f"{old[1][1:]}.{old[2]}" if old else ""
                cls = self._lookup(text[0], name) if old else None
                if old and cls is not None:
                    body = f"<{old[3]}>" if issubclass(cls, EnumAttr) or not old[3].startswith("<") else old[3]
                    return self._run(start, f"{old[1]}.{old[2]}{body if old[3] else ''}", offset)
                return self._opaque(text, head[1])
        return self._run(start, text, offset)

    @staticmethod
    def _lookup(sigil: str, name: str) -> Any:
        cls = registry.lookup_attribute(name)
        if cls is None or issubclass(cls, t.Type) is not (sigil == "!"):
            return None
        return cls

    @staticmethod
    def _opaque(text: str, name: str) -> Any:
        dialect = name.partition(".")[0]
        if dialect in registry.dialect_names():
            known = sorted(n for n in registry.ATTRIBUTES if n.startswith(f"{dialect}."))
            from kt.parse.diagnostics import nearest

            what = "type" if text[0] == "!" else "attribute"
            fail(f"unknown {what} '{text[0]}{name}'", hint=nearest(name, known))
        return t.OpaqueType(text[1:]) if text[0] == "!" else OpaqueAttr(text[1:])

    def _dense_array(self, text: str, offset: int) -> Attribute:
        from kt.parse.dense import dense_array

        head, _, body = text[6:-1].partition(":")
        element = self.builtin_type(head.strip())
        if element is None:
            if not head.strip():
                fail("expected the type of the elements in 'array<…>'")
            element = self.type(head.strip(), offset + 6)
        items = body.split(",") if body.strip() else []
        return dense_array(element, items)

    def _run(self, start: str, text: str, offset: int) -> Any:
        from kt.parse.diagnostics import as_parse_error
        from kt.parse.driver import Failed, Unexpected
        from kt.parse.grammar import languages

        language = languages().attributes
        try:
            return language.parse(text, start, self, offset)
        except Unexpected as error:
            raise as_parse_error(error, self.source, offset) from None
        except Failed as error:
            raise self.refusal(error) from None
