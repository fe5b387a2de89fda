"""Transfers: the host lets one character tell another what she remembers."""

from __future__ import annotations

from collections.abc import Sequence

from ..containers import character_container
from ..engine import Engine
from ..formats import as_said, character_memory, harmless, message_text_of, metadata_key
from ..live import Live
from ..protocols import Ledger
from ..records.channel import WHERE, learned_channel, strictest_channel
from ..records.character import Cast
from ..records.journal import Entry, Transferred
from ..records.memory import Support
from ..records.memory_types import TOLD_AT, MetaValue
from ..records.plan import Delivery, Plan
from ..records.snapshot import Snapshot
from ..strongest import shown
from .change import guarded_now
from .derived import undelivered
from .disguises import as_teller_knew_it
from .host_word import HOST
from .hub_copies import copies_from_hubs
from .replacements import is_replaced


async def known_to(
    engine: Engine, live: Live, character: str, memory: str, sequence: int
) -> tuple[Sequence[Delivery], Sequence[Delivery]]:
    """The deliveries behind a character's memory; and those of them to write with the entry of this number, since the
    character reads it in a hub and has no copy. `memory` is its id, or the key of its source."""
    own = await supports_of(engine.ledger, live.snapshot.id, character, memory)
    read = () if own else await copies_from_hubs(engine, live, character, memory, sequence)
    return (own, ()) if own else (read, read)


async def supports_of(ledger: Ledger, session: str, character: str, memory: str) -> Sequence[Delivery]:
    """The deliveries behind a character's memory, now or once due. `memory` is its id, or the key of its source."""
    container = character_container(session, character).name
    found = await ledger.deliveries(session, memory_ids=[memory], container=container)
    found = found or await ledger.deliveries(session, sources=[memory], container=container)
    return [each for each in found if each.is_active or is_replaced(each)]  # a summary of it is known still


def why_not(body: Transferred, supports: Sequence[Delivery], day: float) -> str | None:
    """The reason why the teller cannot tell of a memory on this day, in one sentence; `None` if she can. Pure."""
    what = f"{body.teller!r} cannot tell {body.listener!r} of {body.memory!r} on day {day:g}"
    if not supports:
        return f"{what}: {body.teller!r} has no such memory. `inspect` lists what there is"
    since = min(each.support.learned_day for each in supports)
    return None if since <= day else f"{what}: {body.teller!r} learns it on day {since:g}"


async def transferred(engine: Engine, live: Live, entry: Entry, body: Transferred) -> Plan:
    """The plan of a transfer: one more support of the teller's memory, for the listener.

    What one of them reads in a hub is copied to them with it. The plan is empty if the teller lost it.
    """
    snapshot = live.snapshot
    day = snapshot.state.game_day if body.day is None else body.day
    supports, read = await known_to(engine, live, body.teller, body.memory, entry.sequence)
    if why := why_not(body, supports, day):
        return undelivered(entry, "core:walls", why)
    if body.listener not in snapshot.cast:
        return undelivered(entry, "core:walls", f"{body.listener!r} is not in the cast, and cannot be told")
    worded = await _worded(engine.ledger, snapshot.id, body, supports)
    if isinstance(worded, str):
        return undelivered(entry, "core:walls", worded)
    body = worded
    delivery = handed_over(entry, body, supports, day, snapshot)
    if supports[0].disguises or snapshot.masks:
        delivery = await as_teller_knew_it(engine.ledger, delivery, body.teller, snapshot)
    _, theirs = await known_to(engine, live, body.listener, delivery.source, entry.sequence)
    plan = Plan(
        session=snapshot.id,
        sequence=entry.sequence,
        key=entry.key,
        deliveries=(*read, *theirs, delivery),
        due_day=snapshot.state.game_day,
    )
    return await guarded_now(engine, live, plan, channel=learned_channel(delivery.metadata))


async def _worded(ledger: Ledger, session: str, body: Transferred, supports: Sequence[Delivery]) -> Transferred | str:
    """The transfer in the words that may be passed on; or why there are none."""
    if body.text is not None:
        return body
    own = next((each for each in supports if not each.of_other), supports[0])
    known = await _tellable(ledger, session, own)
    if known == "":
        return (
            f"{body.teller!r} cannot tell {body.listener!r} of {body.memory!r}: it was only thought, or no "
            "detector said what of it was. Say with `content=` what is told"
        )
    return body if known is None else body.model_copy(update={"text": known})


async def _tellable(ledger: Ledger, session: str, memory: Delivery) -> str | None:
    """What a participant may pass on of a message with thoughts in it; `None` = what the memory says."""
    if memory.part != "message":
        return None
    found = await ledger.messages(session, keys=[memory.source])
    settled = found[0] if found else None
    if settled is None or not settled.tellable or memory.owner not in settled.participants:
        return None
    return settled.tellable_by(memory.owner)


def handed_over(entry: Entry, body: Transferred, supports: Sequence[Delivery], day: float, story: Snapshot) -> Delivery:
    """The listener's copy of what the teller knows on the day it is due. Pure."""
    given, fullest, _ = shown([each for each in supports if each.support.learned_day <= day])
    container = character_container(entry.session, body.listener)
    return given.model_copy(
        update={
            "sequence": entry.sequence,
            "memory_id": story.ids.of(given.source, given.revision, container.name, given.part),
            "container": container.name,
            "owner": container.owner,
            "body": _body(fullest, body.text, day, story.cast),
            "knowledge": (),
            "rests_on": (),  # it holds as long as the teller's memory does
            "metadata": _metadata(given, body, entry.sequence),
            "support": Support(
                how=body.how,
                shared_from=body.teller,
                via=given.memory_id,
                rule=HOST if body.rule is None else body.rule,
                learned_day=day,
                trust=body.trust,
            ),
            "due": day,
            "disguises": {},
            "renewed": 0,
            "told_with": None,
            "of_other": False,
            "status": "pending",
            "reason": None,
        }
    )


def _body(given: Delivery, text: str | None, day: float, cast: Cast) -> str:
    """The memory's text: a message keeps its format, anything else is the plain text."""
    speaker, said = given.metadata.get("speaker"), given.metadata.get("gameDay")
    if given.part != "message" or not isinstance(speaker, str) or not isinstance(said, int | float):
        return given.body if text is None else harmless(as_said(text))
    name = cast.name_of(speaker)
    return character_memory(name, message_text_of(given.body) if text is None else as_said(text), said, day)


def _metadata(given: Delivery, body: Transferred, sequence: int) -> dict[str, MetaValue]:
    """The teller's metadata. What the teller knew from before the story is news to the listener.

    What is told in a channel counts as learned in the strictest of that channel and the teller's.
    """
    left_out = {"permanent"} if body.text is None else {"permanent", "words"}
    more = {metadata_key(key): value for key, value in body.metadata.items()}
    where = {"contextType", *WHERE}
    metadata = {key: value for key, value in given.metadata.items() if key not in left_out}
    metadata |= {key: value for key, value in more.items() if key not in where}
    if TOLD_AT in metadata:
        metadata[TOLD_AT] = sequence
    if "isSpeaker" in metadata:
        metadata["isSpeaker"] = metadata.get("speaker") == body.listener
    if body.channel is None:
        return metadata
    learned = strictest_channel([given.metadata, body.channel.metadata])
    return {key: value for key, value in metadata.items() if key not in where} | learned
