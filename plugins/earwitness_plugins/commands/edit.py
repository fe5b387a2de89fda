"""`earwitness edit SESSION KEY "text"`: correct a message, and everything that was remembered of it."""

from __future__ import annotations

import shlex

import click

from earwitness.cli import Desk, program, story_command


@story_command("edit")
@click.argument("session")
@click.argument("key")
@click.argument("text")
@click.option("--reroll", is_flag=True, help="Another answer in place of the old one, not a correction.")
async def command(desk: Desk, session: str, key: str, text: str, reroll: bool) -> None:
    """Put another text in place of a message, in everybody's memory.

    KEY is the message's, as `inspect` shows it. Who perceives the new text is decided again.
    """
    from earwitness.errors import InputError

    from .terminal.people import People
    from .terminal.shelves import settled

    if not text.strip():
        retract = shlex.join([program(), "retract", session, key, *desk.where()])
        raise InputError(f"the new text is empty. To take the message back: {retract}")
    async with desk.open() as ew:
        story = await ew.open_session(session)
        outcome = await (story.reroll(text, key=key) if reroll else story.edit(key, text))
        decided = await outcome.settled()
        data = {"key": key, "participants": list(decided.participants), "degraded": decided.degraded}
        desk.answer(data, settled(decided, People(story.cast, ew.settings.calendar)))
