"""`earwitness replay TRANSCRIPT…`: replay transcripts through END, and see who heard what."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from earwitness_plugins.terminal import CliContext, options, story_command

if TYPE_CHECKING:
    from earwitness.imports import Scene
    from earwitness.records.channel import Channel
    from earwitness_plugins.applications.replay.replay import ReplayedScene


@story_command("replay")
@click.argument("transcripts", nargs=-1, required=True, metavar="TRANSCRIPT…")
@click.option("--format", "name", metavar="NAME", help="The importer.  [default: the first that accepts the file]")
@click.option("--session", metavar="ID", help="The story's id, for a transcript of one scene.")
@click.option("--each", is_flag=True, help="Show every message and who heard it.")
@click.option(
    "--gold",
    is_flag=True,
    help="Use what the transcript says of who was there, and who perceived it.",
)
@options.channel
async def command(
    cli: CliContext,
    transcripts: tuple[str, ...],
    name: str | None,
    session: str | None,
    each: bool,
    gold: bool,
    channel: Channel | None,
) -> None:
    """Replay transcripts through END and see who heard what.

    Each scene becomes a story of its own. Replaying it again changes nothing; an interrupted replay is continued. The
    channel options are for lines that do not say where they were said.
    """
    from earwitness_plugins.applications.replay.replay import refuse_other_story, replay_all
    from earwitness_plugins.terminal.replays import each_line, next_question, scene_line, total_line
    from earwitness_plugins.terminal.warnings import FailureTally

    started, finished, failures = time.perf_counter(), [], FailureTally()

    def done(scene: ReplayedScene) -> None:
        finished.append(scene)
        for line in scene.lines:
            failures.add(line.failures)
        for line in scene.lines if each else ():
            cli.answer({"kind": "line", **line.model_dump(mode="json")}, each_line(line, scene.names))
        cli.answer(_summary(scene), scene_line(scene))

    scenes = list(_named(_scenes(transcripts, name, channel), session))
    async with cli.open(create=True) as ew:
        for id, scene in scenes:
            await refuse_other_story(ew, id, scene)
        with cli.progress("Replaying", sum(len(scene.lines) for _, scene in scenes)) as advance:
            await replay_all(ew, scenes, gold=gold, seen=lambda line: advance(1), done=done)
    if not cli.json:
        cli.console.print(total_line(finished, time.perf_counter() - started))
        click.echo(next_question(finished, cli.where()))
    failures.report()


def _summary(scene: ReplayedScene) -> dict[str, Any]:
    counts = {"messages": len(scene.lines), "new": scene.new, "heard": scene.heard}
    return {"kind": "scene", "session": scene.session, "names": scene.names, **counts}


def _scenes(transcripts: tuple[str, ...], name: str | None, channel: Channel | None) -> Iterator[Scene]:
    from earwitness.errors import StoryError
    from earwitness.loading.strategies import Strategies
    from earwitness_plugins.applications.imports.detect_format import read_file
    from earwitness_plugins.terminal.warnings import warn

    strategies = Strategies()
    for path in transcripts:
        found = read_file(strategies, path, name)
        if not found.scenes:
            raise StoryError(f"{path}: nobody speaks in it. To bring it into a story: earwitness import {path}")
        warn(found.repairs)
        yield from (scene.model_copy(update={"channel": channel}) if channel else scene for scene in found.scenes)


def _named(scenes: Iterator[Scene], session: str | None) -> Iterator[tuple[str, Scene]]:
    """Each scene with its session id. Raises `InputError` when one id was given for several scenes."""
    from earwitness.errors import InputError
    from earwitness_plugins.applications.replay.roles import distinct, session_id

    found = list(scenes)
    if session is None:
        return zip(distinct(session_id(scene.id) for scene in found), found, strict=True)
    if len(found) != 1:
        raise InputError(f"--session {session!r} is for one story, and there are {len(found)} scenes. Leave it out.")
    return iter([(session, found[0])])
