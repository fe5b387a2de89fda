"""`earwitness play STORY`: play a story file, and see who remembers what."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from earwitness.cli import Desk, story_command
from earwitness.errors import KeyConflict

if TYPE_CHECKING:
    from earwitness_plugins.stories.shown import Ended
    from earwitness_plugins.stories.story import Story


@story_command("play")
@click.argument("story", metavar="STORY")
async def command(desk: Desk, story: str) -> None:
    """Play a story file and see who hears, learns and remembers what.

    Playing the same story into the same store again changes nothing.
    """
    from earwitness_plugins.stories.player import play
    from earwitness_plugins.stories.reading import read_story
    from earwitness_plugins.stories.shown import Ended

    from .terminal.people import People
    from .terminal.story import StoryLook

    script = read_story(story)
    if not script.present and not desk.json:
        click.echo("Nobody is `present:` at first: whoever speaks, comes in or is spoken to is here from then on.", err=True)
    look = StoryLook(People(script.people()))
    async with desk.open(create=True) as ew:
        try:
            async for step in play(ew, script):
                desk.answer(step.model_dump(mode="json"), look.render(step))
                if isinstance(step, Ended) and not desk.json:
                    click.echo(_next_question(step, script, desk.where()))
        except KeyConflict as error:
            raise _played_otherwise(error, script, desk.where()) from error


def _played_otherwise(error: KeyConflict, script: Story, where: list[str]) -> KeyConflict:
    told = str(error).partition(" To change a message")[0]
    forget = shlex.join([_program(), "forget", script.story, "--yes", *where])
    return KeyConflict(f"{told} The story was played here with other lines: begin anew with {forget}, or another --store.")


def _program() -> str:
    """How this program is called from here: by its path where the shell would not find it."""
    called = Path(sys.argv[0])
    return str(called) if called.name == "earwitness" and shutil.which("earwitness") is None else "earwitness"


def _next_question(end: Ended, script: Story, where: list[str]) -> str:
    """The command that asks on from where the story ended: how does the one who learned it last know?"""
    found = [knower for question in end.questions[-1:] for knower in question.knowers.values() if knower.memory_id]
    if not found:
        return f"Look around:  {shlex.join([_program(), 'inspect', script.story, *where])}"
    last = max(found, key=lambda knower: (knower.how != "said it", knower.since or 0))
    name = script.people()[last.character].name
    return f"How does {name} know?  {shlex.join([_program(), 'explain', str(last.memory_id), *where])}"
