"""`earwitness export [SESSION]`: a whole story, or what was there before it, for others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from earwitness_plugins.terminal import CliContext, story_command

if TYPE_CHECKING:
    from earwitness.session import Session
    from earwitness_plugins.applications.exports.files import File

WHOLE = "jsonl"


@story_command("export")
@click.argument("session", required=False)
@click.option(
    "--format", "name", type=click.Choice([WHOLE, "card", "worldinfo", "chat"]), default=WHOLE, show_default=True,
    help="jsonl: the whole story. The others: the cards, lorebooks or chats that came into it.",
)  # fmt: skip
@click.option("--output", "-o", metavar="PATH", default="-", help="A file, or a folder.  [default: standard output]")
async def command(cli: CliContext, session: str | None, name: str, output: str) -> None:
    """Write a story as JSON Lines: everything said and decided. `import` takes it back.

    As card, worldinfo or chat: every file of that kind as it came, to the letter, and what came from no file as a new
    one. SESSION may be left out where there is one story only.
    """
    async with cli.open() as ew:
        story = await ew.open_session(session or _only(await ew.sessions()))
        written = [await _whole(story, output)] if name == WHOLE else _write(await _parts(story, name), output)
    for path in written:
        if path != "-":
            cli.answer({"exported": story.id, "file": path}, f"Exported {story.id} to {path}")


def _only(sessions: Sequence[str]) -> str:
    from earwitness.errors import InputError

    if len(sessions) != 1:
        raise InputError(f"name the story: earwitness export ID. There are: {', '.join(sessions) or 'none'}.")
    return sessions[0]


async def _whole(story: Session, output: str) -> str:
    path = _within(output, f"{story.id}.jsonl")
    with click.open_file(path, "w", encoding="utf-8", atomic=True) as file:
        async for line in story.backstage().export():
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return path


def _within(output: str, name: str) -> str:
    return str(Path(output) / name) if Path(output).is_dir() else output


async def _parts(story: Session, name: str) -> list[File]:
    from earwitness.errors import InputError
    from earwitness_plugins.applications.exports.files import files

    made = files(name, await story.backstage().before(), story.cast, story.id)
    if not made:
        raise InputError(f"{story.id!r} has nothing that could go out as {name}. All of it: --format {WHOLE}.")
    return list(made)


def _write(made: list[File], output: str) -> list[str]:
    """Write the files, and say where. Raises `InputError` for several that would go to one place."""
    places = _places(made, output)
    for place, file in zip(places, made, strict=True):
        with click.open_file(place, "wb", atomic=place != "-") as target:
            target.write(file.data)
    return places


def _places(made: list[File], output: str) -> list[str]:
    from earwitness.errors import InputError

    folder = Path(output)
    if output != "-" and (folder.is_dir() or output.endswith("/") or (len(made) > 1 and not folder.exists())):
        folder.mkdir(parents=True, exist_ok=True)
        return [str(folder / file.name) for file in made]
    if len(made) > 1:
        names = ", ".join(file.name for file in made)
        raise InputError(f"{len(made)} files ({names}) need a folder: --output FOLDER.")
    return [output]
