"""`earwitness import FILE…`: take in cards, lorebooks, chats, and what `export` wrote."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from earwitness_plugins.terminal import CliContext, options, story_command

if TYPE_CHECKING:
    from earwitness.app import Earwitness
    from earwitness.imports import Imported
    from earwitness.records.channel import Channel
    from earwitness.story_export import StoryExport
    from earwitness_plugins.applications.imports.import_files import ImportResult


@story_command("import")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--into", metavar="ID", help="The story for cards, lorebooks and chats.  [default: one of their own]")
@click.option("--as", "id", metavar="ID", help="Another id for an exported story.  [default: its own]")
@click.option("--format", "name", metavar="NAME", help="The importer.  [default: the first that accepts the file]")
@click.option("--user", metavar="NAME", help="The name that {{user}} stands for.  [default: the story's persona]")
@click.option(
    "--personas",
    is_flag=True,
    help="Believe a chat who its users' personas are, even if they have memories here.",
)
@options.channel
async def command(
    cli: CliContext,
    files: tuple[str, ...],
    into: str | None,
    id: str | None,
    name: str | None,
    user: str | None,
    personas: bool,
    channel: Channel | None,
) -> None:
    """Take in character cards, lorebooks and chats, or stories that `export` wrote.

    FILE may be - for an exported story on standard input. Importing a file again changes nothing. All files are read
    and checked first: a refused import changes nothing and makes no store. The channel options
    are for messages that do not say where they were said.
    """
    from earwitness_plugins.applications.imports.exported_stories import named_exports, without_bubbles

    exports, found = _read(files, name)
    _check_options(without_bubbles(exports), found, into, id)
    stories = list(_stories([(path, _held_in(channel, each)) for path, each in found], into))
    _check_ids(cli, [export.id for export in exports], [id] if id else [session for session, _ in stories])
    async with cli.open(create=True) as ew:
        for export, named in named_exports(exports, id):
            await _import_export(ew, cli, export, named)
        await _import_files(ew, cli, stories, user, personas=personas)


def _read(paths: Sequence[str], name: str | None) -> tuple[list[StoryExport], list[tuple[str, Imported]]]:
    """The exported stories, and all other files with their paths."""
    from earwitness.loading.strategies import Strategies
    from earwitness_plugins.applications.imports.detect_format import is_export, read_file
    from earwitness_plugins.applications.imports.exported_stories import read_exports
    from earwitness_plugins.importers.rows import rows, rows_in

    strategies = Strategies()
    exports: list[StoryExport] = []
    found: list[tuple[str, Imported]] = []
    for path in paths:
        if path == "-" or (name is None and is_export(path)):
            place = "standard input" if path == "-" else path
            lines = [row.values for row in (rows_in(sys.stdin, place) if path == "-" else rows(path))]
            exports += read_exports(lines, place)
        else:
            found.append((path, read_file(strategies, path, name)))
    return exports, found


def _check_options(exports: Sequence[object], found: Sequence[object], into: str | None, id: str | None) -> None:
    from earwitness.errors import InputError

    if exports and into is not None:
        raise InputError(f"--into {into!r}: an exported story cannot go into another. Give it another id with --as.")
    if id is not None and (found or len(exports) > 1):
        raise InputError(f"--as {id!r} is for one exported story. Say where cards and chats go with --into.")


def _held_in(channel: Channel | None, found: Imported) -> Imported:
    """The file, its scenes held in a channel."""
    scenes = tuple(scene.model_copy(update={"channel": channel}) for scene in found.scenes)
    return found.model_copy(update={"scenes": scenes}) if channel else found


def _check_ids(cli: CliContext, known: Sequence[str], named: Sequence[str]) -> None:
    """Raise `InvalidId` for a session id that cannot be used, before a store is made for it."""
    from earwitness.ids import check_new_session_id, check_session_id
    from earwitness_plugins.terminal.context import store_exists

    for id in (*known, *named):
        check_session_id(id)
    if not store_exists(cli.settings()):
        for id in named:
            check_new_session_id(id)


async def _import_export(ew: Earwitness, cli: CliContext, export: StoryExport, id: str) -> None:
    from earwitness_plugins.terminal.warnings import warn

    written: list[int] = []
    with cli.progress("Importing", len(export.past)) as advance:

        def seen(count: int) -> None:
            written.append(count)
            advance(count)

        story = await ew.import_session(export, id=id, seen=seen)
    if written and export.left_out:
        warn([_left_out(story.id, export.left_out)])
    shown = f"Imported {story.id}{'' if written else ': nothing new'}"
    answered = {"entries": len(export.past), "new": bool(written), "left_out": list(export.left_out)}
    cli.answer({"imported": story.id, **answered}, shown)


def _left_out(session: str, names: Sequence[str]) -> str:
    return (
        f"{session} wrote memories to {', '.join(names)}, which belong to no session. An export does not hold them. "
        "Copy the whole store to take them along, or write them again, documents by uploading them: docs/hosts.md, "
        "Beyond one story"
    )


def _stories(found: Sequence[tuple[str, Imported]], into: str | None) -> Iterator[tuple[str, list[Imported]]]:
    """Session ids and what goes into each: one for cards and lorebooks together, one for each scene."""
    from earwitness_plugins.applications.replay.roles import distinct, session_id

    if into is not None:
        yield into, [each for _, each in found]
        return
    before = [(path, each) for path, each in found if not each.scenes]
    if before:
        yield session_id(Path(before[0][0]).stem), [each for _, each in before]
    apart = [part for _, each in found for part in _scene_by_scene(each)]
    yield from zip(distinct(session_id(each.scenes[0].id) for each in apart), ([each] for each in apart), strict=True)


def _scene_by_scene(found: Imported) -> Iterator[Imported]:
    """The file once for each of its scenes; the first one keeps the warnings about the file."""
    for number, scene in enumerate(found.scenes):
        more = {} if number == 0 else {"repairs": ()}
        yield found.model_copy(update={"scenes": (scene,), **more})


async def _import_files(
    ew: Earwitness, cli: CliContext, stories: Iterable[tuple[str, list[Imported]]], user: str | None, *, personas: bool
) -> None:
    from earwitness_plugins.applications.imports.import_files import import_files
    from earwitness_plugins.applications.imports.known_chats import as_known
    from earwitness_plugins.terminal.warnings import warn

    stories = list(stories)
    for id, files in stories:
        await as_known(ew, id, files)  # one that is refused keeps the others out too
    total = sum(len(scene.lines) for _, files in stories for each in files for scene in each.scenes)
    with cli.progress("Importing", total) as advance:
        how: dict[str, Any] = {"user": user, "personas": personas, "seen": lambda: advance(1)}
        results = [await import_files(ew, id, files, **how) for id, files in stories]
    for result in results:
        warn(result.warnings)
        counts = result.model_dump(mode="json", exclude={"session"})
        cli.answer({"imported": result.session, **counts}, _line(result))


def _line(result: ImportResult) -> str:
    counts = {"character": len(result.characters), "piece": result.pieces, "message": result.new}
    counts |= {"edit": result.edited}
    said = [f"{number:,} {what}{'s' * (number != 1)}" for what, number in counts.items() if number]
    rest = result.messages - result.new - result.edited
    there = f" ({rest:,} there already)" if 0 < rest < result.messages else ""
    return f"Imported into {result.session}: {', '.join(said) if said and result.changed else 'nothing new'}{there}"
