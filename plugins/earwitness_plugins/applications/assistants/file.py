"""A conversation as a file: one JSON object a line, its head first. What `append` has returned is on the disk.

Several processes may use a folder: each change is made under the lock of the folder, which nobody holds for long. An
upload and a consolidation hold locks of the conversation's own, and adding waits for none of these.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from urllib.parse import quote

from pydantic import ValidationError

from earwitness import Record
from earwitness.errors import InputError, about
from earwitness.validation.records import as_kept
from earwitness_plugins.review import Reviewed
from earwitness_plugins.services.durable import about_files, locked, make_folder, replaced, sync_folder

from .records import AssistantMessage

SUFFIX, UPLOADING, CONSOLIDATING, LOCK = ".jsonl", ".uploading", ".consolidating", ".lock"
LOCK_SECONDS = 10.0
"""How long a change waits for that of another process."""
LONGEST, BEGINNING = 180, 60
"""Characters of a file's name without its suffix, and of the beginning of a longer one."""
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)")
"""Windows takes no file of such a name."""


class ConversationHead(Record):
    """The first line of a conversation's file."""

    key: str
    """The conversation's key."""
    container_tag: str = ""
    """What it is uploaded under; empty in files of earlier versions."""
    run: str = ""
    """Random, and so another one wherever the conversation begins anew; empty in files of earlier versions."""
    first: int = 0
    """Number of the first message in the file: so many were uploaded and cleared."""
    last_consolidated: int = 0
    """Number of the message after the last one that is consolidated."""
    is_pending: bool = False
    """Whether an upload failed, or what would have been cleared was not consolidated: that is to be tried again."""
    closed: int = 0
    """Number of the message after the last one that it was closed with, where it was not cleared."""
    clears: bool = True
    """Whether the conversation is cleared once that succeeds."""
    confirmed: dict[str, str] = {}
    """Document id → digest of its text, for those documents that the store has."""
    history: tuple[str, ...] = ()
    """What happened: one entry for each stretch that was consolidated, oldest first."""
    facts: tuple[str, ...] = ()
    """The long-term memory here: what was consolidated, oldest first."""
    proposals: tuple[Reviewed, ...] = ()
    """What a model would remember besides, and what a person said to it, oldest first."""


ConversationContent = tuple[ConversationHead, list[AssistantMessage]]
FileState = tuple[int, int, int]
"""What changes whenever another process changes a file: its number, its bytes, its time."""
ConversationChange = Callable[[ConversationHead, list[AssistantMessage]], ConversationContent]


class ConversationFile:
    """One conversation on this machine."""

    def __init__(self, folder: Path, key: str, container_tag: str) -> None:
        self.path = folder / f"{file_name(key)}{SUFFIX}"
        """The file."""
        self.key: str = key
        """The conversation's key."""
        self._container_tag = container_tag
        self._known: tuple[FileState, int] | None = None
        """The file as this process left it, and how many of its messages are not consolidated."""

    def read(self) -> ConversationContent:
        """The head and the messages; a line that was cut short by a crash was never acknowledged, and is left out.

        Raises `InputError` for a file that is none of this conversation, and `StorageError`.
        """
        with about_files(self.path.parent):
            if not self._holds_something():
                return ConversationHead(key=self.key, container_tag=self._container_tag, run=secrets.token_hex(6)), []
            lines = self.path.read_bytes().split(b"\n")[:-1]
        try:
            head, *messages = [json.loads(line) for line in lines]
            found = ConversationHead.model_validate(head), [AssistantMessage.model_validate(each) for each in messages]
        except (ValueError, ValidationError) as error:
            raise InputError(f"{str(self.path)!r} is not a conversation that can be read: {error}") from error
        if found[0].key != self.key:
            raise InputError(f"{str(self.path)!r} is conversation {found[0].key!r}, not {self.key!r}.")
        check_tag(self.path, found[0], self._container_tag)
        return found

    def append(self, message: AssistantMessage) -> int:
        """Add a message; durable on return. Returns how many messages are not consolidated.

        The file is read only if another process has changed it. Raises as `read`.
        """
        with self._changing():
            state = state_of(self.path)
            if state is None or not state[1]:
                self._write(self.read()[0], [message])
                return 1
            waiting = self._known[1] if self._known and self._known[0] == state else self._mended()
            self._known = None
            with self.path.open("ab") as file:
                file.write(f"{message.model_dump_json()}\n".encode())
                file.flush()
                os.fsync(file.fileno())
            return self._note(waiting + 1)

    def change(self, change: ConversationChange) -> None:
        """Replace the whole file by what the change makes of it, at once; durable on return. Raises as `read`."""
        with self._changing():
            head, messages = change(*self.read())
            self._write(head.model_copy(update={"container_tag": self._container_tag}), messages)

    def delete(self) -> None:
        """Remove the file; durable on return. Raises `StorageError`."""
        with self._changing():
            self.path.unlink(missing_ok=True)
            for work in (UPLOADING, CONSOLIDATING):
                self._lock(work).unlink(missing_ok=True)
            sync_folder(self.path.parent)

    def uploading(self) -> AbstractContextManager[None]:
        """The lock that an upload holds. Raises `StorageLocked` at once if another has it."""
        return self._held(UPLOADING)

    def consolidating(self) -> AbstractContextManager[None]:
        """The lock that a consolidation holds. Raises `StorageLocked` at once if another has it."""
        return self._held(CONSOLIDATING)

    def _held(self, work: str) -> AbstractContextManager[None]:
        with about_files(self.path.parent):
            make_folder(self.path.parent)
        return locked(self._lock(work), 0)

    def _lock(self, work: str) -> Path:
        return self.path.with_name(f".{self.path.name}{work}")

    def _holds_something(self) -> bool:
        return self.path.exists() and self.path.stat().st_size > 0

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with about_files(self.path.parent):
            make_folder(self.path.parent)
            with locked(self.path.parent / LOCK, LOCK_SECONDS):
                yield

    def _mended(self) -> int:
        """How many messages are not consolidated, in a file that now has no line that a crash cut short."""
        waiting = _waiting(*self.read())
        with self.path.open("r+b") as file:
            file.truncate(file.read().rfind(b"\n") + 1)
            file.flush()
        return waiting

    def _note(self, waiting: int) -> int:
        state = state_of(self.path)
        self._known = (state, waiting) if state else None
        return waiting

    def _write(self, head: ConversationHead, messages: Sequence[AssistantMessage]) -> None:
        lines = [_readable(head), *(each.model_dump_json() for each in messages)]
        self._known = None
        replaced(self.path, "".join(f"{each}\n" for each in lines), lambda: True)
        self._note(_waiting(head, messages))


