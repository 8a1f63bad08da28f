"""Files of devices and patterns: those that come with kt, and a user's own."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from pathlib import Path

from kt.ir.core import Operation
from kt.ir.diagnostics import DeviceError, Location
from kt.ir.verifier import verify
from kt.parse import parse_text

SCHEME = "kt:"
_PACKAGE = resources.files("kt.arch")
LIBRARY = "patterns"
"""``kt:patterns/NAME`` is a library of patterns, ``kt:NAME`` a device."""


def shipped_devices() -> tuple[str, ...]:
    """Names of the devices that come with kt, sorted."""
    return _names("devices")


def pattern_libraries() -> tuple[str, ...]:
    """Names of the pattern libraries that come with kt (``patterns/intrinsics``), sorted."""
    return tuple(f"{LIBRARY}/{name}" for name in _names(LIBRARY))


def _names(folder: str) -> tuple[str, ...]:
    names = [entry.name for entry in (_PACKAGE / folder).iterdir()]
    return tuple(sorted(n.removesuffix(".mlir") for n in names if n.endswith(".mlir")))


def imported_module(path: str, location: Location) -> Operation:
    """The module that an import names: of kt, or of a file beside the one that imports it."""
    if path.startswith(SCHEME):
        return shipped_module(path.removeprefix(SCHEME), location)
    return file_module(beside(path, location), location)


def beside(path: str, location: Location) -> Path:
    """A path relative to the file of a location (to the working directory when there is none)."""
    place = location.position()
    if place is None or place.file in ("-", "") or place.file.startswith(("<", SCHEME)):
        return Path(path)
    return Path(place.file).parent / path


def shipped_module(name: str, location: Location | None) -> Operation:
    """The module of a device or library of kt; an error names them."""
    libraries = pattern_libraries()
    if name not in (*shipped_devices(), *libraries):
        raise DeviceError(
            f"no {'library' if '/' in name else 'device'} '{name}' comes with kt",
            *([location] if location else []),
            hint=f"shipped devices: {', '.join(shipped_devices())}; libraries: {', '.join(libraries)}",
        )
    folder = "" if name in libraries else "devices"
    return parsed(SCHEME + name, (_PACKAGE / folder / f"{name}.mlir").read_text(encoding="utf-8"))


def file_module(path: Path, location: Location | None) -> Operation:
    """The module of a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise DeviceError(
            f"unable to import device graph: {path}: {error.strerror}",
            *([location] if location else []),
            hint="check the path; `kt device` lists the devices that come with kt",
        ) from None
    except UnicodeDecodeError as error:
        raise DeviceError(f"{path} is no text file: {error.reason}") from None
    return parsed(str(path), text)


@lru_cache(maxsize=32)
def parsed(name: str, text: str) -> Operation:
    """The verified module of a device file. Shared: nobody changes it."""
    module = parse_text(text, name)
    verify(module)
    return module
