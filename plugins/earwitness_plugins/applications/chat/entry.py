"""How a chat begins: which story, and who the person is in it."""

from __future__ import annotations

from pathlib import Path

from earwitness import Character, Earwitness, Session
from earwitness.errors import InputError, UnknownName
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

    Raises `StoryError` for what is no story file, `UnknownName`, and `SettingsError` without a table `[model]`, before
    anything is played.
    """
    ModelClient.shared(ew.settings, ew.resources, ew.strategies)
    if not is_file(story):
        return await ew.open_session(story)
    script = read_story(story, ew.settings)
    if script.story not in await ew.sessions():
        async for _ in play(ew, script):
            pass
    return await ew.open_session(script.story)


async def person(story: Session, name: str | None, *, join: bool = False) -> str:
    """Id of the one whom the person plays: of this name, else the story's persona, else a newcomer.

    With `join`, a name that nobody has is that of a newcomer. Raises `UnknownName` for such a name without it,
    `InputError` for a name that cannot be shown, and for several personas without a name.
    """
    if name is None:
        personas = [each for each in story.cast if each.kind == "persona"]
        if len(personas) > 1:
            raise InputError(f"who are you? Say --as NAME, with one of {', '.join(each.name for each in personas)}.")
        name, join = (personas[0].id, join) if personas else (NEWCOMER, True)
    if not story.cast.called(name) and join:
        await story.join(Character(name, name=name, kind="persona"))
    found = _member(story, name)
    if found.kind == "persona" and found.id not in story.state.whereabouts:
        await (await story.enter(found.id)).decided()
    return found.id


def _member(story: Session, name: str) -> Character:
    """The member of the cast with this name. Raises `UnknownName`, which says how a newcomer joins."""
    try:
        return story.cast.named(name)
    except UnknownName as error:
        if story.cast.called(name):
            raise
        raise UnknownName(f"{error} To join the story as a newcomer, add --join.") from None
