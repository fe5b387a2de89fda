"""What characters told each other by hand of a message that is edited: they tell it in the new words, on the same day.

Each telling is an entry of its own after the edit, so that it is judged like the first: who no longer perceives the
message has nothing to tell. What was told in words of the teller's own cannot be put into the new ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..ids import RETOLD
from ..patterns import lazy_pattern
from ..protocols import Ledger
from ..records.journal import Entry, Transferred
from ..records.message import Message
from ..records.plan import Delivery
from .host_word import HOST

FIRST_TOLD = lazy_pattern(r"#retold-(\d+)-")


async def told_by_hand(ledger: Ledger, session: str, old: Message) -> Mapping[int, Transferred]:
    """Number of the entry by which it was told first → what is told anew of a message in this wording."""
    found = await ledger.deliveries(session, sources=[old.key])
    told = [each for each in found if each.is_active and each.revision == old.revision and each.support.shared_from]
    numbers = sorted({each.sequence for each in told} - {old.sequence})
    entries = [each for number in numbers for each in await ledger.entries(session, after=number - 1, limit=1)]
    return dict(each for entry in entries for each in _anew(entry, told, old.key))


async def told_anew(ledger: Ledger, entry: Entry) -> Sequence[Delivery]:
    """What a telling by hand has brought anew, after edits of what it tells."""
    since = await ledger.entries(entry.session, after=entry.sequence)
    numbers = {each.sequence for each in since if each.key.startswith(f"{RETOLD}{_first(entry)}-")}
    sources = [each.body.memory for each in since if each.sequence in numbers and isinstance(each.body, Transferred)]
    found = await ledger.deliveries(entry.session, sources=sorted({*sources})) if numbers else ()
    return [each for each in found if each.sequence in numbers]


def _anew(entry: Entry, told: Iterable[Delivery], key: str) -> Iterator[tuple[int, Transferred]]:
    """What an entry told by hand in the words of the message, on the day it was told."""
    body = entry.body
    if isinstance(body, Transferred) and body.text is None:
        days = [each.due for each in told if each.sequence == entry.sequence and _is_by_hand(each, body)]
        if days:
            yield _first(entry), body.model_copy(update={"memory": key, "day": max(days)})


def _is_by_hand(delivery: Delivery, body: Transferred) -> bool:
    """Whether the teller told it by hand. What the listener reads in a hub is copied to them with that entry, too."""
    support, rule = delivery.support, HOST if body.rule is None else body.rule
    return (delivery.owner, support.shared_from, support.rule) == (body.listener, body.teller, rule)


def _first(entry: Entry) -> int:
    """Number of the entry by which it was told first."""
    found = FIRST_TOLD.search(entry.key)
    return int(found[1]) if found else entry.sequence
