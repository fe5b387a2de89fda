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
    file_name,
    heads,
    remove_all,
)
from .settings import AssistantSettings

PREFIX = "conversation-"
"""Of the names of all containers of conversations."""


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
        folder = self.of(container_tag)
        found, problems = heads(folder, container_tag)
        unclaimed = [
            f"{str(path)!r} was left out: an earlier version did not note its container_tag. "
            f"If that is {container_tag!r}, move it to {str(folder)!r}."
            for path in self._unclaimed()
        ]
        return found, [*problems, *unclaimed]

    def contents(self, container_tag: str) -> tuple[list[ConversationContent], list[str]]:
        """All conversations of a container tag; and which files are left out, and why."""
        found, problems = self.heads(container_tag)
        read = list[ConversationContent]()
        for head in found:
            try:
                read.append(ConversationFile(self.of(container_tag), head.key, container_tag).read())
            except EarwitnessError as error:
                problems.append(str(error))
        return read, problems

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
