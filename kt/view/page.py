"""Differences as one HTML page that needs nothing else: passes to unfold, hunks, a list to jump by."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from kt.view.difference import Difference, Mark, Row
from kt.view.listing import Line
from kt.view.pipeline import PassDiff, PipelineDiff
from kt.view.screen import notes_of
from kt.view.terminal import dedent, milliseconds, plural, ranked
from kt.view.themes import DARK, LIGHT, Theme
from kt.view.tokens import changed_words, tokens

_CLASSES = {Mark.OLD: "old", Mark.NEW: "new", Mark.LEFT: "left", Mark.CAME: "came", Mark.SAME: "same"}


def page(diff: PipelineDiff) -> str:
    """The whole file."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(diff.title)}</title><style>{style()}</style></head>\n<body>\n"
        f"{_body(diff)}\n<script>{_SCRIPT}</script>\n</body></html>\n"
    )


def fragment(diff: PipelineDiff) -> str:
    """For a notebook cell: the same without page and script."""
    return f"<style>{style('.kt-diff')}</style>{_body(diff, nav=False)}"


def _body(diff: PipelineDiff, nav: bool = True) -> str:
    shown = diff.shown
    parts = ['<div class="kt-diff">']
    if nav and len(diff.passes) > 1:
        parts.append(f"<nav><h1>{escape(diff.title)}</h1>{_list(diff, shown)}</nav>")
    parts.append("<main>")
    parts += [_pass(p, diff) for p in shown]
    if not shown:
        parts.append("<p>no difference</p>")
    parts.append("</main></div>")
    return "\n".join(parts)


def _list(diff: PipelineDiff, shown: list[PassDiff]) -> str:
    rows = []
    for p in diff.passes:
        old, new = len(p.before.tree.nodes) - 1, len(p.stage.tree.nodes) - 1
        label = f"<i>{p.stage.number}</i> {escape(p.stage.title)}"
        if p in shown:
            label = f'<a href="#pass{p.stage.number}">{label}</a>'
        kind = "error" if p.stage.error else ("" if p.changed else "dim")
        delta = f"{new - old:+d}" if new != old else ""
        rows.append(
            f'<tr class="{kind}"><td>{label}</td><td>{milliseconds(p.stage.seconds)}</td>'
            f"<td>{new}</td><td>{delta}</td></tr>"
        )
    return f"<table>{''.join(rows)}</table>"


def _pass(p: PassDiff, diff: PipelineDiff) -> str:
    stage = p.stage
    single = len(diff.stages) == 2 and stage.seconds == 0
    title = f"{p.before.title} → {stage.title}" if single else stage.title
    number = "" if single else f"<i>{stage.number}</i> "
    time = "" if single else f"<small>{milliseconds(stage.seconds)}</small>"
    parts = [f'<details open id="pass{stage.number}"><summary>{number}<b>{escape(title)}</b>{time}</summary>']
    if p.changed:
        parts.append(f'<p class="counts">{_counts(p.found)}</p>')
    parts += [f'<p class="note {kind}">{kind}: {escape(text)}</p>' for kind, text in notes_of(p)]
    at = 0
    rows = p.found.rows
    for hunk in p.folded.hunks:
        start = at + hunk.lines
        parts.append(_fold(p.found, rows[at:start], hunk.ops, hunk.place))
        parts += [f'<p class="why">⟵ {escape(reason)}</p>' for reason in p.reasons(hunk)]
        parts.append(f"<pre>{''.join(_rows(p.found, hunk.rows, diff.words))}</pre>")
        at = start + len(hunk.rows)
    parts.append(_fold(p.found, rows[at:], p.folded.ops, ""))
    parts.append("</details>")
    return "\n".join(parts)


def _counts(found: Difference) -> str:
    old, new = found.ops
    words = [f"<b>{old} → {new} ops</b>"]
    words += [f'<span class="plus">+{n} {escape(name)}</span>' for name, n in ranked(found.added)]
    words += [f'<span class="minus">−{n} {escape(name)}</span>' for name, n in ranked(found.removed)]
    if found.edited:
        words.append(f"~{found.edited.total()} edited")
    if found.moved:
        words.append(f"›{found.moved.total()} moved")
    return " &ensp;".join(words)


def _fold(found: Difference, rows: list[Row], ops: int, place: str) -> str:
    if not rows:
        return f'<p class="place">{escape(place)}</p>' if place else ""
    text = plural(len(rows), "unchanged line") + (f", {plural(ops, 'op')}" if ops else "")
    body = "".join(_rows(found, rows, False))
    return (
        f'<details class="fold"><summary>┄ {text} ┄ <em>{escape(place)}</em></summary>'
        f"<pre>{body}</pre></details>"
    )


def _rows(found: Difference, rows: list[Row], words: bool) -> Iterator[str]:
    off = dedent(found, rows)
    for row in rows:
        old, new = found.old_line(row), found.new_line(row)
        if row.mark is Mark.EDIT and old is not None and new is not None:
            gone, came = (changed_words(old.text, new.text) if words else None) or (set(), set())
            yield _row(old, Mark.OLD, row.old, None, off, gone)
            yield _row(new, Mark.NEW, None, row.new, off, came)
        else:
            line = new or old
            assert line is not None
            yield _row(line, row.mark, row.old, row.new, off, set())


