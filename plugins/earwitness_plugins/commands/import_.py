"""`earwitness import FILE…`: take in cards, lorebooks, chats, and what `export` wrote."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from earwitness_plugins.terminal import CliContext, story_command

if TYPE_CHECKING:
    from earwitness.app import Earwitness
    from earwitness.importing import Imported
    from earwitness_plugins.applications.imports.import_files import ImportResult

Export = list[dict[str, Any]]


@story_command("import")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--into", metavar="ID", help="The story for cards, lorebooks and chats.  [default: one of their own]")
@click.option("--as", "id", metavar="ID", help="Another id for an exported story.  [default: its own]")
@click.option("--format", "name", metavar="NAME", help="The importer.  [default: whichever takes the file for its own]")
@click.option("--user", metavar="NAME", help="Whom {{user}} stands for.  [default: the story's persona]")
async def command(
    cli: CliContext, files: tuple[str, ...], into: str | None, id: str | None, name: str | None, user: str | None
) -> None:
    """Take in character cards, lorebooks and chats, or stories that `export` wrote.

    FILE may be - for an exported story on standard input. Importing a file again changes nothing.
    """
    exports, found = _read(files, name)
    _check(exports, found, into, id)
    async with cli.open(create=True) as ew:
        for lines in exports:
            await _take(ew, cli, lines, id)
        await _import(ew, cli, _stories(found, into), user)


def _read(paths: Sequence[str], name: str | None) -> tuple[list[Export], list[tuple[str, Imported]]]:
    """Exported stories, and everything else; all of it, before anything is written."""
    from earwitness.loading.strategies import Strategies
    from earwitness_plugins.applications.imports.detect_format import is_export, read_file
    from earwitness_plugins.importers.rows import rows, rows_in

    strategies = Strategies()
    exports: list[Export] = []
    found: list[tuple[str, Imported]] = []
    for path in paths:
        if path == "-":
            exports.append([row.values for row in rows_in(sys.stdin, "standard input")])
        elif name is None and is_export(path):
            exports.append([row.values for row in rows(path)])
        else:
            found.append((path, read_file(strategies, path, name)))
    return exports, found


async def _take(ew: Earwitness, cli: CliContext, lines: Export, id: str | None) -> None:
    name = id or str(lines[0].get("id")) if lines else ""
    found = await ew.engine.ledger.load(name)
    there = found is not None and not found.unfinished
    with cli.progress("Importing", len(lines) - 1) as advance:
        story = await ew.import_session(lines, id=id, seen=advance)
    shown = f"Imported {story.id}{': nothing new' if there else ''}"
    cli.answer({"imported": story.id, "lines": len(lines), "new": not there}, shown)


def _check(exports: Sequence[Export], found: Sequence[object], into: str | None, id: str | None) -> None:
    from earwitness.errors import InputError

    if exports and into is not None:
        raise InputError(f"--into {into!r}: an exported story is a whole one. Give it another id with --as.")
    if id is not None and (found or len(exports) > 1):
        raise InputError(f"--as {id!r} names one exported story. Say where cards and chats go with --into.")


def _stories(found: Sequence[tuple[str, Imported]], into: str | None) -> Iterator[tuple[str, list[Imported]]]:
    """Session id and what goes into it: one for cards and lorebooks together, one for each scene."""
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
    """The file once for each of its scenes; the first one keeps what had to be said of the file."""
    for number, scene in enumerate(found.scenes):
        more = {} if number == 0 else {"repairs": ()}
        yield found.model_copy(update={"scenes": (scene,), **more})


async def _import(
    ew: Earwitness, cli: CliContext, stories: Iterable[tuple[str, list[Imported]]], user: str | None
) -> None:
    from earwitness_plugins.applications.imports.import_files import import_files
    from earwitness_plugins.terminal.warnings import warn

    stories = list(stories)
    total = sum(len(scene.lines) for _, files in stories for each in files for scene in each.scenes)
    with cli.progress("Importing", total) as advance:
        done = [await import_files(ew, id, files, user=user, seen=lambda: advance(1)) for id, files in stories]
    for result in done:
        warn(result.warnings)
        counts = result.model_dump(mode="json", exclude={"session"})
        cli.answer({"imported": result.session, **counts}, _line(result))


def _line(result: ImportResult) -> str:
    counts = {"character": len(result.characters), "piece": result.pieces, "message": result.messages}
    said = [f"{number:,} {what}{'s' * (number != 1)}" for what, number in counts.items() if number]
    return f"Imported into {result.session}: {', '.join(said) if said and result.changed else 'nothing new'}"
