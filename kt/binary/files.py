"""Writing files so that nobody ever sees half of one."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from kt.ir.diagnostics import ArtifactError


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file, or leave what is there as it is. ArtifactError when it can't be written.

    A link is followed; what is no regular file (a device, a pipe) is written directly.
    """
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            target.write_bytes(data)
        else:
            _replace(target, data)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ArtifactError(f"can't write '{os.fspath(path)}': {reason}") from error


def _replace(target: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:32]}-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
