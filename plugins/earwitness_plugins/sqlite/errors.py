"""SQLite's errors as Earwitness's own."""

from __future__ import annotations

import os
from pathlib import Path

import apsw

from earwitness.errors import StorageCorrupt, StorageError, StorageFull, StorageLocked

from .blobs import DamagedBlob


def translated(error: BaseException, path: str, waited: float) -> BaseException:
    """The `StorageError` for an error of SQLite's; any other error unchanged."""
    if not isinstance(error, apsw.Error | DamagedBlob | PermissionError):
        return error
    ours = _without_permission(error, path) or _ours(error, path, waited)
    ours.__cause__ = error
    return ours


def _without_permission(error: BaseException, path: str) -> StorageError | None:
    """The error of a file that may not be read, or of one in a folder that may not be written to."""
    if isinstance(error, PermissionError):
        return StorageError(f"{path!r} cannot be read ({error.strerror}). Change its permissions or choose another.")
    if not (isinstance(error, apsw.ReadOnlyError | apsw.CantOpenError) and _in_closed_folder(path)):
        return None
    folder = str(Path(path).absolute().parent)
    return StorageError(
        f"{folder!r} may not be written to, and {path!r} needs files beside it. Change the folder's permissions."
    )


def _ours(error: BaseException, path: str, waited: float) -> StorageError:
    match error:
        case apsw.FullError():
            return StorageFull(f"no space left for {path!r}. Free some and try again: nothing was written in part.")
        case apsw.BusyError() | apsw.LockedError():
            return StorageLocked(
                f"{path!r} was locked by another process for more than {waited:g} seconds. "
                "Close the other program and try again: nothing was written."
            )
        case apsw.NotADBError():
            return StorageCorrupt(f"{path!r} is not an Earwitness store. It was left untouched; choose another path.")
        case apsw.CorruptError() | DamagedBlob():
            return StorageCorrupt(f"{path!r} is damaged ({error}). Restore a copy; it was left as it is.")
        case apsw.ReadOnlyError():
            return StorageError(f"{path!r} may not be written to ({error}). Change its permissions or choose another.")
        case apsw.CantOpenError() if Path(path).is_dir():
            inside = str(Path(path) / "stories.db")
            return StorageError(f"{path!r} cannot be opened: it is a folder. Name a file in it, such as {inside!r}.")
        case apsw.CantOpenError():
            return StorageError(f"{path!r} cannot be opened. Is it in a folder that exists and may be written to?")
        case _:
            return StorageError(f"{path!r}: SQLite says {type(error).__name__}: {error}. Nothing was written.")


def _in_closed_folder(path: str) -> bool:
    """Whether it is a file that may be written to, in a folder that may not be."""
    return Path(path).is_file() and os.access(path, os.W_OK) and not os.access(Path(path).absolute().parent, os.W_OK)
