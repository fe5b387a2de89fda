"""The files of all containers: read, changed under a lock, and written only when something changed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from earwitness.errors import StorageCorrupt, StorageError, quoted
from earwitness_plugins.services.durable import about_files, append, locked, make_folder, refuse_file, replaced

from . import history
from .document import MemoryFile, container_of, read_document
from .names import folder_name

MEMORY = "MEMORY.md"
_LOCK = ".lock"
_TRASH = ".dropped-"
EMPTY = MemoryFile({})
Signature = tuple[int, int, int, int]
DocumentChange = Callable[[MemoryFile], MemoryFile]


class Version(NamedTuple):
    """A container's file as it was read or written."""

    signature: Signature | None
    """Changes with the file; `None` where there is none."""
    document: MemoryFile


class NewVersion(NamedTuple):
    """A container as it was read, and as it is to be."""

    read: Version
    made: MemoryFile


NO_VERSION = Version(None, EMPTY)


class Folder:
    """The folder of a store.

    Args:
        path: the folder, made when it is missing.
        keeps_history: whether to write `HISTORY.md`.
        lock_timeout: seconds to wait for another process that writes.
    """

    def __init__(self, path: Path, *, keeps_history: bool, lock_timeout: float) -> None:
        self.path = path
        self._keeps_history = keeps_history
        self._lock_timeout = lock_timeout

    def open(self) -> None:
        """Make the folder, and finish what a crash has left of a drop. Raises `StorageError`."""
        refuse_file(self.path, "the store 'markdown' needs a folder (its setting `folder`)")
        with about_files(self.path):
            make_folder(self.path)
            with self._writing():
                for left in self.path.glob(f"{_TRASH}*"):
                    shutil.rmtree(left, ignore_errors=True)

    def signature(self, container: str) -> Signature | None:
        """Whether the container's file is still the same; quick."""
        try:
            found = self.file(container).stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(f"{str(self.file(container))!r} cannot be read: {error.strerror}.") from error
        return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino

    def read(self, container: str) -> Version:
        """The container as it is now. Raises `StorageCorrupt`, which names line and column."""
        path = self.file(container)
        while True:
            before = self.signature(container)
            if before is None:
                return NO_VERSION
            with about_files(path):
                text = _text(path)
            if before == self.signature(container):
                name = path.parent.name
                return Version(before, read_document(text, container, str(path), named="__" not in name))

    def change(
        self, changes: Mapping[str, DocumentChange], known: Mapping[str, Version], written: dict[str, Version]
    ) -> None:
        """Change containers; none, if the file of one cannot be read. `known` ones are not read again if unchanged.

        Each is among the `written` as soon as it is; if another fails then, `StorageError` is raised.
        """
        with about_files(self.path), self._writing():
            read = {name: self._latest(name, known.get(name)) for name in changes}
            made = {name: change(read[name].document) for name, change in changes.items()}
            for name, change in changes.items():
                self._write(name, change, NewVersion(read[name], made[name]), written)

    def drop(self, container: str) -> None:
        """Remove a container with its history."""
        path = self.file(container).parent
        with about_files(self.path), self._writing():
            if path.exists():
                trash = self.path / f"{_TRASH}{uuid4().hex}"
                path.rename(trash)
                shutil.rmtree(trash)

    def problems(self) -> Iterable[str]:
        """What is wrong with files that a person has edited."""
        for file in sorted(self.path.glob(f"*/{MEMORY}")):
            try:
                _check(file)
            except StorageError as error:
                yield str(error)

    def count(self) -> int:
        """How many containers there are."""
        return sum(1 for _ in self.path.glob(f"*/{MEMORY}"))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with locked(self.path / _LOCK, self._lock_timeout):
            yield

    def _latest(self, container: str, known: Version | None) -> Version:
        if known is not None and self._is_still(container, known):
            return known
        return self.read(container)

    def _write(self, container: str, change: DocumentChange, new: NewVersion, written: dict[str, Version]) -> None:
        """Write a container, with what a person has saved meanwhile."""
        path = self.file(container)
        while new.made is not new.read.document:
            make_folder(path.parent)
            if replaced(path, new.made.written(container), partial(self._is_still, container, new.read)):
                written[container] = Version(self.signature(container), new.made)
                self._log(path, new.read.document, new.made)
                return
            read = self.read(container)
            new = NewVersion(read, change(read.document))
        written[container] = new.read

    def _is_still(self, container: str, version: Version) -> bool:
        return self.signature(container) == version.signature

    def _log(self, path: Path, before: MemoryFile, after: MemoryFile) -> None:
        """Write down what has changed."""
        lines = [*history.by_hand(before), *history.changes(before, after)]
        if self._keeps_history and lines:
            append(path.with_name(history.NAME), history.written(lines))

    def file(self, container: str) -> Path:
        """The file with a container's memories."""
        return self.path / folder_name(container) / MEMORY


def _check(file: Path) -> None:
    """Raise `StorageError` if the file cannot be read, or lies in the folder of another container."""
    with about_files(file):
        text, name = _text(file), file.parent.name
    container = container_of(text)
    if container is not None and folder_name(container) != name:
        raise StorageCorrupt(f"{file}: the file belongs to container {quoted(container)}, which has another folder.")
    read_document(text, container or "", str(file), named="__" not in name)


def _text(path: Path) -> str:
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise StorageCorrupt(f"{path}:{line}:{column}: this byte is not UTF-8. Save the file as UTF-8.") from None
