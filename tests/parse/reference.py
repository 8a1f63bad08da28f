"""Lark's own LALR parser, fed with our tokens: the reference for the driver.

Both give trees of (rule, children…); what they share is only the tokens.
"""

from __future__ import annotations

from typing import Any

from lark import Token, Tree

from kt.ir.diagnostics import Source
from kt.parse.cold_build import assemble, build_lark
from kt.parse.context import Context
from kt.parse.driver import UNFILLED, Language
from kt.parse.tables import PREFIX, extract
from kt.parse.tokens import next_token


class Texts(Context):
    """Leaves the texts of types, attributes and aliases as they are."""

    class Text(str):
        entries = ()

    def type(self, text: str, offset: int) -> Any:
        return text

    def attr(self, text: str, offset: int) -> Any:
        return self.Text(text)

    def alias(self, name: str, offset: int) -> Any:
        return name


class Reference:
    """Builds the grammar of operations once; parses a text with both parsers."""

    def __init__(self) -> None:
        texts = assemble()
        self.lark = build_lark(texts.core, ["file"])
        self.terminals = {
            t.pattern.value: t.name for t in self.lark.terminals if type(t.pattern).__name__ == "PatternStr"
        }
        tables = extract(self.lark)
        self.language = Language(tables, _node, texts.words, {})

    def by_driver(self, text: str) -> Any:
        return self.language.parse(text, "file", Texts(Source("t", text)))

    def by_lark(self, text: str) -> Any:
        context = Texts(Source("t", text))
        parser = self.lark.parse_interactive("", start="file")
        stack = parser.parser_state
        at = 0
        while True:
            state = self.language.states[stack.position]
            if state.always is UNFILLED:
                self.language._fill(state)
            indices = [self.language.states[i] for i in stack.state_stack]
            kind, value, _, at, later = next_token(
                self.language, text, at, state, indices, stack.value_stack, context, 0
            )
            for each, held in ((kind, value), later or (None, None)):
                if each == "$END":
                    return _tree(parser.feed_eof())
                if each is not None:
                    name = f"{PREFIX}{each[1:]}" if each[0] == "$" and len(each) > 1 else self.terminals[each]
                    token = Token(name, "")
                    token.value = held
                    parser.feed_token(token)


def _node(rule: str) -> Any:
    return lambda *children: (rule, children)


def _tree(value: Any) -> Any:
    if isinstance(value, Tree):
        return str(value.data), tuple(_tree(c) for c in value.children)
    return value.value if isinstance(value, Token) else value
