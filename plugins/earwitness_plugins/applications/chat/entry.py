"""How a chat begins: which story, and who the person is in it."""

from __future__ import annotations

from pathlib import Path

from earwitness import Character, Earwitness, Session
from earwitness.errors import InputError, UnknownName
from earwitness.records.character import Cast
from earwitness_plugins.applications.stories.player import play
from earwitness_plugins.applications.stories.reader import read_story
from earwitness_plugins.models.client import ModelClient

ENDINGS = (".yaml", ".yml")
NEWCOMER = "User"
"""Who the person is in a story without a persona."""


def is_file(story: str) -> bool:
    """Whether this names a story file rather than a story in the store."""
    return Path(story).suffix in ENDINGS or Path(story).is_file()


async def opened(ew: Earwitness, story: str) -> Session:
    """The story in the store. One of a file that is not in it yet is played first.

    Raises `StoryError` for what is not a story file, `UnknownName`, and `SettingsError` without a table `[model]`,
    before anything is played.
    """
    ModelClient.shared(ew.settings, ew.resources, ew.strategies)
    if not is_file(story):
        return await ew.open_session(story)
    script = read_story(story, ew.settings)
    if script.story not in await ew.sessions():
        async for _ in play(ew, script):
            pass
    return await ew.open_session(script.story)


def check_person(cast: Cast, name: str | None, *, join: bool = False) -> None:
    """Raise what `person` raises for a name that cannot be had in a story with this cast."""
    wanted, join = _wanted(cast, name, join=join)
    if join and not cast.called(wanted):
        cast.check_newcomers([_newcomer(wanted)])
    else:
        _member(cast, wanted)


async def person(story: Session, name: str | None, *, join: bool = False) -> str:
    """Id of the one whom the person plays: of this name, else the story's persona, else a newcomer.

    With `join`, a name that nobody has is that of a newcomer. Raises `UnknownName` for such a name without it,
    `InputError` for a name that cannot be shown, and for several personas without a name.
    """
    wanted, join = _wanted(story.cast, name, join=join)
    if not story.cast.called(wanted) and join:
        await story.join(_newcomer(wanted))
    found = _member(story.cast, wanted)
    if found.kind == "persona" and found.id not in story.state.whereabouts:
        await (await story.enter(found.id)).decided()
    return found.id


def _wanted(cast: Cast, name: str | None, *, join: bool) -> tuple[str, bool]:
    """Name or id of whom the person plays, and whether they may join under it. Raises `InputError` for several."""
    if name is not None:
        return name, join
    personas = [each for each in cast if each.kind == "persona"]
    if len(personas) > 1:
        raise InputError(f"who are you? Say --as NAME, with one of {', '.join(each.name for each in personas)}.")
    return (personas[0].id, join) if personas else (NEWCOMER, True)


def _newcomer(name: str) -> Character:
    return Character(name, name=name, kind="persona")


def _member(cast: Cast, name: str) -> Character:
    """The member of the cast with this name. Raises `UnknownName`, which says how a newcomer joins."""
    try:
        return cast.named(name)
    except UnknownName as error:
        if cast.called(name):
            raise
        raise UnknownName(f"{error} To join the story as a newcomer, add --join.") from None
