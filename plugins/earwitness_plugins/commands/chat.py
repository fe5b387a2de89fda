"""`earwitness chat STORY`: talk with the cast of a story."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from earwitness_plugins.terminal import CliContext, story_command

if TYPE_CHECKING:
    from earwitness.records.character import Cast

RECAP = 3
"""Messages that are shown again at the beginning: the last ones that the person's character heard."""


@story_command("chat")
@click.argument("story")
@click.option("--as", "name", metavar="NAME", help="Who you are: one of the cast, or with --join a newcomer.")
@click.option("--join", is_flag=True, help="Join under this name if nobody has it, without being asked.")
async def command(cli: CliContext, story: str, name: str | None, join: bool) -> None:
    """Talk with the cast of a story. The language model of [model] answers for them.

    STORY is a story file, which is played first, or a story in the store. Whoever is spoken to answers, and each line
    shows who heard it. /help shows what else there is. /quit or Ctrl-D leaves; the same command goes on. The exit code
    is 1 if the detector failed, so that nobody heard something that was said.
    """
    from earwitness_plugins.applications.chat.chat import StoryChat
    from earwitness_plugins.applications.chat.entry import is_file, opened, person
    from earwitness_plugins.applications.stories.reader import read_story
    from earwitness_plugins.models.settings import model_settings
    from earwitness_plugins.terminal.chat_loop import ChatLoop
    from earwitness_plugins.terminal.chat_orders import do, order_names
    from earwitness_plugins.terminal.chat_screen import ChatScreen
    from earwitness_plugins.terminal.context import store_exists
    from earwitness_plugins.terminal.line_input import line_input
    from earwitness_plugins.terminal.people import People
    from earwitness_plugins.terminal.story_steps import StoryLook

    settings = cli.settings()
    model_settings(settings)
    script = read_story(story, settings) if is_file(story) else None
    if script and not store_exists(settings):  # what cannot be chatted with makes no store
        join = _joins(cli, script.everybody(), name, join)
    async with cli.open(create=is_file(story)) as ew:
        if script and script.story not in await ew.sessions():  # nor is it played
            join = _joins(cli, script.everybody(), name, join)
        session = await opened(ew, story)
        join = _joins(cli, session.cast, name, join)
        chat = StoryChat(ew, session, await person(session, name, join=join))
        await ew.warm_up()
        reader = line_input(lambda: [*order_names(), *(each.name for each in chat.story.cast)], edited=not cli.json)
        screen = ChatScreen(cli, chat, StoryLook(People(session.cast, ew.settings.calendar)), typed=reader.shows)
        loop = ChatLoop(chat, screen, do)
        screen.note(f"You are {screen.person}. /help shows what you can do; /quit leaves.")
        if refused := chat.refused_partner():
            screen.note(refused)
        screen.recap(await session.messages(heard_by=chat.person, limit=RECAP))
        for each in await loop.role_plays.open():
            screen.note(f"A role play is open. To go on with it: /roleplay start {each}")
        try:
            await loop.run(reader)
        finally:
            await chat.close()
    cli.finish(ok=not loop.undecided)


def _joins(cli: CliContext, cast: Cast, name: str | None, join: bool) -> bool:
    """Whether the person joins the cast. On a terminal, somebody with a name that nobody has is asked.

    Raises `UnknownName` elsewhere, `Abort` for a no, and `InputError` for a name that cannot be had.
    """
    from earwitness.errors import UnknownName
    from earwitness_plugins.applications.chat.entry import check_person

    try:
        check_person(cast, name, join=join)
    except UnknownName as error:
        if cli.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise
        click.echo(str(error), err=True)
        click.confirm(f"Join now, as {name}?", abort=True, err=True)
        return True
    return join
