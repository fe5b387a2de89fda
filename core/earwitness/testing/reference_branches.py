"""A store and a ledger for tests that can branch: they copy what others share. An executable form of the contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from itertools import count

from ..containers import SESSION_KINDS, character_container, world_container
from ..end.store_work import arrival_day
from ..records.memory import Memory
from ..records.plan import Delivery, Plan
from ..records.snapshot import Snapshot
from .reference import Book, MemoryLedger, MemoryStore, was_forgotten


class BranchingMemoryStore(MemoryStore):
    """A `MemoryStore` that is a `BranchingStore`, too."""

    async def branch(self, containers: Mapping[str, str], without: Mapping[str, Sequence[str]]) -> None:
        """Copy each container under its new name, in order, without some memories."""
        for name, new in containers.items():
            left = set(without.get(name, ()))
            memories = self._containers.get(name, {})
            copies = [each.model_copy(update={"container": new}) for id, each in memories.items() if id not in left]
            self._containers[new] = {each.id: each for each in copies}


class PlacedMemoryStore(BranchingMemoryStore):
    """One that is a `PlacedStore`, too: it keeps the places of all that it ever held.

    A memory's last place is where it is, or was when it was removed. One that was removed and written again also keeps
    the place before, which a branch without it goes by.
    """

    def __init__(self) -> None:
        super().__init__()
        self._places: dict[str, list[tuple[str, int]]] = {}
        """Container → (memory id, number of the place), in order."""
        self._numbers = count()

    async def put(self, memories: Sequence[Memory]) -> None:
        """A memory that was removed comes last."""
        for memory in memories:
            places = self._places.setdefault(memory.container, [])
            if memory.id not in self._containers.get(memory.container, {}):
                last = dict(places).get(memory.id)
                kept = [(id, number) for id, number in places if id != memory.id or number == last]
                self._places[memory.container] = [*kept, (memory.id, next(self._numbers))]
        await super().put(memories)

    async def branch(self, containers: Mapping[str, str], without: Mapping[str, Sequence[str]]) -> None:
        """The places go along, but those of memories that are left out."""
        await super().branch(containers, without)
        for name, new in containers.items():
            places = self._places.get(name, [])
            left = self._containers.get(name, {}).keys() & set(without.get(name, ()))
            gone = {(id, number) for id, number in dict(places).items() if id in left}
            self._places[new] = [each for each in places if each not in gone]

    async def drop(self, container: str) -> None:
        """The places go, too."""
        await super().drop(container)
        self._places.pop(container, None)

    async def placed(self, container: str, ids: Sequence[str]) -> Sequence[str]:
        """Those of the ids it ever held."""
        return [id for id in ids if id in dict(self._places.get(container, ()))]

    async def put_back(self, memories: Sequence[Memory]) -> None:
        """Write, each in the last place it had."""
        before = {memory.container: list(self._places.get(memory.container, ())) for memory in memories}
        await self.put(memories)
        for name, places in before.items():
            known = dict(places)
            self._places[name] = places + [each for each in self._places[name] if each[0] not in known]
            held, last = self._containers[name], dict(self._places[name])
            self._containers[name] = {id: held[id] for id, at in self._places[name] if id in held and last[id] == at}


class BranchingMemoryLedger(MemoryLedger):
    """A `MemoryLedger` that is a `BranchingLedger`, too: it plays a branch's past again."""

    async def branch(self, session: str, id: str, up_to: int) -> Snapshot | None:
        """Create the branch from the plans up to an entry; `None` if it cannot be shared."""
        parent = self._books.get(session)
        own = [each for each in self._containers.values() if each.session == session]
        if parent is None or any(each.kind not in SESSION_KINDS for each in own):
            return None
        if not all(entry.applied for number, entry in parent.entries.items() if number <= up_to):
            return None
        book = as_of(parent, id, up_to)
        self._claim([world_container(id), *(character_container(id, each) for each in book.snapshot.cast.ids)])
        self._books[id] = book
        return book.snapshot

    async def touched(self, session: str, after: int) -> Mapping[str, Sequence[str]]:
        """The memories of deliveries that are not as they were after the entry."""
        book = self._read(session)
        then = as_of(book, session, after).deliveries
        changed = [each for id, each in book.deliveries.items() if id not in then or then[id].status != each.status]
        return {
            each.container: [one.memory_id for one in changed if one.container == each.container] for each in changed
        }

    async def finish(self, session: str) -> None:
        """The branch is whole."""
        book = self._book(session)
        book.snapshot = book.snapshot.model_copy(update={"unfinished": False})


def as_of(parent: Book, id: str, up_to: int) -> Book:
    """The book of a session as it was after one of its entries, under another session id."""
    old = parent.snapshot
    book = Book(Snapshot(id=id), began=up_to)
    for number, entry in parent.entries.items():
        if number <= up_to:
            book.entries[number] = entry.model_copy(update={"session": id})
    for number, plan in sorted(parent.plans.items()):
        if number <= up_to:
            _play(book, _moved(plan, old.id, id))
            _forget(book, parent)
    if up_to == old.decided:
        book.data = deepcopy(parent.data)
    origin = {"parent": old.id, "forked_at": up_to, "origin": old.origin or old.id, "unfinished": True}
    book.snapshot = book.snapshot.model_copy(update=origin)
    return book


def _play(book: Book, plan: Plan) -> None:
    """Record a plan and apply what is due with it."""
    book.record(plan, book.snapshot.after(plan))
    fresh = [each.id for each in plan.deliveries if each.due <= arrival_day(plan)]
    by = float("-inf") if plan.due_day is None else plan.due_day
    due = [each.id for each in book.deliveries.values() if each.due <= by]
    for id in {*fresh, *due}:
        if book.deliveries[id].status == "pending":
            book.change(id, "applied")


def _forget(book: Book, parent: Book) -> None:
    """What the parent has forgotten by now is forgotten in its branches, before a later plan delivers it anew."""
    left = {(each.id, each.sequence): each for each in parent.deliveries.values()}
    for key, each in list(book.deliveries.items()):
        theirs = left.get((each.id, each.sequence))
        if theirs is None:
            del book.deliveries[key]
        elif was_forgotten(theirs):
            book.change(key, "struck", "forgotten")


def _moved(plan: Plan, old: str, new: str) -> Plan:
    own = [each for each in plan.deliveries if not each.beyond_session]
    return plan.model_copy(update={"session": new, "deliveries": tuple(_delivery(each, old, new) for each in own)})


def _delivery(each: Delivery, old: str, new: str) -> Delivery:
    return each.model_copy(update={"session": new, "container": new + each.container.removeprefix(old)})
