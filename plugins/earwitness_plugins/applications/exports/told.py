"""What a story now says: each message with all its answers, in the order of the story."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from earwitness.records.journal import Entry, Revised, Said
from earwitness.session import Session


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
    retracted: bool = False
    """Whether it was retracted."""
    speak_as: str | None = None
    """The name under which the speaker was in disguise."""
    revisions: list[Revised] = field(default_factory=list)
    """Edits and rerolls that changed the text, in order."""


async def told_messages(story: Session) -> dict[str, ToldMessage]:
    """Key → message, in the order in which they were said."""
    journal = await story.backstage(role="owner").journal()
    return messages_in(journal, {each.message.key for each in await story.messages()})


def messages_in(journal: Iterable[Entry], kept: Collection[str]) -> dict[str, ToldMessage]:
    """The messages of a journal. `kept` are the keys of those that were not retracted. Pure."""
    told: dict[str, ToldMessage] = {}
    now: dict[str, str] = {}
    for entry in journal:
        match entry.body:
            case Said(speaker=speaker, speak_as=mask, content=content):
                retracted = entry.key not in kept
                told[entry.key] = ToldMessage(entry.key, speaker, entry.timestamp, content, retracted, mask)
                now[entry.key] = content
            case Revised(target=key) as body if key in told:
                if body.reroll or body.content != now[key]:  # else only a name in it was filled in anew
                    told[key].revisions.append(body)
                now[key] = body.content
            case _:
                pass
    return told
