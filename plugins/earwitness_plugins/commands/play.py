"""`earwitness play STORY`: play a story file, and see who remembers what."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from earwitness.cli import Desk, story_command

if TYPE_CHECKING:
    from earwitness_plugins.stories.story import Story


@story_command("play")
@click.argument("story", metavar="STORY")
async def command(desk: Desk, story: str) -> None:
    """Play a story file and see who hears, learns and remembers what.

    Playing the same story into the same store again changes nothing.
    """
    from earwitness_plugins.stories.player import play
    from earwitness_plugins.stories.reading import read_story

    from .terminal.people import People
    from .terminal.story import StoryLook

    script = read_story(story)
    look = StoryLook(People(script.people()))
    async with desk.open(create=True) as ew:
        async for step in play(ew, script):
            desk.answer(step.model_dump(mode="json"), look.render(step))
    if not desk.json:
        desk.console.print(f"Now ask:  {_next_question(desk, script)}", markup=False)


def _next_question(desk: Desk, script: Story) -> str:
    """The command that asks on from where the story ended."""
    asked = [step.text for step in script.steps if step.kind == "who_knows"]
    question = ["who-knows", script.story, asked[0]] if asked else ["inspect", script.story]
    return shlex.join(["earwitness", *question, *desk.where()])
