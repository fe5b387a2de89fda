"""`earwitness edit SESSION KEY "text"`: correct a message, and everybody's memory of it."""

from __future__ import annotations

import shlex
from functools import partial

import click

from earwitness_plugins.terminal import CliContext, options, story_command
from earwitness_plugins.terminal.context import program


@story_command("edit")
@click.argument("session")
@click.argument("key")
@click.argument("text")
@click.option("--reroll", is_flag=True, help="The text is another answer, not a correction.")
@options.host_word
async def command(
    cli: CliContext,
    session: str,
    key: str,
    text: str,
    reroll: bool,
    present: tuple[str, ...],
    audience: tuple[str, ...],
) -> None:
    """Replace the text of a message, in everybody's memory.

    KEY is that of the message, as `inspect` shows it. Who perceives the new text is decided again. --present and
    --audience correct who was there and who perceived it; they cannot be combined with --reroll.
    """
    from earwitness.errors import InputError
    from earwitness_plugins.terminal.containers import settled
    from earwitness_plugins.terminal.people import People

    if not text.strip():
        retract = shlex.join([program(), "retract", session, key, *cli.where()])
        raise InputError(f"the new text is empty. To retract the message: {retract}")
    if reroll and (present or audience):
        raise InputError("--reroll keeps who is there and who perceives it: leave out --present and --audience.")
    async with cli.open() as ew:
        story = await ew.open_session(session)
        there, perceive = present or None, audience or None
        edit = partial(story.edit, key, text, present=there, audience=perceive)
        outcome = await (story.reroll(text, key=key) if reroll else edit())
        decided = await outcome.settled()
        people = {"participants": list(decided.participants), "addressees": list(decided.addressees)}
        data = {"key": key, **people, "degraded": decided.degraded}
        cli.answer(data, settled(decided, People(story.cast, ew.settings.calendar)))
