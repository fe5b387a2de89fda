"""Options that several commands have in common."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

import click

NO_STORE = "Not used: this command opens no store."
format = click.option(
    "--format", "format", metavar="NAME", help="The importer.  [default: the first that accepts the file]"
)
directions = click.option(
    "--directions",
    type=click.Choice(["shown", "hidden"]),
    default="shown",
    show_default=True,
    help="Whether detectors see narration and stage directions.",
)
role = click.option(
    "--role", default="author", show_default=True, help="On whose behalf: owner, author, designer or player."
)
detection_task = click.option(
    "--task",
    type=click.Choice(["participants", "addressees"]),
    default="participants",
    show_default=True,
    help="participants: who perceives a message. addressees: who is spoken to.",
)
CommandFunction = Callable[..., Awaitable[None]]


def threshold(run: CommandFunction) -> CommandFunction:
    """Add `--threshold` and `--caution`, which a command gets as one argument `threshold`: a number or `None`."""

    @wraps(run)
    async def run_with_threshold(*args: Any, threshold: float | None, caution: float | None, **given: Any) -> None:
        from earwitness.loading.end_settings import threshold_of

        if caution is not None:
            if threshold is not None:
                raise click.UsageError("--caution and --threshold set the same probability. Leave out one of them.")
            threshold = threshold_of(caution)
        await run(*args, threshold=threshold, **given)

    for option in _THRESHOLD:
        run_with_threshold = option(run_with_threshold)
    return run_with_threshold


def host_word(run: CommandFunction) -> CommandFunction:
    """Add `--present` and `--audience`, which a command gets as tuples of names."""
    audience = click.option(
        "--audience", multiple=True, metavar="WHO", help="Who perceives all of it; may be repeated."
    )
    present = click.option("--present", multiple=True, metavar="WHO", help="Who is there; may be repeated.")
    return present(audience(run))


def channel(run: CommandFunction) -> CommandFunction:
    """Add the options for a channel to a command, which gets them as one argument `channel`.

    It is a `Channel`, or `None` when no option was given.
    """

    @wraps(run)
    async def run_with_channel(
        *args: Any, context: str | None, guild: str | None, persona: str | None, **given: Any
    ) -> None:
        from earwitness.records.channel import Channel

        ids = {"channel_id": given.pop("channel"), "guild_id": guild, "persona_id": persona}
        said = {key: value for key, value in {"context": context, **ids}.items() if value}
        await run(*args, channel=Channel.model_validate(said) if said else None, **given)

    for option in _CHANNEL:
        run_with_channel = option(run_with_channel)
    return run_with_channel


# Last first: click shows the one applied last on top.
_THRESHOLD = (
    click.option(
        "--caution",
        type=click.FloatRange(0, 1),
        help="How much worse a leak is than a miss, instead of a threshold: 0.75 = three times.",
    ),
    click.option(
        "--threshold",
        type=click.FloatRange(0, 1),
        help="Probability from which somebody perceives a message.  [default: the settings', 0.5]",
    ),
)
_CHANNEL = (
    click.option("--persona", metavar="ID", help="The persona that a user speaks or reads under."),
    click.option("--guild", metavar="ID", help="The guild or server."),
    click.option("--channel", metavar="ID", help="The channel."),
    click.option(
        "--context",
        type=click.Choice(["dm", "private_channel", "public_channel"]),
        help="The kind of channel.  [default: private_channel]",
    ),
)
