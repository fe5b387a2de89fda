"""`earwitness new STORY --cards … --lore …`: make a story file of cards, lorebooks and chats."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from earwitness_plugins.terminal import CliContext, options, story_command
from earwitness_plugins.terminal.context import program

ENDINGS = (".yaml", ".yml")


@story_command("new")
@click.argument("story", metavar="STORY")
@click.argument("files", nargs=-1, metavar="[FILE]…")
@click.option("--cards", multiple=True, metavar="FILE…", help="Character cards: who is in the story.")
@click.option("--lore", multiple=True, metavar="FILE…", help="Lorebooks: facts of its world.")
@options.format
@click.option("--user", metavar="NAME", help="The name that {{user}} stands for.  [default: User]")
@click.option("--force", is_flag=True, help="Overwrite an existing story file.")
async def command(
    cli: CliContext,
    story: str,
    files: tuple[str, ...],
    cards: tuple[str, ...],
    lore: tuple[str, ...],
    format: str | None,
    user: str | None,
    force: bool,
) -> None:
    """Make a story file from character cards, lorebooks and chats, ready for `earwitness play`.

    It begins with the first message of every card, or with the messages of the chats.
    """
    from earwitness.errors import InputError
    from earwitness_plugins.terminal.warnings import warn

    path = _free_path(story, force)
    given = [*cards, *files, *lore]
    if not given:
        raise InputError("a story needs a cast. Name files: earwitness new STORY --cards a.png b.png")
    text, values, warnings = _made(path, given, format, user)
    with click.open_file(path, "w", encoding="utf-8", atomic=True) as file:
        file.write(text)
    warn(warnings)
    lore = values.get("prepare", {}).get("lore", [])
    said = [step for step in values["steps"] if "note" not in step]
    counts = {"cast": len(values["cast"]), "lore": len(lore), "steps": len(said)}
    answer = {"story": str(path), "session": values["story"], **counts, "warnings": warnings}
    cli.answer(answer, _lines(path, counts, values["cast"][0]["id"], cli.where()))


def _free_path(story: str, force: bool) -> Path:
    from earwitness_plugins.terminal.output import refuse_existing

    path = story if story.endswith(ENDINGS) else f"{story}.yaml"
    refuse_existing([path], force=force)
    return Path(path)


def _made(
    path: Path, files: list[str], format: str | None, user: str | None
) -> tuple[str, dict[str, Any], tuple[str, ...]]:
    """The text of the story file, its values, and warnings. Raises `StoryError` for a file that cannot be read."""
    from earwitness.errors import StoryError
    from earwitness.loading.files import yaml_text
    from earwitness.loading.strategies import Strategies
    from earwitness_plugins.applications.imports.detect_format import read_file
    from earwitness_plugins.applications.imports.story_writer import story_values
    from earwitness_plugins.applications.replay.roles import session_id
    from earwitness_plugins.applications.stories.reader import checked
    from earwitness_plugins.applications.stories.writer import story_text

    strategies = Strategies()
    title = " ".join(path.stem.replace("_", " ").replace("-", " ").split())
    contents = [read_file(strategies, each, format) for each in files]
    values, warnings = story_values(session_id(path.stem), title.title() if title.islower() else title, contents, user)
    if not values["cast"]:
        raise StoryError(f"{', '.join(files)}: they describe nobody. Add a character card with --cards.")
    names = ", ".join(Path(each).name for each in files)
    text = story_text(values, f"Made from {names}. Play it:  earwitness play {shlex.quote(path.name)}")
    checked(yaml_text(text, str(path), StoryError))
    return text, values, warnings


def _lines(path: Path, counts: dict[str, int], first: str, where: list[str]) -> str:
    from earwitness.records.prose import counted

    made = (counted(counts["lore"], "lore entry", "lore entries"), counted(counts["steps"], "opening line"))
    said = f"Wrote {path}: a cast of {counts['cast']}, {', '.join(made)}."
    add = "" if counts["steps"] else f'\nNobody speaks in it yet. Add lines at its end, such as  - {first}: "…"'
    return f"{said}{add}\nPlay it:  {shlex.join([program(), 'play', str(path), *where])}"
