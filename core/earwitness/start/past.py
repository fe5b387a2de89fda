"""START as before an earlier entry: the session, its recent messages and its memories as they were then.

What was edited, rerolled, retracted, archived or forgotten since stays so. What a summary, or a newer version of the
same document, has replaced since is there.
What was prepared counts as from before the story, whenever that was. Plugins see their data as it is now.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..carried_hubs import is_hub_memory, told_with
from ..decided_memories import decided_memories
from ..end.archive import key_of_newer
from ..end.replacements import is_replaced
from ..end.snapshots import snapshot_before
from ..engine import Engine
from ..errors import InputError
from ..filters import Filter, matches
from ..live import RECENT, Live
from ..memories import memories_of
from ..ranked_by_words import ranked_by_words
from ..records.journal import Entry, Revised
from ..records.memory import Hit, Memory
from ..records.memory_types import REPLACES
from ..records.plan import Delivery
from .source import RecallSource


async def as_before(engine: Engine, live: Live, character: str, entry: Entry) -> Live:
    """The session as before this entry, for one recall. It shares everything else with the session as it is.

    Raises `InputError` for a character who was not there yet.
    """
    sequence = entry.sequence
    snapshot = live.snapshot if sequence > live.snapshot.decided else await snapshot_before(engine, live, sequence)
    if character not in snapshot.cast or live.snapshot.joined.get(character, 0) >= sequence:
        raise InputError(
            f"{character!r} joined after {entry.key!r}, and has no turn before it. Leave out before=, or name a later "
            "key."
        )
    recent = await engine.ledger.messages(live.snapshot.id, before=sequence, limit=RECENT)
    return replace(live, snapshot=snapshot, recent=tuple(recent), taken_back={})


class PastSource(RecallSource):
    """The reads of a recall as before an entry.

    The store is searched as it is. Memories that have changed since are replaced by what they were, or left out.
    """

    def __init__(self, engine: Engine, live: Live, limit: float, own: str, before: int) -> None:
        super().__init__(engine, live, limit, own)
        self._before = before
        self._known: dict[str, Mapping[str, Memory | None]] = {}
        self._replaced: dict[str, Sequence[Memory]] = {}

    async def search(self, container: str, query: str, *, filter: Filter, limit: int) -> Sequence[Hit]:
        """The best hits of what was there, best first. Raises `StorageError` if `strict`."""
        since = await self._since(container)
        hits = await super().search(container, query, filter=filter, limit=limit + len(since))
        pairs = [(each, since.get(each.memory.id, each.memory)) for each in hits]
        there = [each.model_copy(update={"memory": memory}) for each, memory in pairs if memory is not None]
        replaced = [each for each in self._replaced[container] if matches(filter, each.metadata)]
        return [*there[:limit], *(await ranked_by_words(replaced, query, limit) if replaced else ())]

    async def list(self, container: str, *, filter: Filter, limit: int | None = None) -> Sequence[Memory]:
        """What was there, at most `limit`. Raises `StorageError` if `strict`."""
        since = await self._since(container)
        found = await super().list(container, filter=filter, limit=None if limit is None else limit + len(since))
        replaced = [each for each in self._replaced[container] if matches(filter, each.metadata)]
        return [*replaced, *_as_then(found, since)][:limit]

    async def get(self, container: str, ids: Sequence[str]) -> Sequence[Memory]:
        """The memories with these ids that were there. Raises `StorageError` if `strict`."""
        since = await self._since(container)
        replaced = [each for each in self._replaced[container] if each.id in ids]
        return [*replaced, *_as_then(await super().get(container, ids), since)]

    async def _since(self, container: str) -> Mapping[str, Memory | None]:
        """The memories that changed since, as they were; `None` for one that was not there."""
        if container not in self._known:
            self._known[container] = await self._as_they_were(container)
        return self._known[container]

    async def _as_they_were(self, container: str) -> dict[str, Memory | None]:
        ledger, session = self._engine.ledger, self._live.snapshot.id
        late = await ledger.deliveries(session, container=container, after=self._before - 1)
        self._replaced[container] = [*await self._replaced_since(late), *await self._older_versions(container)]
        changed = sorted({each.memory_id for each in late})
        supports = await ledger.deliveries(session, memory_ids=changed) if changed else ()
        active = [_unrenewed(each, supports, self._before) for each in supports if each.is_active]
        there = [each for each in active if each is not None and await self._was_there(each)]
        return dict.fromkeys(changed) | {each.id: each for each in await decided_memories(ledger, session, there)}

    async def _replaced_since(self, late: Sequence[Delivery]) -> Sequence[Memory]:
        """What summaries that were written since have taken out of recall."""
        ids = sorted({id for each in late if each.metadata.get(REPLACES) for id in each.rests_on})
        if not ids:
            return ()
        found = await self._engine.ledger.deliveries(self._live.snapshot.id, memory_ids=ids)
        return memories_of(each for each in found if is_replaced(each) and each.sequence < self._before)

    async def _older_versions(self, container: str) -> Sequence[Memory]:
        """What was archived since because a newer version took its place."""
        ledger, session = self._engine.ledger, self._live.snapshot.id
        archived = await ledger.deliveries(session, container=container, status="archived")
        older = [each for each in archived if each.sequence < self._before and key_of_newer(each) is not None]
        entries = {key: await ledger.entry(session, key=key) for key in {key_of_newer(each) or "" for each in older}}
        since = {key for key, entry in entries.items() if entry is not None and entry.sequence >= self._before}
        return memories_of(each for each in older if key_of_newer(each) in since)

    async def _was_there(self, delivery: Delivery) -> bool:
        """Whether it was delivered before, or is a new wording of what was, or is from before the story."""
        told = told_with(delivery)
        if told < self._before or delivery.metadata.get("permanent") is True:
            return True
        if not (delivery.revision or is_hub_memory(delivery)):
            return False
        ledger, session = self._engine.ledger, self._live.snapshot.id
        entry = await ledger.entry(session, sequence=told)
        if entry is None or not isinstance(entry.body, Revised):
            return False
        original = await ledger.entry(session, key=entry.body.target)
        return original is not None and original.sequence < self._before


def _unrenewed(delivery: Delivery, supports: Sequence[Delivery], before: int) -> Delivery | None:
    """The delivery as it was then, under the names that its owner knew. `None` if it was renewed from a later one."""
    if delivery.renewed < before:
        return delivery
    same = (each for each in supports if each.memory_id == delivery.memory_id and each.support == delivery.support)
    return max((each for each in same if each.sequence < before), key=lambda each: each.sequence, default=None)


def _as_then(memories: Sequence[Memory], since: Mapping[str, Memory | None]) -> list[Memory]:
    then = (since.get(each.id, each) for each in memories)
    return [each for each in then if each is not None]
