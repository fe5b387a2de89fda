"""What a branch takes along of pantheons' hubs: memories of its own, of what stood there before it branched off.

That is what members were told, and what was written there by hand, such as a document.

A hub belongs to no session, so a branch does not share what its parent has there: retracting, editing or forgetting it
in one story changes nothing in the other. In the same way, an imported story takes along what its export says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from .ids import PREFIXES, PROPOSED, delivery_id, memory_id
from .patterns import lazy_pattern
from .protocols import Ledger
from .records.derived import Derivation
from .records.journal import Archived, Body, Derived, Entry, NewEntry, Retracted
from .records.memory_types import TOLD_AT
from .records.plan import DERIVED, WAITS, Delivery, Plan

CARRIED = "#hub-{up_to}-"
"""What the keys of entries begin with that a branch has taken along. A branch of the branch takes them along again."""
BEFORE = lazy_pattern(r"#hub-\d+-")
PROPOSED_WITH = lazy_pattern(rf"{PROPOSED}(\d+)-")
ARCHIVED = "archived"
"""The status of what is out of recall, and may be restored."""


def is_hub_memory(delivery: Delivery) -> bool:
    """Whether it is what members of a pantheon are told of a story, in the one memory that all of them read."""
    return is_in_hub(delivery) and delivery.support.how != "direct"


def is_in_hub(delivery: Delivery) -> bool:
    """Whether it is a derived memory in the hub of a pantheon: told to its members, or written there."""
    return delivery.beyond_session and delivery.container.startswith(PREFIXES["pantheon"]) and delivery.is_derived


def message_key_of(delivery: Delivery) -> str:
    """The key of the message that a delivery tells of, else its source."""
    keys = delivery.metadata.get("messageIds")
    return keys[0] if is_hub_memory(delivery) and isinstance(keys, list) and keys else delivery.source


def told_with(delivery: Delivery) -> int:
    """The number of the entry with which somebody was told. A hub is told by a later entry of its own."""
    number = delivery.metadata.get(TOLD_AT) if is_hub_memory(delivery) else None
    return number if isinstance(number, int) else delivery.told_with or delivery.sequence


def tells_a_hub(derivation: Derivation) -> bool:
    """Whether it is what a rule tells the members of a pantheon, in the one memory that all of them read."""
    container = derivation.registers
    return container is not None and container.kind == "pantheon" and derivation.how != "direct"


def hubs_in(past: Sequence[tuple[Entry, Plan]], session: str) -> Iterator[Entry]:
    """Entries by which an imported story takes along what hubs were told in it, and what stands of that. Pure.

    What was archived there is archived again. `past` is the whole story, `session` the id under which it was played.
    """
    away, own = _taken_out(past), _memories_of(past)
    newest = {plan.message.key: plan.message.message.revision for _, plan in past if plan.message is not None}
    retracted = {entry.body.target for entry, _ in past if isinstance(entry.body, Retracted)}
    for entry, _ in past:
        if isinstance(entry.body, Derived) and tells_a_hub(made := entry.body.derivation):
            is_newest = all(newest.get(key, 0) == made.metadata.get("revision", 0) for key in made.rests_on)
            id, key = hub_memory_id(made, session), CARRIED.format(up_to=past[-1][0].sequence)
            status = {away[each] for each in _possible_ids(made, id, own) if each in away}
            is_there = not status - {ARCHIVED} and retracted.isdisjoint({entry.key, id, *made.rests_on})
            if is_newest and is_there:
                yield entry.model_copy(update={"key": key + BEFORE.sub("", entry.key)})
            if is_newest and is_there and status:
                yield entry.model_copy(update={"key": f"{key}archived-{id}", "body": Archived(memories=(id,))})


def _taken_out(past: Iterable[tuple[Entry, Plan]]) -> dict[str, str]:
    """Id of a delivery → how it was taken out of recall, unless it was restored since, or only waits for a guard."""
    away: dict[str, str] = {}
    for _, plan in past:
        for each in plan.withdrawals:
            if not (each.status == ARCHIVED and each.reason.startswith(WAITS)):
                away |= dict.fromkeys(each.removes, each.status)
        for back in plan.restorations:
            for id in back.restores:
                away.pop(id, None)
    return away


def _memories_of(past: Iterable[tuple[Entry, Plan]]) -> dict[tuple[str, str], set[str]]:
    """Source and owner → ids of what they had of it."""
    found: dict[tuple[str, str], set[str]] = {}
    for _, plan in past:
        for each in plan.deliveries:
            found.setdefault((each.source, each.owner), set()).add(each.memory_id)
    return found


def _possible_ids(made: Derivation, memory: str, of: Mapping[tuple[str, str], set[str]]) -> set[str]:
    """Ids that the delivery of what a hub was told may have: it rests on the teller's own memory, if there is one."""
    own = (of.get((key, made.shared_from or ""), ()) for key in made.rests_on)
    vias = (None, *(id for each in own for id in each))
    ways = ((made.how, made.shared_from, via, made.rule or None) for via in vias)
    return {delivery_id(memory, *way) for way in ways}