def _row(line: Line, mark: Mark, old: int | None, new: int | None, off: int, changed: set[int]) -> str:
    numbers = f"{'' if old is None else old + 1:>4} {'' if new is None else new + 1:>4} "
    return (
        f'<div class="{_CLASSES[mark]}"><u>{numbers}{mark.value} </u>{" " * max(0, line.indent - off)}'
        f"{code(line.text, changed)}</div>"
    )


def code(text: str, changed: set[int] | None = None) -> str:
    """A line of IR as HTML, every token in a span of its class."""
    parts = []
    for i, (kind, word) in enumerate(tokens(text)):
        body = escape(word)
        if kind not in ("space", "word"):
            body = f'<span class="{kind}">{body}</span>'
        parts.append(f"<mark>{body}</mark>" if changed and i in changed else body)
    return "".join(parts)


def style(root: str = "body") -> str:
    """CSS for both colour schemes, from the same themes as the terminal."""
    dark, light = _variables(DARK, "#161b22", "#d8dee9"), _variables(LIGHT, "#ffffff", "#24292f")
    tokens_css = "".join(f".kt-diff .{kind}{{color:var(--{kind})}}" for kind in DARK.tokens if kind != "space")
    return (
        f"{root}{{{light}}}@media(prefers-color-scheme:dark){{{root}{{{dark}}}}}"
        f"{root}{{background:var(--page);color:var(--ink);margin:0}}{_LAYOUT}{tokens_css}"
    )


def _variables(theme: Theme, page_colour: str, ink: str) -> str:
    found = {"page": page_colour, "ink": ink, "dim": theme.dim}
    found |= {kind: style.split()[0] for kind, style in theme.tokens.items() if style}
    for mark, name in _CLASSES.items():
        if theme.lines[mark]:
            found[f"line-{name}"] = theme.lines[mark].removeprefix("on ")
            found[f"sign-{name}"] = theme.signs[mark].removeprefix("bold ")
            found[f"mark-{name}"] = theme.words[mark].rpartition("on ")[2] if "on #" in theme.words[mark] else "none"
    return "".join(f"--{key}:{value};" for key, value in found.items())


_LAYOUT = """
.kt-diff{display:flex;font:14px/1.45 system-ui,sans-serif;background:var(--page);color:var(--ink)}
.kt-diff nav{position:sticky;top:0;height:100vh;overflow:auto;padding:12px;box-sizing:border-box;
 flex:0 0 auto;border-right:1px solid var(--dim)}
.kt-diff nav h1{font-size:15px;margin:0 0 8px}.kt-diff nav a{color:inherit;text-decoration:none}
.kt-diff nav a:hover{text-decoration:underline}.kt-diff td{padding:1px 6px;font-size:12px}
.kt-diff td+td{text-align:right;color:var(--dim)}.kt-diff .dim,.kt-diff i,.kt-diff small{color:var(--dim)}
.kt-diff .error{color:var(--sign-old)}
.kt-diff main{flex:1 1 auto;min-width:0;padding:12px 16px}
.kt-diff main>details{margin-bottom:22px;border-top:2px solid var(--dim)}
.kt-diff main>details>summary{padding:6px 0;cursor:pointer;position:sticky;top:0;background:var(--page)}
.kt-diff small{float:right}.kt-diff p{margin:2px 0}.kt-diff .counts{font-size:13px}
.kt-diff .plus{color:var(--sign-new)}.kt-diff .minus{color:var(--sign-old)}
.kt-diff .note,.kt-diff .why,.kt-diff .place,.kt-diff .fold>summary{color:var(--dim);font-size:12.5px}
.kt-diff .fold>summary{cursor:pointer}
.kt-diff pre{font:13px/1.5 ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;margin:0;
 background:none;padding:0;overflow-x:auto}
.kt-diff pre div{white-space:pre-wrap;padding-left:13ch;text-indent:-13ch}
.kt-diff u{text-decoration:none;color:var(--dim);white-space:pre;user-select:none}
.kt-diff .old{background:var(--line-old)}.kt-diff .new{background:var(--line-new)}
.kt-diff .left{background:var(--line-left)}.kt-diff .came{background:var(--line-came)}
.kt-diff mark{background:none;color:inherit;font-weight:bold}
.kt-diff .old mark{background:var(--mark-old)}.kt-diff .new mark{background:var(--mark-new)}
.kt-diff .op{font-weight:600}
""".replace("\n", "")
_SCRIPT = (
    "addEventListener('keydown',e=>{if(!'jknpae'.includes(e.key)||e.metaKey||e.ctrlKey)return;"
    "const d=[...document.querySelectorAll('main>details')];"
    "if('ae'.includes(e.key)){d.forEach(x=>x.open=e.key=='e');return}"
    "const y=d.findIndex(x=>x.getBoundingClientRect().bottom>40);"
    "const t=d[Math.max(0,Math.min(d.length-1,'jn'.includes(e.key)?y+1:y-1))];"
    "t&&t.scrollIntoView()})"
)
