"""`earwitness export [SESSION]`: a whole story, or the files that it began with, for others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from earwitness_plugins.terminal import CliContext, story_command

if TYPE_CHECKING:
    from earwitness.app import Earwitness
    from earwitness.records.channel import Channel
    from earwitness.session import Session
    from earwitness_plugins.applications.exports.files import File

WHOLE = "jsonl"
OUTPUT = "A folder; or a file, if one file is exported and PATH has a suffix.  [default: standard output]"


@story_command("export")
@click.argument("session", required=False)
@click.option(
    "--format",
    "name",
    type=click.Choice([WHOLE, "card", "worldinfo", "chat"]),
    default=WHOLE,
    show_default=True,
    help="jsonl: the whole story. The others: its cards, lorebooks or chats.",
)
@click.option("--output", "-o", metavar="PATH", default="-", help=OUTPUT)
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@click.option("--private", is_flag=True, help="In a chat, also what was said in direct messages and other channels.")
async def command(cli: CliContext, session: str | None, name: str, output: str, force: bool, private: bool) -> None:
    """Write a story with its bubbles as JSON Lines: everything said and decided. `import` takes it back.

    `card` and `worldinfo` write every imported file of that kind to the letter, and a new file for what came from
    none. `chat` writes what the story now says, lines that were not changed to the letter, and leaves out what was
    said in direct messages and other channels. SESSION may be left out if there is only one story.
    """
    from earwitness_plugins.terminal.warnings import logged_warnings

    async with cli.open() as ew:
        story = await ew.open_session(session or await cli.only_story(ew, "earwitness export ID"))
        bubbles = await _bubbles(ew, story) if name == WHOLE else []
        if name == WHOLE:
            with logged_warnings():
                written = [await _write_story(story, bubbles, output, force)]
        else:
            written = _write_files(await _files(story, name, private), output, force)
    for path in written:
        if path != "-":
            ids = [each.id for each in bubbles]
            more = f", with {', '.join(ids)}" if ids else ""
            cli.answer({"exported": story.id, "file": path, "bubbles": ids}, f"Exported {story.id} to {path}{more}")


async def _bubbles(ew: Earwitness, story: Session) -> list[Session]:
    """The sessions of the story's bubbles, which go out with it."""
    from earwitness_relationships.canon.bubbles import bubble_id, is_begun, links

    there = await ew.sessions()
    named = [id for name in links(story) if (id := bubble_id(story, name)) in there]
    found = [await ew.open_session(id) for id in named]
    return [each for each in found if is_begun(story, each)]


async def _write_story(story: Session, bubbles: Sequence[Session], output: str, force: bool) -> str:
    """Write a story, and behind it each of its bubbles."""
    from earwitness_plugins.applications.exports.files import file_name
    from earwitness_plugins.terminal.output import destinations, opened

    (path,) = destinations([file_name(story.id, ".jsonl")], output, force=force)
    announced = {"bubbles": [each.id for each in bubbles]} if bubbles else {}
    with opened(path, "w") as file:
        for each in (story, *bubbles):
            async for line in each.backstage(role="owner").export():
                head = announced if each is story and line["kind"] == "session" else {}
                file.write(json.dumps({**line, **head}, ensure_ascii=False) + "\n")
    return path


async def _files(story: Session, name: str, private: bool) -> list[File]:
    """The files of this format. Raises `InputError` where there are none."""
    from earwitness.errors import InputError
    from earwitness_plugins.applications.exports.chat import said_apart
    from earwitness_plugins.applications.exports.files import files
    from earwitness_plugins.applications.exports.story_messages import story_messages
    from earwitness_plugins.applications.exports.unsaid import not_in_a_chat
    from earwitness_plugins.terminal.warnings import warn

    before = await story.backstage(role="owner").before()
    messages = await story_messages(story) if name == "chat" else {}
    apart = said_apart([each for each in before.originals if each.format == "chat"], messages)
    for each in () if private else apart:
        each.left_out = True
    made = files(name, before, story.cast, story.id, messages)
    if apart and (private or made):
        warn([_marked(len(apart)) if private else _left_out([each.channel for each in apart])])
    if not made and apart:
        where = "direct messages or private channels"
        raise InputError(f"everything in {story.id!r} was said in {where}: add --private to export it.")
    if not made:
        raise InputError(f"{story.id!r} has nothing to export as {name}. For all of it: --format {WHOLE}.")
    if name == "chat" and (unsaid := not_in_a_chat(await story.backstage(role="owner").journal())):
        warn([unsaid])
    return list(made)


def _left_out(channels: Sequence[Channel]) -> str:
    """What a chat does not hold."""
    from earwitness.records.prose import counted

    where = "; ".join(dict.fromkeys(map(str, channels)))
    return (
        f"{counted(len(channels), 'message')} left out, said in another channel than the rest ({where}): a chat has "
        "one audience. With --private they are in it, marked for `earwitness import`"
    )


def _marked(number: int) -> str:
    from earwitness.records.prose import counted

    return (
        f"the chat holds {counted(number, 'message')} of direct messages and other channels. `earwitness import` "
        "tells them to those who perceived them; other programs show them to everybody"
    )


def _write_files(made: list[File], output: str, force: bool) -> list[str]:
    """Write the files, and return their paths."""
    from earwitness_plugins.terminal.output import destinations, opened

    paths = destinations([file.name for file in made], output, force=force)
    for path, file in zip(paths, made, strict=True):
        with opened(path, "wb") as target:
            target.write(file.data)
    return paths