def hub_memory_id(made: Derivation, session: str) -> str:
    """Id of the memory in the hub that several tellings share."""
    return memory_id(session, f"#same-{made.identity}", 0, str(made.container), DERIVED)


async def carry_hubs(ledger: Ledger, session: str, branch: str, up_to: int) -> None:
    """Let a branch remember what its parent's hubs held up to an entry. Repeating it changes nothing.

    If it begins before the parent itself branched off, the story before the parent is asked, too: that has what the
    parent did not take along because it was retracted in between.
    """
    taken: dict[str, NewEntry] = {}
    for each in await _with_its_past(ledger, session, up_to):
        for entry in await _taken_along(ledger, each, branch, up_to):
            carried = _carried(entry, up_to)
            taken.setdefault(carried.key or "", carried)
    if taken:
        await ledger.append_all(branch, [*taken.values()])


async def _with_its_past(ledger: Ledger, session: str, up_to: int) -> list[str]:
    """A story, and those that it branched off after this entry, as far as they have not been forgotten."""
    found = [session]
    while (story := await ledger.load(found[-1])) and story.parent and up_to <= (story.forked_at or 0):
        if story.parent in found or not await _is_same_past(ledger, found[-1], story.parent, up_to):
            break
        found.append(story.parent)
    return found


async def _is_same_past(ledger: Ledger, session: str, parent: str, up_to: int) -> bool:
    """Whether both have the same entry there: another story may have the parent's id by now."""
    ours, theirs = [await ledger.entry(each, sequence=up_to) for each in (session, parent)]
    if ours is None or theirs is None:
        return False
    return (ours.key, ours.body, ours.timestamp) == (theirs.key, theirs.body, theirs.timestamp)


async def _taken_along(ledger: Ledger, session: str, branch: str, up_to: int) -> list[Entry]:
    """The entries with which a story's hubs held something up to an entry."""
    found = [each for each in await ledger.deliveries(session, derived=True) if is_in_hub(each)]
    entries = {source: await ledger.entry(session, key=source) for source in {each.source for each in found}}
    past = [(each, entry) for each in found if (entry := entries[each.source]) and written_at(entry) <= up_to]
    return [entry for each, entry in past if await _held(ledger, branch, each, entry, up_to)]


def written_at(entry: Entry) -> int:
    """The number of the entry with which it was told."""
    found = PROPOSED_WITH.search(entry.key)
    return int(found[1]) if found else entry.sequence


def _carried(entry: Entry, up_to: int) -> NewEntry:
    key = CARRIED.format(up_to=up_to) + BEFORE.sub("", entry.key)
    return NewEntry(body=entry.body, key=key, timestamp=entry.timestamp)


async def _held(ledger: Ledger, branch: str, in_hub: Delivery, entry: Entry, up_to: int) -> bool:
    """Whether a hub held what this entry told it, or was about to, after the last entry that both stories share."""
    if in_hub.status == "struck" or not isinstance(entry.body, Derived):
        return False
    messages = await ledger.messages(branch, keys=entry.body.derivation.rests_on)
    revision = in_hub.metadata.get("revision", 0)
    is_told = is_hub_memory(in_hub)
    if is_told and not messages:
        return False
    if any(each.retracted or (is_told and each.message.revision != revision) for each in messages):
        return False
    if in_hub.is_active:
        return True
    since = await ledger.entries(entry.session, after=in_hub.sequence, up_to=up_to)
    names = {in_hub.memory_id} if is_told else {in_hub.memory_id, in_hub.source, BEFORE.sub("", in_hub.source)}
    return not any(_takes_away(each.body, names) for each in since)


def _takes_away(body: Body, names: AbstractSet[str]) -> bool:
    """Whether an entry takes the memory with one of these names from all who read it."""
    if isinstance(body, Archived):
        return not names.isdisjoint(body.memories) and not body.restore
    return isinstance(body, Retracted) and body.target in names


async def carried_keys(ledger: Ledger, session: str, keys: Iterable[str]) -> dict[str, list[str]]:
    """Key of what was written in a hub before the branch → the keys under which the branch has it, if it took it."""
    entries = [await ledger.entry(session, key=each) for each in keys]
    written = [each.body.derivation.container for each in entries if each and isinstance(each.body, Derived)]
    found: dict[str, list[str]] = {}
    for name in {each for each in written if each and each.startswith(PREFIXES["pantheon"])}:
        for each in await ledger.deliveries(session, container=name, derived=True):
            if BEFORE.match(each.source):
                found.setdefault(BEFORE.sub("", each.source), []).append(each.source)
    return found
