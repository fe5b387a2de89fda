"""What a user's persona lives with a personality: a memory for the container of both, which outlives sessions. Pure.

They live a message together if both perceived it, and neither overheard it or hid behind another name. The memory holds
what both perceived. A personality who is told of it knows it as told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from earwitness import Character, Derivation, SettledMessage, Share, SharingEvent
from earwitness.containers import persona_container
from earwitness.formats import metadata_key
from earwitness.records.memory import STRENGTH
from earwitness.records.memory_types import MetaValue

from ..said_alike import fact_id
from ..tellable import can_tell

LIVED = "memory"
"""The type of what was lived."""
RECONCILED = "reconciled"
"""The type of a memory that was kept of a bubble."""
PERSONAL = "personal"
TOGETHER = frozenset({"speaker", "addressee", "present"})
RULE = "personal canon"


def lived(event: SharingEvent) -> tuple[Derivation, ...]:
    """What the personas in a message live with the characters in it."""
    if event.arrived:
        return ()
    there = [event.cast[id] for id in _together(event.message) if id in event.cast]
    pairs = ((persona, other) for persona in there if persona.persona_id for other in there if not is_played(other))
    made = ((persona, other, _both_heard(event.message, persona, other)) for persona, other in pairs)
    return tuple(_kept(event, persona, other, text) for persona, other, text in made if text)


def retold(event: SharingEvent, shares: Iterable[Share], read: Iterable[Share] = ()) -> tuple[Derivation, ...]:
    """What characters who are told of a message, or `read` of it in a hub, come to know of the personas in it.

    Of several tellers of one memory, the one it shows in the story comes first, since it shows the first here.
    """
    there = [event.cast[id] for id in _together(event.message) if id in event.cast]
    personas = [each for each in there if each.persona_id]
    found = _retold(event, personas, shares, read) if personas else ()
    return tuple(sorted(found, key=lambda each: _order(each, event.day)))


def _order(told: Derivation, today: float) -> tuple[int, float, float, str, str]:
    """By what counts for a memory of the story: how, when, and by whom it was told."""
    due = today if told.due is None else max(told.due, today)
    return (STRENGTH.index(told.how), due, -told.trust, told.shared_from or "", told.rule)


def is_played(member: Character) -> bool:
    """Whether a user is behind a member of the cast."""
    return member.kind == "persona" or member.persona_id is not None or member.user_id is not None


def _together(message: SettledMessage) -> list[str]:
    """Ids of those who take part in a message openly."""
    parts = message.participants.items()
    return [id for id, part in parts if part.role in TOGETHER and id not in message.disguises and message.heard_by(id)]


def _both_heard(message: SettledMessage, one: Character, other: Character) -> str:
    return common(message.heard_by(one.id), message.heard_by(other.id))


def common(one: str, other: str) -> str:
    """What is in both of what two perceived of a message: the smaller part, if the other one holds it."""
    shorter, longer = sorted((one, other), key=len)
    return shorter if shorter in longer else ""


def _retold(
    event: SharingEvent, personas: Sequence[Character], shares: Iterable[Share], read: Iterable[Share]
) -> Iterator[Derivation]:
    known = can_tell(event)
    for share, knowers in chain(((each, (each.character,)) for each in shares), ((each, ()) for each in read)):
        known_text = event.message.content if share.shared_from is None else known.get(share.shared_from, "")
        text = share.content if share.content is not None and known_text else known_text
        known.setdefault(share.character, text)
        if not is_played(listener := event.cast[share.character]):
            made = (_of_share(event, each, listener, share, text) for each in personas if _heard(event, each, text))
            yield from (each.model_copy(update={"knowers": knowers}) for each in made)


def _heard(event: SharingEvent, persona: Character, text: str) -> bool:
    """Whether a persona perceived all that is told of a message; of one told in other words, all of the message."""
    heard = event.message.heard_by(persona.id)
    return bool(text) and (text in heard or heard == event.message.content)


def _of_share(event: SharingEvent, persona: Character, listener: Character, share: Share, text: str) -> Derivation:
    more = {metadata_key(key): value for key, value in share.metadata.items()}
    given = {"how": share.how, "shared_from": share.shared_from, "rule": share.rule}
    kept = _kept(event, persona, listener, text, more)
    message = event.message.message
    same = fact_id(event, text) or f"{message.key}-{message.revision}"  # several tellers are supports of one memory
    return kept.model_copy(update={**given, "due": share.due, "trust": share.trust, "identity": f"told-{same}"})


def _kept(
    event: SharingEvent, persona: Character, other: Character, text: str, more: dict[str, MetaValue] | None = None
) -> Derivation:
    message = event.message.message
    container = persona_container(str(persona.persona_id), other.personality_id)
    metadata: dict[str, MetaValue] = {
        **(more or {}),
        "personalityId": other.personality_id,
        "canonScope": PERSONAL,
        "messageIds": [message.key],
        "createdAt": message.timestamp,
    }
    if persona.user_id:
        metadata["userId"] = persona.user_id
    return Derivation(
        content=f"{_name(event, message.speaker)}: {text}",
        container=container.name,
        registers=container,
        admits=(other.personality_id,),
        type=LIVED,
        metadata=metadata,
        rests_on=(message.key,),
        knowers=(other.id,),
        rule=RULE,
    )


def _name(event: SharingEvent, speaker: str) -> str:
    return event.message.disguises.get(speaker) or event.cast.name_of(speaker)