def _readable(head: ConversationHead) -> str:
    """The head as it is written. Raises `InputError` for one that could not be read again."""
    with about(f"conversation {head.key!r} cannot be changed so, and was left as it is"):
        as_kept(head)
    return head.model_dump_json()


def _waiting(head: ConversationHead, messages: Sequence[AssistantMessage]) -> int:
    """How many messages are not consolidated."""
    return head.first + len(messages) - head.last_consolidated


def file_name(key: str) -> str:
    """The name of a conversation's file, without its suffix: two keys have two names on every file system.

    Capitals and every character that could mean something in a path are `%` and two hexadecimal digits for each byte.
    What would be too long ends with `%_` and a digest; the file's head has the whole key.
    """
    encoded = quote(key, safe="@+=, ")
    parts = re.split("(%[0-9A-F]{2})", encoded)  # the digits of escapes are capitals too: they are left alone
    parts[::2] = [re.sub("[A-Z]", _escaped, each) for each in parts[::2]]
    name = "".join(parts)
    if _RESERVED.match(name):
        name = f"%{ord(name[0]):02X}{name[1:]}"
    if len(name) <= LONGEST:
        return name
    return f"{name[:BEGINNING]}%_{blake2b(key.encode(), digest_size=16).hexdigest()}"


def check_tag(path: Path, head: ConversationHead, container_tag: str) -> None:
    """Raises `InputError` for the file of another container."""
    if head.container_tag not in {"", container_tag}:
        raise InputError(
            f"{str(path)!r} is a conversation of container_tag {head.container_tag!r}, not {container_tag!r}."
        )


def state_of(path: Path) -> FileState | None:
    """The state of a file; `None` if there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def heads(paths: Iterable[Path], container_tag: str) -> tuple[list[ConversationHead], list[str]]:
    """The heads of the conversations in some files, in order; and why others cannot be read."""
    found, problems = list[ConversationHead](), list[str]()
    for path in paths:
        try:
            with path.open("rb") as file:
                head = ConversationHead.model_validate_json(file.readline())
            check_tag(path, head, container_tag)
            found.append(head)
        except InputError as error:
            problems.append(f"{error} It was left out.")
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "its first line is not a head of a conversation"
            problems.append(f"{str(path)!r} was left out, because it cannot be read: {why}.")
    return found, problems


def remove_all(folder: Path) -> None:
    """Remove all conversations of a folder, also those that cannot be read. Raises `StorageError`."""
    if not folder.is_dir():
        return
    with about_files(folder), locked(folder / LOCK, LOCK_SECONDS):
        for pattern in (f"*{SUFFIX}", f".*{SUFFIX}{UPLOADING}", f".*{SUFFIX}{CONSOLIDATING}", f".*{SUFFIX}.new"):
            for path in folder.glob(pattern):
                path.unlink(missing_ok=True)
        (folder / LOCK).unlink(missing_ok=True)
        sync_folder(folder)
    with suppress(OSError):  # somebody keeps something else there
        folder.rmdir()


def _escaped(found: re.Match[str]) -> str:
    return f"%{ord(found[0]):02X}"
