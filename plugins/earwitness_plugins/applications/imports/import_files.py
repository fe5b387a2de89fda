"""Bringing files into a story: what was there before is prepared, what was said is replayed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from earwitness.app import Earwitness
from earwitness.backstage.before import original_name
from earwitness.end.change import piece_source
from earwitness.importing import Imported
from earwitness.lore import pieces_of
from earwitness.records.base import Record
from earwitness.records.character import Cast
from earwitness.session import Session
from earwitness_plugins.applications.replay.replay import replay
from earwitness_plugins.applications.replay.roles import session_id

from .merge import Part, merge


class ImportResult(Record):
    """What came into a story."""

    session: str
    """Session id."""
    characters: tuple[str, ...]
    """Ids of those the files describe."""
    pieces: int
    """How many pieces of plot, cards, dialogue and lore."""
    messages: int
    """How many messages were said in the files."""
    new: int
    """How many of these messages were not there before."""
    changed: bool
    """Whether anything of it all was not there before."""
    warnings: tuple[str, ...]
    """What was mended, and what could not be understood."""


async def import_files(
    ew: Earwitness,
    session: str,
    files: Sequence[Imported],
    *,
    user: str | None = None,
    gold: bool = False,
    seen: Callable[[], None] = lambda: None,
) -> ImportResult:
    """Bring files into a story, which is begun if there is none. Doing it again changes nothing.

    `user` is whom `{{user}}` means; by default the one persona of the story or the chats. `gold`: a chat's own word on
    who was there is taken for certain. Raises `InputError` and `StorageError` as a session does.
    """
    cast = (await ew.open_session(session)).cast if session in await ew.sessions() else Cast()
    found = merge(files, cast, user=user)
    story = await ew.session(session, cast=found.cast)
    prepared = [await _prepare(story, part) for part in found.parts]
    messages = new = 0
    for scene in found.scenes:
        replayed = await replay(
            ew, scene, session, gold=gold, cast=story.cast, prefix=f"{session_id(scene.id)}:", seen=lambda _: seen()
        )
        messages, new = messages + len(replayed.lines), new + replayed.new
    return ImportResult(
        session=session, characters=tuple(each.id for each in found.cast),
        pieces=sum(pieces for pieces, _ in prepared), messages=messages, new=new, warnings=found.warnings,
        changed=new > 0 or story.cast.ids != cast.ids or any(changed for _, changed in prepared),
    )  # fmt: skip


async def _prepare(story: Session, part: Part) -> tuple[int, bool]:
    """Prepare what a file says, and take back what an older version of it said besides.

    How many pieces there are, and whether anything changed.
    """
    pieces = pieces_of(part.plot, part.cards, part.examples, part.lore, resolve=lambda id: id)
    before = await story.backstage().before()
    sources, names = set(map(piece_source, pieces)), set(map(original_name, part.originals))
    older = [one for one in before.preparations if names & set(map(original_name, one.originals))]
    stale = [one.key for one in older if {piece_source(each) for each in one.pieces} - sources]
    for key in stale:
        await story.retract(key, by="import")
    stands = all(each in before.pieces for each in pieces) and all(each in before.originals for each in part.originals)
    changed = bool(pieces or part.originals) and (bool(stale) or not stands)
    if changed:
        prepared = await story.prepare(
            plot=part.plot, cards=part.cards, examples=part.examples, lore=part.lore, originals=part.originals
        )
        await prepared.settled()
    return len(pieces), changed or bool(stale)
