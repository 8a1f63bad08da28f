"""The parser's tables on disk: in the user's own cache folder, rebuilt when stale or broken."""

from __future__ import annotations

import hashlib
import importlib.util
import marshal
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from kt.ir import registry

_MAGIC = b"kt-grammar-1\n"
_KEEP = 4


def cache_dir() -> Path | None:
    """``$XDG_CACHE_HOME/kt`` or ``~/.cache/kt``, made with mode 0700; None if it can't be used."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = Path(base) / "kt"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
        if hasattr(os, "getuid") and status.st_uid != os.getuid():
            return None
        if status.st_mode & 0o077:
            folder.chmod(0o700)
    except (OSError, RuntimeError):
        return None
    return folder


def fingerprint(grammars: Path) -> str:
    """Changes when a grammar file, a dialect, the parser, Python or Lark changes."""
    package = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256(f"{sys.version}\n{_stamp('lark')}\n".encode())
    folders = (
        (grammars, ".lark"), (package / "ir" / "dialects", ".py"), (package / "ir", ".py"),
        (package / "parse", ".py"), (package / "parse" / "syntax", ".py"),
    )  # fmt: skip
    for folder, suffix in folders:
        try:
            entries = sorted(os.scandir(folder), key=lambda e: e.name)
        except OSError:
            continue
        for entry in entries:
            if entry.name.endswith(suffix):
                status = entry.stat()
                digest.update(f"{entry.path} {status.st_size} {status.st_mtime_ns}\n".encode())
    for name, module in sorted(registry.plugins().items()):
        digest.update(f"{name} {module} {_stamp(module)}\n".encode())
    return digest.hexdigest()


def _stamp(module: str) -> str:
    """Path, size and time of a module's file (asking importlib.metadata would take 30 ms)."""
    found = importlib.util.find_spec(module)
    if found is None or found.origin is None or not os.path.isfile(found.origin):
        return ""
    status = os.stat(found.origin)
    return f"{found.origin} {status.st_size} {status.st_mtime_ns}"


def load(key: str) -> dict[str, Any] | None:
    """The tables stored under ``key``; None if there are none that can be trusted."""
    folder = cache_dir()
    if folder is None:
        return None
    try:
        data = (folder / f"grammar-{key[:32]}.bin").read_bytes()
    except OSError:
        return None
    head = len(_MAGIC)
    if data[:head] != _MAGIC or hashlib.sha256(data[head + 32 :]).digest() != data[head : head + 32]:
        return None
    try:
        return marshal.loads(data[head + 32 :])
    except (ValueError, EOFError, TypeError):
        return None


def store(key: str, tables: dict[str, Any]) -> None:
    """Write the tables; a folder that can't be written is no error."""
    folder = cache_dir()
    if folder is None:
        return
    body = marshal.dumps(tables)
    data = _MAGIC + hashlib.sha256(body).digest() + body
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, prefix="new-")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, folder / f"grammar-{key[:32]}.bin")
        kept = sorted(folder.glob("grammar-*.bin"), key=lambda p: p.stat().st_mtime, reverse=True)
        for old in kept[_KEEP:]:
            old.unlink(missing_ok=True)
    except OSError:
        return
