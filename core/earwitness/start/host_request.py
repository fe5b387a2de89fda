"""The arguments of `turn`, checked: what a host asks of a character's memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import SettingsError, did_you_mean
from ..filters import Filter, as_filter
from ..journal import Journal
from ..loading.settings import RecallSettings
from ..names import NameResolver
from ..records.channel import Channel, Context
from ..records.journal import Entry, Said
from ..validation.arguments import text, texts
from ..validation.messages import known_channel

TURN = ("before", "query", "in_prompt", "context", "channel", "filter")
"""Arguments of `turn`, besides the settings of recall."""


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A host's request to a character's memory."""

    character: str
    """Character id."""
    query: str | None
    """A query of the host's own; `None` for the standard recall query (see `query_of`)."""
    in_prompt: tuple[str, ...] | None
    """Keys of messages that are already in the prompt; `None` = those in the query."""
    channel: Channel
    """Where the character is about to speak."""
    filter: Filter
    """A further filter on what may be recalled. It can only narrow the result."""
    before: Entry | None = None
    """The entry before which it is asked; `None` = now."""


def known_settings(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Settings of recall for one turn. Raises `SettingsError` for a name that `turn` does not take."""
    for name in given:
        if name not in (settings := RecallSettings.model_fields):
            takes = (*TURN, *settings)
            raise SettingsError(f"turn() takes no {name!r}, but {', '.join(takes)}.{did_you_mean(name, takes)}")
    return given


async def host_request(
    names: NameResolver,
    journal: Journal,
    wait: float,
    character: str,
    *,
    before: str | None,
    query: str | None,
    in_prompt: Sequence[str] | None,
    context: Context | None,
    channel: Channel | None,
    filter: Filter | str,
) -> tuple[RecallRequest, Sequence[Entry]]:
    """The request, made once the story has had `wait` seconds to catch up; and the entries that it did not wait for.

    Raises as `Session.turn`.
    """
    where = None if channel is None and context is None else known_channel(channel, context)
    query = None if query is None else text("query", query)
    in_prompt = None if in_prompt is None else texts("in_prompt", in_prompt)
    narrowed = as_filter(filter)
    waiting = await journal.waiting(wait, lambda: names.wearer(character))
    point = None if before is None else await journal.point(before)
    where = where or (point.body.channel if point and isinstance(point.body, Said) else Channel())
    return RecallRequest(names.wearer(character), query, in_prompt, where, narrowed, point), waiting
