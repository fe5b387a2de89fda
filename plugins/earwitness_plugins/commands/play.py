"""`earwitness play STORY`: play a story file, and see who remembers what."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from earwitness.cli import Desk, story_command

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
    look = StoryLook(People(script.people()))
    async with desk.open(create=True) as ew:
        async for step in play(ew, script):
            desk.answer(step.model_dump(mode="json"), look.render(step))
            if isinstance(step, Ended) and not desk.json:
                click.echo(_next_question(step, script, desk.where()))


def _next_question(end: Ended, script: Story, where: list[str]) -> str:
    """The command that asks on from where the story ended: how does the one who learned it last know?"""
    found = [knower for question in end.questions[-1:] for knower in question.knowers.values() if knower.memory_id]
    if not found:
        return f"Look around:  {shlex.join(['earwitness', 'inspect', script.story, *where])}"
    last = max(found, key=lambda knower: (knower.how != "said it", knower.since or 0))
    name = script.people()[last.character].name
    return f"How does {name} know?  {shlex.join(['earwitness', 'explain', str(last.memory_id), *where])}"
