"""`earwitness play STORY`: play a story file, and see who remembers what."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from earwitness.errors import EarwitnessError, KeyConflict, StoryError
from earwitness_plugins.terminal import CliContext, story_command
from earwitness_plugins.terminal.context import program

if TYPE_CHECKING:
    from earwitness.backstage.knowers import Knower
    from earwitness.loading.settings import Settings
    from earwitness_plugins.applications.stories.events import StoryEnded
    from earwitness_plugins.applications.stories.story import Story

ENDINGS = (".yaml", ".yml")
NOBODY = "The file names nobody under `present:`. Characters are there once they speak, come in or are spoken to."


@story_command("play")
@click.argument("story", metavar="STORY")
@click.option("--fresh", is_flag=True, help="Forget what the store has of this story, and play it from the beginning.")
async def command(cli: CliContext, story: str, fresh: bool) -> None:
    """Play a story file and see who hears, learns and remembers what.

    Playing the same story into the same store again changes nothing; lines added at its end are played.
    """
    from earwitness_plugins.applications.stories.events import MessagePlayed, StoryEnded
    from earwitness_plugins.applications.stories.player import play
    from earwitness_plugins.terminal.people import People
    from earwitness_plugins.terminal.rule_warnings import warn_of_misspelt_names
    from earwitness_plugins.terminal.story_steps import StoryLook
    from earwitness_plugins.terminal.warnings import FailureTally

    script = _read(story, cli.settings())
    if _nobody_is_there(script) and not cli.json:
        click.echo(NOBODY, err=True)
    failures = FailureTally()
    async with cli.open(create=True) as ew:
        warn_of_misspelt_names(ew.settings, script.everybody())
        look = StoryLook(People(script.everybody(), ew.settings.calendar))
        for id in {script.story, *_bubbles(script)}.intersection(await ew.sessions()) if fresh else ():
            await ew.forget(id)
        try:
            async for step in play(ew, script):
                cli.answer(step.model_dump(mode="json"), look.render(step))
                if isinstance(step, MessagePlayed):
                    failures.add(step.failures)
                if isinstance(step, StoryEnded) and not cli.json:
                    click.echo(_next_question(step, script, cli.where()))
        except KeyConflict as error:
            raise _played_otherwise(error, story, cli.where()) from error
    failures.report()


def _bubbles(script: Story) -> list[str]:
    """The sessions of the bubbles that a story begins."""
    from earwitness_plugins.applications.stories.steps import AddedStep
    from earwitness_relationships.story_steps import BubbleStep

    added = [each.step for each in script.steps if isinstance(each, AddedStep)]
    return [each.session_id(script.story) for each in added if isinstance(each, BubbleStep)]


def _read(path: str, settings: Settings) -> Story:
    """The story. Raises `StoryError`, which for a file of another kind names the right command."""
    from earwitness_plugins.applications.stories.reader import read_story

    _check_ending(path)
    try:
        return read_story(path, settings)
    except StoryError as error:
        other = None if Path(path).suffix in ENDINGS else _command_for(path)
        if other is None:
            raise
        raise StoryError(f"{path}: this is not a story file, but {other}") from error


def _check_ending(path: str) -> None:
    """Raise `StoryError` for a path that only lacks its ending."""
    whole = next((f"{path}{ending}" for ending in ENDINGS if Path(f"{path}{ending}").exists()), None)
    if whole and not Path(path).exists():
        raise StoryError(f"{path}: there is no such file. Did you mean {whole}?")


def _command_for(path: str) -> str | None:
    """What kind of file it is, and the command for it; `None` when no importer accepts it."""
    from earwitness.loading.strategies import Strategies
    from earwitness_plugins.applications.imports.detect_format import is_export, read_file

    def call(*words: str) -> str:
        return shlex.join([program(), *words, path])

    try:
        if is_export(path):
            return f"a story that was exported. Take it in: {call('import')}"
        found = read_file(Strategies(), path)
    except (EarwitnessError, OSError):
        return None
    if found.scenes:
        return f"a chat or transcript. Run it: {call('replay')}"
    return f"a card or lorebook. Make a story of it: {call('new', 'mine.yaml')}"


def _nobody_is_there(script: Story) -> bool:
    """Whether the file does not say who is there when the first line is said."""
    from earwitness_plugins.applications.stories.steps import NoteStep, SayStep

    first = next((step for step in script.steps if not isinstance(step, NoteStep)), None)
    if script.present is not None or not isinstance(first, SayStep):
        return False
    return first.present is None and first.audience is None


def _played_otherwise(error: KeyConflict, story: str, where: list[str]) -> KeyConflict:
    conflict = str(error).partition(" To change a message")[0]
    fresh = shlex.join([program(), "play", story, "--fresh", *where])
    return KeyConflict(f"{conflict} To forget what the store has of it, and play it as it is now: {fresh}")


def _next_question(end: StoryEnded, script: Story, where: list[str]) -> str:
    """The next command to try: how does the character know who learned it last?"""
    found = [knower for question in end.questions[-1:] for knower in question.knowers.values() if knower.memory_id]
    if not found:
        return f"Look around:  {shlex.join([program(), 'inspect', script.story, *where])}"
    last = max(found, key=_learned_at)
    name = script.everybody()[last.character].name
    return f"How does {name} know?  {shlex.join([program(), 'explain', str(last.memory_id), *where])}"


def _learned_at(knower: Knower) -> tuple[bool, float]:
    """When a character learned it; whoever said or did it comes first."""
    return knower.learned is not None and knower.learned.way not in {"said", "did"}, knower.since or 0
