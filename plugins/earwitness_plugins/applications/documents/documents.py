"""`story.documents`: documents in pieces, each a memory of one character or of a container beyond the story.

What is uploaded is noted in the story first, so that an upload that was cut short is made whole by the next one. The
pieces have keys of their own: the same text twice is nothing twice.
"""

from __future__ import annotations

from asyncio import gather, to_thread
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import anyio
from pydantic import ValidationError

from earwitness import Channel, Earwitness, Session
from earwitness.backstage.roles import permit
from earwitness.display_names import usable_name
from earwitness.errors import InputError, KeyConflict, NotPermitted, NotYetApplied, unknown
from earwitness.ids import check_shared_id, derive
from earwitness.validation.arguments import text as valid_text

from .files import text_of_file
from .pieces import TextPiece, pieces
from .records import DocumentUpload, UploadedDocument

FACTS = "documents"
"""The name under which a story notes them."""
TYPE = "document"
"""Metadata `type` of a piece."""
MOST = 2_000_000
"""Characters of one document."""
LONGEST_ID = 100
BATCH = 32
"""Pieces that are written at a time."""
SHARED = ("pantheon", "global_canon")
"""Kinds of containers beyond the story that take documents."""


class StoryDocuments:
    """The documents of a story: `await story.documents.upload("alice", text, title="The ledger")`."""

    def __init__(self, story: Session, ew: Earwitness) -> None:
        self._story = story
        self._ew = ew
        self._lock = anyio.Lock()  # one upload after another: each counts versions

    async def upload(
        self,
        owner: str,
        text: str,
        *,
        title: str,
        id: str | None = None,
        channel: Channel | None = None,
        role: str = "author",
        persona: str | None = None,
    ) -> DocumentUpload:
        """Put a document into the memory of a character, or of a container beyond the story, such as a hub.

        With the `id` of one that the owner has (default: the title), its pieces take the place of those of the last
        version, which are archived. A `player` may upload for their own `persona` alone. Durable on return.
        Raises `InputError` for an empty or endless text, `UnknownName`, `NotPermitted`.
        """
        whose = await self._permitted(owner, role, persona)
        name, known = usable_name(valid_text("title", title)), valid_text("id", id or title).strip()
        found = _pieces_of(text, known)
        async with self._lock:
            document, created = await self._noted(whose, known, name, derive(text), len(found))
            await self._write(document, found, channel)
            await self._archive_older(document)
            await self._give_way(document)
        return DocumentUpload(document=document, created=created)

    async def upload_file(
        self,
        owner: str,
        path: str | Path,
        *,
        title: str | None = None,
        id: str | None = None,
        channel: Channel | None = None,
        role: str = "author",
        persona: str | None = None,
    ) -> DocumentUpload:
        """Upload a file: text, Markdown or PDF. Its name is the id unless there is one, and without its ending the
        title. The rest is as in `upload`; a file that cannot be read is an `InputError`."""
        file = Path(path)
        text = await to_thread(text_of_file, file)
        title, id = title or file.stem, id or file.name
        return await self.upload(owner, text, title=title, id=id, channel=channel, role=role, persona=persona)

    def uploaded(self, owner: str | None = None) -> tuple[UploadedDocument, ...]:
        """The newest version of each document that was not forgotten, of one owner or of all."""
        newest = {(each.owner, each.id): each for each in self._versions()}
        return tuple(each for each in newest.values() if not each.forgotten and owner in {None, each.owner})

    async def forget(
        self, owner: str, id: str, *, role: str = "author", persona: str | None = None
    ) -> UploadedDocument:
        """Retract a document with all of its versions, and whatever rested on them. Raises `UnknownName` for one that
        the owner does not have, `NotPermitted`."""
        whose = await self._permitted(owner, role, persona)
        known = {each.id: each for each in self.uploaded(whose)}
        if id not in known:
            raise unknown("document", id, known)
        for version in [each for each in self._versions() if (each.owner, each.id) == (whose, id)]:
            for key in _keys(version):
                if await self._story.has(key):
                    await self._story.retract(key, by=role, own_key=f"{key}:forgotten")
        gone = known[id].model_copy(update={"forgotten": True})
        await self._note(gone)
        return gone

    # ── what the story notes ────────────────────────────────────────────────────────────────────────────────────────

    def _versions(self) -> Iterator[UploadedDocument]:
        """All versions of all documents, in the order in which they came."""
        for each in self._story.state.facts_of(FACTS):
            try:
                yield UploadedDocument.model_validate(each)
            except ValidationError:  # noted by a program of somebody else's
                continue

    async def _noted(self, owner: str, id: str, title: str, digest: str, parts: int) -> tuple[UploadedDocument, bool]:
        """The version with this text, noted now unless it is the newest; and whether it is new."""
        while True:
            await self._caught_up()
            mine = [each for each in self._versions() if (each.owner, each.id) == (owner, id)]
            last = mine[-1] if mine else None
            is_same = last is not None and not last.forgotten and (last.digest, last.title) == (digest, title)
            if last is not None and is_same and not await self._left_behind(last):
                return last, False
            version = 1 + (last.version if last else 0)
            new = UploadedDocument(id=id, owner=owner, title=title, version=version, parts=parts, digest=digest)
            while await self._story.has(_noted_as(new)):  # that one was retracted, or comes from another process
                new = new.model_copy(update={"version": new.version + 1})
            with suppress(KeyConflict):  # another process was first: it has this version
                return new, await self._note(new, _noted_as(new))

    async def _left_behind(self, document: UploadedDocument) -> bool:
        """Whether the story was imported without its pieces, as exports leave out what is in a hub or global canon."""
        keys = [key for key in _keys(document) if await self._story.has(key)]
        return bool(keys) and not await self._story.backstage().grounds(*keys)

    async def _note(self, document: UploadedDocument, key: str | None = None) -> bool:
        """Note it in the story; whether that is new. Raises `KeyConflict`."""
        noted = await self._story.change(facts={FACTS: [document.model_dump(mode="json")]}, key=key)
        await noted.decided()
        return noted.created

    async def _caught_up(self) -> None:
        with suppress(NotYetApplied):  # what is decided is enough
            await self._story.settled()

    # ── pieces ──────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _write(self, document: UploadedDocument, found: Sequence[TextPiece], channel: Channel | None) -> None:
        """Remember the pieces that the story does not have yet, several at a time: a ledger commits them together."""
        pending = [each for each in enumerate(found, 1) if not await self._story.has(_key(document, each[0]))]
        for begin in range(0, len(pending), BATCH):
            await gather(*(self._remember(document, *each, channel) for each in pending[begin : begin + BATCH]))

    async def _remember(
        self, document: UploadedDocument, number: int, piece: TextPiece, channel: Channel | None
    ) -> None:
        in_story = document.owner in self._story.cast
        await self._story.remember(
            document.owner if in_story else None,
            f"{_heading(document, number, piece.section)}\n{piece.text}",
            container=None if in_story else document.owner,
            type=TYPE,
            metadata=_metadata(document, number, piece),
            rule=f"document {document.title}",
            channel=channel,
            key=_key(document, number),
        )

    async def _archive_older(self, document: UploadedDocument) -> None:
        """Take the pieces of earlier versions out of recall, once."""
        older = [each for each in self._versions() if (each.owner, each.id) == (document.owner, document.id)]
        keys = [key for each in older if each.version < document.version and not each.forgotten for key in _keys(each)]
        there = [key for key in keys if await self._story.has(key) and not await self._story.has(f"{key}:forgotten")]
        done = f"{_stem(document)}:replaces"
        if not there or await self._story.has(done):
            return
        try:
            await self._story.archive(*there, newer=True, key=done)
        except InputError:  # somebody has retracted a piece by itself
            for key in there:
                with suppress(InputError):
                    await self._story.archive(key, newer=True)

    async def _give_way(self, document: UploadedDocument) -> None:
        """Take its own pieces out of recall if another process has uploaded a newer version meanwhile."""
        await self._caught_up()
        mine = [each for each in self._versions() if (each.owner, each.id) == (document.owner, document.id)]
        if mine and mine[-1].version > document.version:
            with suppress(InputError):  # it was forgotten, too
                await self._story.archive(*_keys(document), newer=True, key=f"{_stem(document)}:replaced")

    async def _permitted(self, owner: str, role: str, persona: str | None) -> str:
        """Character id, or the name of a container. Raises `UnknownName`, `NotPermitted`."""
        self._story.backstage(role=role, persona=persona)
        member = self._story.cast.resolve(owner)
        if role == "player":
            own = self._story.cast.resolve(persona or "")
            if member is None or own is None or member.id != own.id:
                raise NotPermitted("a player may upload documents for the character they play, and for nobody else.")
            return member.id
        permit(role, "edit", "upload documents")
        if self._story.cast.called(owner):
            return self._story.cast.named(owner).id
        await self._refuse_unknown(owner)
        return owner

    async def _refuse_unknown(self, container: str) -> None:
        """Raise `UnknownName` for what is neither a character nor a hub or global canon."""
        shared = [each.name for each in await self._ew.containers() if each.kind in SHARED]
        if container not in shared:
            cast = self._story.cast
            raise unknown("character, hub or global canon", container, [*cast.ids, *shared], cast.other_names)


