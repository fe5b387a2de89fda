"""What a journal now says: each message with all its answers, in the order of the story. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from earwitness.containers import world_container
from earwitness.ids import memory_id
from earwitness.records.journal import Entry, Retracted, Revised, Said


@dataclass(slots=True)
class ToldMessage:
    """One message, as it was said and as it was changed since."""

    key: str
    """Its key."""
    speaker: str
    """Character id."""
    timestamp: str
    """When it was reported, ISO 8601 in UTC."""
    first: str
    """Its text as it was said first."""
    revisions: list[Revised] = field(default_factory=list)
    """Edits and rerolls that changed the text, in order."""
    retracted: bool = False
    """Whether it was retracted."""


def told_messages(entries: Iterable[Entry], session: str) -> dict[str, ToldMessage]:
    """Key → message, in the order in which they were said."""
    told: dict[str, ToldMessage] = {}
    world = world_container(session).name
    text: dict[str, str] = {}
    revisions: Counter[str] = Counter()
    keys: dict[str, str] = {}
    """Target of a retraction, a message's key or the id of one of the world's copies, → the message's key."""
    for entry in entries:
        match entry.body:
            case Said() as said:
                told[entry.key] = ToldMessage(entry.key, said.speaker, entry.timestamp, said.content)
                text[entry.key] = said.content
                keys[entry.key] = keys[memory_id(session, entry.key, 0, world, "message")] = entry.key
            case Revised(target=key) as body if key in told:
                if body.reroll or body.content != text[key]:  # else only a name in it was resolved anew
                    told[key].revisions.append(body)
                text[key] = body.content
                revisions[key] += 1
                keys[memory_id(session, key, revisions[key], world, "message")] = key
            case Retracted(target=target) if target in keys:
                told[keys[target]].retracted = True
            case _:
                pass
    return told
