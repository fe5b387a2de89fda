"""Where conversations are kept on this machine: a folder for each container tag, in one for all of them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from earwitness import Container
from earwitness.errors import EarwitnessError, StorageError
from earwitness.loading.settings import Settings
from earwitness_plugins.services.durable import about_files, locked, make_folder, sync_folder

from .file import (
    LOCK,
    LOCK_SECONDS,
    SUFFIX,
    ConversationContent,
    ConversationFile,
    ConversationHead,
    FileState,
    file_name,
    heads,
    remove_all,
    state_of,
)
from .settings import AssistantSettings

PREFIX = "conversation-"
"""Of the names of all containers of conversations."""


KnownContents = dict[Path, tuple[FileState, ConversationContent]]
"""File → its state when it was read, and what was in it."""


def tag_of(container: Container) -> str:
    """The container tag of a container of conversations."""
    return container.name.removeprefix(PREFIX)


class ConversationFolders:
    """The folders of all container tags, in one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        """The folder that they are in. Files in itself are of an earlier version, and do not say whose they are."""

    @classmethod
    def of_settings(cls, settings: Settings) -> ConversationFolders:
        """Those of an instance. Raises `StorageError` for what is a file."""
        path = Path(settings.path or "earwitness.db")
        named = settings.table(AssistantSettings).folder
        root = Path(named) if named else path.with_suffix(".conversations")
        if root.exists() and not root.is_dir():
            raise StorageError(
                f"{str(root)!r} is a file, but conversations are kept in a folder. Move the file away, or set "
                "`folder` in the table [supermemory] to another place."
            )
        return cls(root)

    def of(self, container_tag: str) -> Path:
        """The folder of a container tag."""
        return self.root / file_name(container_tag).replace(".", "%2E")

    def files(self) -> list[Path]:
        """The files of all conversations of all container tags, and of earlier versions, sorted."""
        return sorted([*self._unclaimed(), *self.root.glob(f"*/*{SUFFIX}")])

    def heads(self, container_tag: str) -> tuple[list[ConversationHead], list[str]]:
        """The heads of all conversations of a container tag; and which files are left out, and why."""
        found, problems = heads(self._of_tag(container_tag), container_tag)
        return found, [*problems, *self._why_unclaimed(container_tag)]

    def _of_tag(self, container_tag: str) -> list[Path]:
        return sorted(self.of(container_tag).glob(f"*{SUFFIX}"))

    def _why_unclaimed(self, container_tag: str) -> list[str]:
        folder = self.of(container_tag)
        return [
            f"{str(path)!r} was left out: an earlier version did not note its container_tag. "
            f"If that is {container_tag!r}, move it to {str(folder)!r}."
            for path in self._unclaimed()
        ]

    def contents(
        self, container_tag: str, known: KnownContents | None = None
    ) -> tuple[list[ConversationContent], list[str]]:
        """All conversations of a container tag; and which files are left out, and why.

        `known` are those that were read before, by file: only what has changed since is read again, and kept there.
        """
        before, after = known or {}, KnownContents()
        problems = self._why_unclaimed(container_tag)
        for path in self._of_tag(container_tag):
            state = state_of(path)
            if state is not None and (found := before.get(path)) and found[0] == state:
                after[path] = found
                continue
            contents, why = self._read(path, container_tag)
            problems += why
            for each in contents:
                after[path] = state or (0, 0, 0), each
        if known is not None:
            known.clear()
            known |= after
        return [content for _, content in after.values()], problems

    def _read(self, path: Path, container_tag: str) -> tuple[list[ConversationContent], list[str]]:
        found, problems = heads([path], container_tag)
        try:
            files = [ConversationFile(self.of(container_tag), each.key, container_tag) for each in found]
            return [each.read() for each in files], problems
        except EarwitnessError as error:
            return [], [*problems, str(error)]

    def claim(self, container_tag: str) -> None:
        """Give the files of earlier versions to a container tag, unless any has a folder already.

        An interrupted claim goes on when it is repeated. Raises `StorageError`.
        """
        folder = self.of(container_tag)
        half = folder.with_name(f".{folder.name}.new")
        if not (self._unclaimed() or half.is_dir()):
            return
        with about_files(self.root), locked(self.root / LOCK, LOCK_SECONDS):
            others = [each for each in self.root.iterdir() if each.is_dir() and each != half]
            if others:
                return
            make_folder(half)
            for path in self._unclaimed():
                path.rename(half / path.name)
            sync_folder(half)
            half.rename(folder)
            sync_folder(self.root)

    def remove(self, container_tag: str) -> None:
        """Remove all conversations of a container tag, also those that cannot be read. Raises `StorageError`."""
        remove_all(self.of(container_tag))
        with suppress(OSError):
            if [each.name for each in self.root.iterdir()] in ([], [LOCK]):
                (self.root / LOCK).unlink(missing_ok=True)
                self.root.rmdir()

    def _unclaimed(self) -> list[Path]:
        return sorted(self.root.glob(f"*{SUFFIX}"))
