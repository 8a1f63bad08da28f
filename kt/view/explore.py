"""The explorer behind ``kt view``: a state that keys change and that can be drawn at any size.

Nothing here knows the terminal: :meth:`Explorer.press` takes the name of a key, :meth:`Explorer.draw`
gives lines. :mod:`kt.view.keyboard` connects both to a screen.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define, field, frozen
from rich.text import Text

from kt.view.code import cut, paint, pieces
from kt.view.difference import Mark
from kt.view.history import History, Place, Spot, places_of
from kt.view.pipeline import PassDiff, PipelineDiff
from kt.view.terminal import OneColumn, clip, count_lines, dedent, fold_line, milliseconds
from kt.view.themes import Theme, default_theme

HELP = """\
← →         the pass before, the pass after          h l, also
↑ ↓         one line; page up, page down; g G        j k, also
tab         differences / the whole IR
c           jump to the next change (C: the one before)
/           search; n and N: next and previous match
:           jump to an operation, a value or a symbol: scf.for, %a, @f
enter       history of this line, from the kernel to the instructions; enter there goes to the line
b           the binary; enter on an instruction shows where it comes from
s           the kernel's own text
backspace   back to where you were
p           list of passes
?           this help;  q: leave"""


@frozen(eq=False)
class Item:
    """One row of a page: what it shows, and which line of which level it stands for."""

    text: Text
    spot: Spot | None = None
    changed: bool = False


@define(eq=False)
class View:
    """What is on the screen: a page and where one is in it."""

    kind: str
    """``diff``, ``ir``, ``binary``, ``source``, ``history``, ``passes`` or ``help``."""
    stage: int = 0
    cursor: int = 0
    top: int = 0
    places: frozenset[Place] = frozenset()
    label: str = ""


@define(eq=False)
class Explorer:
    """State of the interactive view.

    ``width`` and ``height`` are those of the screen; set them before drawing.
    """

    diff: PipelineDiff
    history: History
    width: int = 100
    height: int = 30
    view: View = field(init=False)
    theme: Theme = field(factory=default_theme)
    done: bool = False
    message: str = ""
    prompt: str = ""
    """``/`` or ``:`` while text is typed, with the text."""
    pattern: str = ""
    _stack: list[View] = field(factory=list)
    _pages: dict[object, list[Item]] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.view = View("diff", self._changed_stage(0, 1) or 0)

    # -- keys --------------------------------------------------------------------------------------

    def press(self, key: str) -> None:
        """React to a key: a character, or ``up``, ``down``, ``left``, ``right``, ``enter``, …"""
        self.message = ""
        if self.prompt:
            self._type(key)
            return
        action = _KEYS.get(key)
        if action is None:
            self.message = f"no command on '{key}'; ? shows the keys"
        else:
            getattr(self, f"_{action[0]}")(*action[1:])

    def _type(self, key: str) -> None:
        if key == "enter":
            kind, text = self.prompt[0], self.prompt[1:]
            self.prompt = ""
            if kind == "/" and text:
                self.pattern = text
                self._find(1, text, "text")
            elif text:
                self._find(1, text, "op")
        elif key == "escape":
            self.prompt = ""
        elif key == "backspace":
            self.prompt = self.prompt[:-1]
        elif len(key) == 1:
            self.prompt += key

    def _ask(self, kind: str) -> None:
        self.prompt = kind

    def _quit(self) -> None:
        self.done = True

    def _move(self, lines: int) -> None:
        self._to(self.view.cursor + lines)

    def _page(self, pages: int) -> None:
        self._to(self.view.cursor + pages * max(1, self.height - 3))

    def _end(self, last: bool) -> None:
        self._to(len(self.page()) - 1 if last else 0)

    def _to(self, line: int) -> None:
        self.view.cursor = max(0, min(line, len(self.page()) - 1))

    def _step(self, by: int) -> None:
        if self.view.kind not in ("diff", "ir"):
            self._back()
            return
        following = self._changed_stage(self.view.stage, by)
        if following is None:
            self.message = "no further pass changed anything" if by > 0 else "this is the first pass"
        else:
            self.view = View(self.view.kind, following)

    def _changed_stage(self, number: int, by: int) -> int | None:
        stages = self.diff.stages
        number += by
        while 0 <= number < len(stages):
            if stages[number].changed or stages[number].error:
                return number
            number += by
        return None

    def _toggle(self) -> None:
        spot = self._spot()
        kind = "ir" if self.view.kind == "diff" else "diff"
        self.view = View(kind, self.view.stage)
        if spot is not None and spot.stage is not None and spot.stage >= 0:
            self._show_line(spot.line)

    def _change(self, by: int) -> None:
        items = self.page()
        k = self.view.cursor
        while 0 <= k < len(items) and items[k].changed:  # out of the change one is in
            k += by
        while 0 <= k < len(items) and not items[k].changed:
            k += by
        if 0 <= k < len(items):
            self._to(k)
        else:
            self.message = "no further change here"

    def _open(self, kind: str) -> None:
        if kind == "binary" and not self.history.binary:
            self.message = "there is no binary: the pipeline ended early"
        elif kind == "source" and self.history.source is None:
            self.message = "the kernel's text is not at hand"
        else:
            self._stack.append(self.view)
            self.view = View(kind, self.view.stage)

    def _back(self) -> None:
        if self._stack:
            self.view = self._stack.pop()
        elif self.view.kind not in ("diff", "ir"):
            self.view = View("diff", self.view.stage)
        else:
            self.message = "nothing to go back to"

    def _enter(self) -> None:
        spot = self._spot()
        if spot is None:
            self.message = "this line stands for no operation"
        elif self.view.kind in ("history", "passes"):
            self._go(spot)
        else:
            places = self._places(spot)
            if not places:
                self.message = "this line has no place in the kernel's text"
                return
            label = " ".join(spot.text.split())
            self._stack.append(self.view)
            self.view = View("history", self.view.stage, places=places, label=label)
            items = self.page()
            here = [k for k, i in enumerate(items) if i.spot and (i.spot.stage, i.spot.line) == (spot.stage, spot.line)]
            self._to(here[0] if here else 0)

    def _go(self, spot: Spot) -> None:
        self._stack.append(self.view)
        kind = "source" if spot.stage == -1 else "binary" if spot.stage is None else "ir"
        self.view = View(kind, spot.stage if spot.stage is not None and spot.stage >= 0 else self.view.stage)
        if spot.line >= 0:
            self._show_line(spot.line)

    def _show_line(self, line: int) -> None:
        for k, item in enumerate(self.page()):
            if item.spot is not None and item.spot.line >= line:
                self._to(k)
                return

    def _again(self, by: int) -> None:
        if self.pattern:
            self._find(by, self.pattern, "text")
        else:
            self.message = "nothing was searched; / searches"

    def _find(self, by: int, text: str, kind: str) -> None:
        """The next row with ``text``: anywhere (``text``), or in a name (``op``); later passes too."""
        items = self.page()
        order = range(self.view.cursor + by, len(items) if by > 0 else -1, by)
        for k in order:
            if _matches(items[k], text, kind):
                self._to(k)
                return
        start = self.view
        if start.kind in ("diff", "ir"):
            number = self._changed_stage(start.stage, by)
            while number is not None:
                self.view = View(start.kind, number)
                items = self.page()
                for k in range(len(items)) if by > 0 else range(len(items) - 1, -1, -1):
                    if _matches(items[k], text, kind):
                        self._to(k)
                        return
                number = self._changed_stage(number, by)
        self.view = start
        self.message = f"'{text}' was not found"

    # -- what is at the cursor ---------------------------------------------------------------------

    def _spot(self) -> Spot | None:
        items = self.page()
        return items[self.view.cursor].spot if items else None

    def _places(self, spot: Spot) -> frozenset[Place]:
        if spot.stage is None:
            place = self.history.binary[spot.line].place
            return frozenset([place]) if place else frozenset()
        if spot.stage == -1:
            # All operations of the input that begin on this line.
            nodes = self.diff.stages[0].tree.nodes
            found = frozenset().union(*(places_of(n.location) for n in nodes))
            return frozenset(p for p in found if p[1] == spot.line + 1)
        listing = self.diff.stages[spot.stage].listing
        node = listing.lines[spot.line].node
        return places_of(listing.tree.nodes[node].location) if node > 0 else frozenset()

    # -- pages -------------------------------------------------------------------------------------

    def page(self) -> list[Item]:
        """All rows of the page on the screen."""
        view = self.view
        key = (view.kind, view.stage if view.kind in ("diff", "ir") else 0, view.places, self.width)
        if key not in self._pages:
            self._pages[key] = list(getattr(self, f"_page_{view.kind}")())
        return self._pages[key]

    def _page_diff(self) -> Iterator[Item]:
        p = self._pass(self.view.stage)
        if p is None:
            yield from self._page_ir()
            return
        for line in count_lines(p.found, self.width, self.theme):
            yield Item(line)
        painter = OneColumn(p.found, self.theme, self.width, True)
        for hunk in p.folded.hunks:
            yield Item(fold_line(hunk.lines, hunk.ops, hunk.place, self.width, self.theme))
            off = dedent(p.found, hunk.rows)
            for row in hunk.rows:
                stage, line = (p.stage, row.new) if row.new is not None else (p.before, row.old)
                assert line is not None
                spot = Spot(stage.number, line, stage.listing.lines[line].text)
                for text in painter.row(row, off):
                    yield Item(text, spot, row.mark is not Mark.SAME)

    def _pass(self, number: int) -> PassDiff | None:
        return next((p for p in self.diff.passes if p.stage.number == number), None)

    def _page_ir(self) -> Iterator[Item]:
        p = self._pass(self.view.stage)
        stage = self.diff.stages[self.view.stage]
        new = {row.new for row in p.found.rows if row.mark is not Mark.SAME} if p else set()
        for k, line in enumerate(stage.listing.lines):
            spot = Spot(stage.number, k, line.text)
            changed = k in new
            row = [("space", " " * line.indent, False), *pieces(line.text)]
            lead = ((f"{k + 1:>4} ", self.theme.dim), ("▎" if changed else " ", self.theme.signs[Mark.NEW]))
            yield Item(paint(cut(row, self.width - 6), Mark.SAME, self.theme, 0, lead), spot, changed)

    def _page_binary(self) -> Iterator[Item]:
        for k, line in enumerate(self.history.binary):
            text = Text(clip(line.text, self.width), no_wrap=True)
            if line.place is None:
                text.stylize(self.theme.title if line.text.startswith((".program", ".stream")) else self.theme.dim)
            else:
                text.stylize(self.theme.dim, line.text.find(";") if ";" in line.text else len(line.text))
            yield Item(text, Spot(None, k, line.text))

    def _page_source(self) -> Iterator[Item]:
        source = self.history.source
        for k, line in enumerate(source.text.split("\n") if source else ()):
            lead = ((f"{k + 1:>4}  ", self.theme.dim),)
            row = cut(pieces(line), self.width - 6)
            yield Item(paint(row, Mark.SAME, self.theme, 0, lead), Spot(-1, k, line))

    def _page_history(self) -> Iterator[Item]:
        for level, spots, more in self.history.of(self.view.places):
            yield Item(Text(clip(f"── {level} ", self.width), self.theme.title))
            for spot in spots:
                row = cut(pieces(spot.text.strip()), self.width - 4)
                yield Item(paint(row, Mark.SAME, self.theme, 0, [("   ", "")]), spot)
            if more:
                yield Item(Text(f"   … {more} more", self.theme.dim))

    def _page_passes(self) -> Iterator[Item]:
        for stage in self.diff.stages:
            text = Text(f"{stage.number:>3} {clip(stage.title, self.width - 30)}", no_wrap=True)
            text.append(f"  {milliseconds(stage.seconds)}", self.theme.dim)
            if not stage.changed:
                text.stylize(self.theme.dim)
            yield Item(text, Spot(stage.number, -1, stage.title))

    def _page_help(self) -> Iterator[Item]:
        for line in HELP.split("\n"):
            yield Item(Text(clip(line, self.width)))

    # -- drawing -----------------------------------------------------------------------------------

    def draw(self) -> list[Text]:
        """The screen: a title, the rows around the cursor, a line of help or a message."""
        items = self.page()
        view, room = self.view, max(1, self.height - 2)
        self._to(view.cursor)
        view.top = max(min(view.top, view.cursor), view.cursor - room + 1, 0)
        rows = [self._title(len(items))]
        for k in range(view.top, min(view.top + room, len(items))):
            text = items[k].text.copy()
            if k == view.cursor:
                text.pad_right(max(0, self.width - text.cell_len))
                text.stylize(self.theme.cursor)
            rows.append(text)
        rows += [Text("~", self.theme.dim) for _ in range(room - len(rows) + 1)]
        rows.append(self._foot())
        for row in rows:
            row.truncate(self.width)
        return rows

    def _title(self, count: int) -> Text:
        stage = self.diff.stages[self.view.stage]
        names = {
            "diff": f"{stage.number} {stage.title}", "ir": f"{stage.number} {stage.title} · whole IR",
            "binary": "binary", "source": "the kernel's text", "passes": "passes", "help": "keys",
            "history": f"history of {self.view.label}",
        }  # fmt: skip
        place = f" {self.view.cursor + 1}/{count} "
        left = clip(f" {self.diff.title} · {names[self.view.kind]} ", self.width - len(place))
        return Text(f"{left}{' ' * (self.width - len(left) - len(place))}{place}", "reverse bold", no_wrap=True)

    def _foot(self) -> Text:
        if self.prompt:
            return Text(clip(f"{self.prompt}█", self.width), "bold")
        if self.message:
            return Text(clip(self.message, self.width), self.theme.error)
        keys = next((k for k in KEYS if len(k) <= self.width), KEYS[-1])
        return Text(clip(keys, self.width), self.theme.dim)


KEYS = (
    "←→ pass  tab diff/IR  c change  / search  : op  enter history  b binary  s source  ? help  q quit",
    "←→ pass  tab IR  c change  / find  : op  enter history  b binary  ? help",
    "←→ pass  tab IR  enter history  ? help",
)
"""What the last line says; the first that fits."""


def _matches(item: Item, text: str, kind: str) -> bool:
    if kind == "text":
        return text.lower() in item.text.plain.lower()
    words = item.spot.text.replace("(", " ").replace("[", " ").replace(",", " ").replace(":", " ") if item.spot else ""
    return any(word == text or word.endswith(f".{text}") for word in words.split())


_KEYS: dict[str, tuple] = {
    "q": ("quit",), "escape": ("back",), "backspace": ("back",), "?": ("open", "help"),
    "right": ("step", 1), "l": ("step", 1), "left": ("step", -1), "h": ("step", -1),
    "down": ("move", 1), "j": ("move", 1), "up": ("move", -1), "k": ("move", -1),
    "pagedown": ("page", 1), " ": ("page", 1), "pageup": ("page", -1),
    "home": ("end", False), "g": ("end", False), "end": ("end", True), "G": ("end", True),
    "tab": ("toggle",), "c": ("change", 1), "C": ("change", -1),
    "/": ("ask", "/"), ":": ("ask", ":"), "n": ("again", 1), "N": ("again", -1),
    "enter": ("enter",), "b": ("open", "binary"), "s": ("open", "source"), "p": ("open", "passes"),
}  # fmt: skip
