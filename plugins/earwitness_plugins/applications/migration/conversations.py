"""The conversations of chat assistants, which are files on this machine: copied, and compared."""

from __future__ import annotations

from hashlib import blake2b

from earwitness.errors import InputError, StorageError
from earwitness.records.base import Record
from earwitness_plugins.applications.assistants import ConversationFolders
from earwitness_plugins.services.durable import about_files, make_folder, replaced


class MovedConversations(Record):
    """The conversations on this machine that both places have."""

    count: int = 0
    """How many."""
    digest: str = ""
    """Of all their files, in both places."""
    is_one_folder: bool = False
    """Whether both places name the same folder, so that nothing had to move."""
    was_there: bool = True
    """Whether the target held all of them already."""


def check_conversations(source: ConversationFolders, target: ConversationFolders) -> None:
    """Raises `InputError` for a target that holds other conversations than the source, and `StorageError`."""
    with about_files(target.root):
        _refuse_others(target, _contents(target), _contents(source))


def move_conversations(source: ConversationFolders, target: ConversationFolders) -> MovedConversations:
    """Copy the files of all conversations, and verify them by a digest. The source is only read.

    An interrupted move goes on where it stopped. Raises as `check_conversations`.
    """
    ours = _contents(source)
    if source.root.resolve() == target.root.resolve():
        return MovedConversations(count=len(ours), digest=_digest(ours), is_one_folder=True)
    with about_files(target.root):
        there = _contents(target)
        _refuse_others(target, there, ours)
        for name, content in ours.items():
            if name not in there:
                path = target.root / name
                make_folder(path.parent)
                replaced(path, content, lambda: True)
    if _contents(source) != (found := _contents(target)):
        raise StorageError("conversations were not moved exactly. Does another program write to them? Move again.")
    return MovedConversations(count=len(found), digest=_digest(found), was_there=there == found)


def _refuse_others(target: ConversationFolders, theirs: dict[str, bytes], ours: dict[str, bytes]) -> None:
    """Raises `InputError` if the target holds a file that the source does not have, or has with other content."""
    if others := [name for name in theirs if theirs[name] != ours.get(name)]:
        raise InputError(
            f"{str(target.root)!r} holds conversations that the source lacks, or has with other contents: "
            f"{', '.join(others[:5])}. Move into an empty folder."
        )


def _contents(folders: ConversationFolders) -> dict[str, bytes]:
    """Path of each file in the folder → its content."""
    return {path.relative_to(folders.root).as_posix(): path.read_bytes() for path in folders.files()}


def _digest(contents: dict[str, bytes]) -> str:
    found = blake2b(digest_size=13)
    for name, content in sorted(contents.items()):
        found.update(f"{len(name)}:{name}:{len(content)}:".encode())
        found.update(content)
    return found.hexdigest()
