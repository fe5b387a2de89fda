"""How a chat begins: which story, and who the person is in it."""

from __future__ import annotations

from pathlib import Path

from earwitness import Character, Earwitness, Session
from earwitness.display_names import usable_name
from earwitness.errors import InputError
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


async def person(story: Session, name: str | None) -> str:
    """Id of the one whom the person plays: of this name, else the story's persona, else a newcomer.

    A name that nobody has is that of a newcomer, too. Raises `InputError` for several personas without a name.
    """
    if name is None:
        personas = [each for each in story.cast if each.kind == "persona"]
        if len(personas) > 1:
            raise InputError(f"who are you? Say --as NAME, with one of {', '.join(each.name for each in personas)}.")
        name = personas[0].id if personas else NEWCOMER
    found = story.cast.resolve(name)
    if found is None:
        if story.cast.called(name):
            raise InputError(f"several are called {name!r}. Say which, by id: {', '.join(story.cast.ids)}.")
        found = Character(name, name=usable_name(name), kind="persona")
        await story.join(found)
    if found.kind == "persona" and found.id not in story.state.whereabouts:
        await (await story.enter(found.id)).decided()
    return found.id
