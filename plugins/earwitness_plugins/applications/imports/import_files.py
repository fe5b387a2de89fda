"""Importing files into a story: what was there before the story is prepared, what was said in it is replayed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from earwitness.app import Earwitness
from earwitness.imports import Imported
from earwitness.lore import pieces_of
from earwitness.records.base import Record
from earwitness.records.character import Cast, Character
from earwitness.session import Session
from earwitness_plugins.applications.replay.replay import replay
from earwitness_plugins.applications.replay.roles import Roles, session_id

from .chat_identities import believed
from .known_chats import KnownFile, as_known
from .merge import FilePreparation, MergedFiles, merge


class ImportResult(Record):
    """What an import brought into a story."""

    session: str
    """Session id."""
    characters: tuple[str, ...]
    """Ids of the characters that the files describe."""
    pieces: int
    """Number of pieces of plot, cards, dialogue and lore."""
    messages: int
    """Number of messages in the files."""
    new: int
    """Number of messages that the story did not have before."""
    edited: int = 0
    """Number of messages that a chat now says otherwise: edits and other swipes."""
    changed: bool
    """Whether anything was new."""
    warnings: tuple[str, ...]
    """What was repaired, and what could not be understood."""


async def import_files(
    ew: Earwitness,
    session: str,
    files: Sequence[Imported],
    *,
    user: str | None = None,
    gold: bool = False,
    personas: bool = False,
    seen: Callable[[], None] = lambda: None,
) -> ImportResult:
    """Import files into a story, which is begun if it does not exist. Importing them again changes nothing.

    `user` is the name that `{{user}}` stands for; by default the one persona of the story or the chats. With `gold`,
    what a chat says of who was there is certain. With `personas`, its word counts on which user's persona somebody is,
    even if the store has memories of that persona from elsewhere. `seen` is called for every message. A chat that comes
    back is edited where it changed. Raises `KeyConflict`, before anything is written, for a transcript that says
    otherwise what the story has of it; `InputError` and `StorageError` as a session does.
    """
    known = await as_known(ew, session, files)
    files = [each.file for each in known]
    cast = (await ew.open_session(session)).cast if session in await ew.sessions() else Cast()
    found = merge(await believed(ew, files, cast, personas=personas), cast, user=user)
    everybody, there = _everybody(found, cast)
    story = await ew.session(session, cast=everybody, present=there)
    kept = {each.version_of for each in (await story.backstage().before()).originals}
    grown = [part for part in found.parts if not part.says and kept & {each.version_of for each in part.originals}]
    prepared = [await _prepare(story, part) for part in found.parts if part not in grown]
    messages = new = 0
    edited = sum([await _correct(story, each, seen) for each in known])
    for scene in found.scenes:
        prefix = f"{session_id(scene.id)}:"
        replayed = await replay(ew, scene, session, gold=gold, cast=story.cast, prefix=prefix, seen=lambda _: seen())
        messages, new = messages + len(replayed.lines), new + replayed.new
    prepared += [await _prepare(story, part) for part in grown]  # now that its lines are told
    return ImportResult(
        session=session,
        characters=tuple(each.id for each in found.cast),
        pieces=sum(pieces for pieces, _ in prepared),
        messages=messages + sum(each.known for each in known),
        new=new,
        edited=edited,
        changed=new + edited > 0 or story.cast.ids != cast.ids or any(changed for _, changed in prepared),
        warnings=found.warnings,
    )


async def _correct(story: Session, known: KnownFile, seen: Callable[[], None]) -> int:
    """Change what a chat now says otherwise. Returns the number of messages that were changed."""
    for each in known.corrections:
        revised = await (story.reroll(each.text, key=each.key) if each.reroll else story.edit(each.key, each.text))
        await revised.settled()
    for _ in range(known.known):
        seen()
    return len(known.corrections)


def _everybody(found: MergedFiles, cast: Cast) -> tuple[list[Character], tuple[str, ...]]:
    """Those whom the files describe or let speak, and the ids of those who are there when they begin a story."""
    known, there = cast.joined(found.cast), tuple[str, ...]()
    for scene in reversed(found.scenes):
        there = Roles(scene, known).there_at_first(scene)
    for scene in found.scenes:
        known = known.joined(Roles(scene, known).cast())
    described = {each.id for each in found.cast}
    return [each for each in known if each.id in described or each.id not in cast], there


async def _prepare(story: Session, part: FilePreparation) -> tuple[int, bool]:
    """Prepare what a file says, and retract what only an older version of it said.

    Returns the number of pieces, and whether anything changed.
    """
    pieces = pieces_of(part.plot, part.cards, part.examples, part.lore, resolve=lambda id: id)
    before = await story.backstage().before()
    names = {each.version_of for each in part.originals}
    older = [one for one in before.preparations if names & {each.version_of for each in one.originals}]
    current = {each.version_of for each in pieces}
    stale = [one.key for one in older if not current.issuperset(each.version_of for each in one.pieces)]
    for key in stale:
        await story.retract(key, by="import")
    known = {*before.pieces}.issuperset(pieces) and {*before.originals}.issuperset(part.originals)
    changed = bool(pieces or part.originals) and (bool(stale) or not known)
    if changed:
        prepared = await story.prepare(
            plot=part.plot, cards=part.cards, examples=part.examples, lore=part.lore, originals=part.originals
        )
        await prepared.settled()
    return len(pieces), changed or bool(stale)