def _pieces_of(text: str, id: str) -> list[TextPiece]:
    """Raises `InputError` for a text or id that cannot be used."""
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"the document {id!r} has no text, so there is nothing to remember.")
    valid_text("text", text)
    if len(text) > MOST:
        raise InputError(f"the document {id!r} has {len(text):,} characters; at most {MOST:,} are taken. Divide it.")
    if not id or len(id) > LONGEST_ID:
        raise InputError(f"the document's id {id[:40]!r} must have 1 to {LONGEST_ID} characters.")
    check_shared_id("document id", id)
    return pieces(text)


def _metadata(document: UploadedDocument, number: int, piece: TextPiece) -> dict[str, str | int]:
    about: dict[str, str | int] = {"documentId": document.id, "title": document.title}
    about |= {"part": number, "parts": document.parts}
    return about | ({"section": piece.section} if piece.section else {})


def _heading(document: UploadedDocument, number: int, section: str) -> str:
    """`The ledger, part 2 of 5 (Debts):`: what a reader is shown of the source."""
    part = f", part {number} of {document.parts}" if document.parts > 1 else ""
    under = f" ({usable_name(section)})" if section and section != document.title else ""
    return f"{document.title}{part}{under}:"


def _stem(document: UploadedDocument) -> str:
    return f"document:{derive(document.owner, document.id)}:{document.version}"


def _noted_as(document: UploadedDocument) -> str:
    """The key with which the story notes a version: of two uploads at once, only one has it."""
    return f"{_stem(document)}:noted"


def _keys(document: UploadedDocument) -> list[str]:
    """The keys of its pieces in the journal."""
    return [_key(document, number) for number in range(1, document.parts + 1)]


def _key(document: UploadedDocument, number: int) -> str:
    return f"{_stem(document)}:{number}"
