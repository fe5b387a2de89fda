"""`earwitness chat STORY`: talk with the cast of a story."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from earwitness_plugins.terminal import CliContext, story_command

if TYPE_CHECKING:
    from earwitness.session import Session

RECAP = 3
"""Messages that are shown again at the beginning: the last ones that the person's character heard."""


@story_command("chat")
@click.argument("story")
@click.option("--as", "name", metavar="NAME", help="Who you are: one of the cast, or with --join a newcomer.")
@click.option("--join", is_flag=True, help="Join under this name if nobody has it, without being asked.")
async def command(cli: CliContext, story: str, name: str | None, join: bool) -> None:
    """Talk with the cast of a story. The language model of [model] answers for them.

    STORY is a story file, which is played first, or a story in the store. Whoever is spoken to answers, and below each
    line stands who heard it. /help shows what else there is. /quit or Ctrl-D leaves; the same command goes on.
    """
    from earwitness_plugins.applications.chat.chat import StoryChat
    from earwitness_plugins.applications.chat.entry import is_file, opened
    from earwitness_plugins.applications.stories.reader import read_story
    from earwitness_plugins.models.settings import model_settings
    from earwitness_plugins.terminal.chat_loop import ChatLoop
    from earwitness_plugins.terminal.chat_orders import do, order_names
    from earwitness_plugins.terminal.chat_screen import ChatScreen
    from earwitness_plugins.terminal.line_input import line_input
    from earwitness_plugins.terminal.people import People
    from earwitness_plugins.terminal.story_steps import StoryLook

    settings = cli.settings()
    model_settings(settings)
    if is_file(story):
        read_story(story, settings)  # what cannot be chatted with makes no store
    async with cli.open(create=is_file(story)) as ew:
        session = await opened(ew, story)
        chat = StoryChat(ew, session, await _person(cli, session, name, join))
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


async def _person(cli: CliContext, story: Session, name: str | None, join: bool) -> str:
    """Id of the one whom the person plays. On a terminal, a name that nobody has is asked about.

    Raises `UnknownName` elsewhere, and `Abort` for a no.
    """
    from earwitness.errors import UnknownName
    from earwitness_plugins.applications.chat.entry import person

    try:
        return await person(story, name, join=join)
    except UnknownName as error:
        if cli.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise
        click.echo(str(error), err=True)
        click.confirm(f"Join now, as {name}?", abort=True, err=True)
    return await person(story, name, join=True)
