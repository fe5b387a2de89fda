"""What those who may tell of a message know of it."""

from __future__ import annotations

from collections.abc import Collection

from earwitness import SharingEvent
from earwitness.formats import message_text_of


def can_tell(event: SharingEvent) -> dict[str, str]:
    """Character id → what this character knows of the message and can tell: what they perceived, or have been told."""
    message = event.message
    arrived = {each.owner: message_text_of(each.body) for each in event.arrived}
    return {**{id: message.heard_by(id) for id in message.participants}, **arrived}


async def told_before(event: SharingEvent, characters: Collection[str]) -> dict[str, str]:
    """Character id → what those of these who were told of the message before today's arrivals know of it."""
    found = await event.standing.deliveries([event.message.message.key]) if characters else ()
    known = [each for each in found if each.part == "message" and each.owner in characters and each.due <= event.day]
    return {each.owner: message_text_of(each.body) for each in reversed(known)}
