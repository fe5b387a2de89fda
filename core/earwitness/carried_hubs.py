"""What a branch takes along of pantheons' hubs: memories of its own, of what stood there before it branched off.

That is what members were told, and what was written there by hand, such as a document.

A hub belongs to no session, so a branch does not share what its parent has there: retracting, editing or forgetting it
in one story changes nothing in the other. In the same way, an imported story takes along what its export says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from .ids import PREFIXES, memory_id
from .patterns import lazy_pattern
from .protocols import Ledger
from .records.derived import Derivation
from .records.journal import Archived, Body, Derived, Entry, NewEntry, Retracted
from .records.plan import DERIVED, Delivery, Plan

CARRIED = "#hub-{up_to}-"
"""What the keys of entries begin with that a branch has taken along. A branch of the branch takes them along again."""
BEFORE = lazy_pattern(r"#hub-\d+-")
PROPOSED = lazy_pattern(r"#derived-(\d+)-")


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


def tells_a_hub(derivation: Derivation) -> bool:
    """Whether it is what a rule tells the members of a pantheon, in the one memory that all of them read."""
    container = derivation.registers
    return container is not None and container.kind == "pantheon" and derivation.how != "direct"


def hubs_in(past: Sequence[tuple[Entry, Plan]], session: str) -> Iterator[Entry]:
    """Entries by which an imported story takes along what hubs were told in it, and what stands of that. Pure.

    `past` is the whole story, `session` the id under which it was played.
    """
    newest = {plan.message.key: plan.message.message.revision for _, plan in past if plan.message is not None}
    retracted = {entry.body.target for entry, _ in past if isinstance(entry.body, Retracted)}
    for entry, _ in past:
        if isinstance(entry.body, Derived) and tells_a_hub(made := entry.body.derivation):
            is_newest = all(newest.get(key, 0) == made.metadata.get("revision", 0) for key in made.rests_on)
            if is_newest and retracted.isdisjoint({entry.key, hub_memory_id(made, session), *made.rests_on}):
                key = CARRIED.format(up_to=past[-1][0].sequence) + BEFORE.sub("", entry.key)
                yield entry.model_copy(update={"key": key})


def hub_memory_id(made: Derivation, session: str) -> str:
    """Id of the memory in the hub that several tellings share."""
    return memory_id(session, f"#same-{made.identity}", 0, str(made.container), DERIVED)


async def carry_hubs(ledger: Ledger, session: str, branch: str, up_to: int) -> None:
    """Let a branch remember what its parent's hubs held up to an entry. Repeating it changes nothing."""
    found = [each for each in await ledger.deliveries(session, derived=True) if is_in_hub(each)]
    entries = {each.source: await ledger.entry(session, key=each.source) for each in found}
    past = [(each, entry) for each in found if (entry := entries[each.source]) and written_at(entry) <= up_to]
    taken = [entry for each, entry in past if await _held(ledger, session, branch, each, up_to)]
    if taken:
        await ledger.append_all(branch, [_carried(each, up_to) for each in taken])


def written_at(entry: Entry) -> int:
    """The number of the entry with which it was told."""
    found = PROPOSED.search(entry.key)
    return int(found[1]) if found else entry.sequence


def _carried(entry: Entry, up_to: int) -> NewEntry:
    key = CARRIED.format(up_to=up_to) + BEFORE.sub("", entry.key)
    return NewEntry(body=entry.body, key=key, timestamp=entry.timestamp)


async def _held(ledger: Ledger, session: str, branch: str, in_hub: Delivery, up_to: int) -> bool:
    """Whether a hub held it, or was about to, after the last entry that both stories share."""
    entry = await ledger.entry(session, key=in_hub.source)
    if in_hub.status == "struck" or entry is None or not isinstance(entry.body, Derived):
        return False
    messages = await ledger.messages(branch, keys=entry.body.derivation.rests_on)
    revision = in_hub.metadata.get("revision", 0)
    is_told = is_hub_memory(in_hub)
    if any(each.retracted or (is_told and each.message.revision != revision) for each in messages):
        return False
    if is_told and not messages:
        return False
    if in_hub.is_active:
        return True
    since = await ledger.entries(session, after=in_hub.sequence, up_to=up_to)
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
