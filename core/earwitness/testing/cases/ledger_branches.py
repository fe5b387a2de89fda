"""Branches of sessions: the extra `BranchingLedger`, if the ledger has it."""

# ruff: noqa: S101
from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any
from unittest import SkipTest

from ...extras import BranchingLedger
from ...ids import WORLD
from ...protocols import Ledger
from ...records.character import as_cast
from ...records.plan import Delivery, Plan, PluginWrite, Restoration, Withdrawal
from ...records.snapshot import Snapshot
from ..reference_branches import BranchingMemoryLedger
from ..samples import NOON, delivery, plan, said, settled
from ..suite import case
from .ledger_base import LedgerCases

CAST = as_cast(("alice", "bob"))
OWNERS = ("alice", "bob", WORLD)
LedgerStep = tuple[int, int, int]
"""What is done, and two numbers that say with what."""
Both = tuple[Any, Any]
"""The ledger and the reference."""


class LedgerBranches(LedgerCases):
    """A branch shares its parent's past up to an entry, and neither sees what the other does later."""

    @case
    async def test_a_branch_is_its_parent_as_it_was_then(self, ledger: Ledger) -> None:
        """Entries, plans, messages and deliveries are there, under its own id, with the parent's memory ids."""
        branching = await self._with_past(ledger)
        made = await branching.branch("s1", "b1", 2)
        assert made is not None
        assert (made.parent, made.forked_at, made.origin, made.unfinished, made.decided) == ("s1", 2, "s1", True, 2)
        assert [(each.session, each.sequence) for each in await ledger.entries("b1")] == [("b1", 1), ("b1", 2)]
        assert [(each.session, each.sequence) for each in await ledger.plans("b1")] == [("b1", 1), ("b1", 2)]
        found = {(each.session, each.memory_id, each.container, each.status) for each in await ledger.deliveries("b1")}
        assert found == {("b1", f"m{n}", "b1-alice", "applied") for n in (1, 2)}
        assert [each.message.content for each in await ledger.messages("b1")] == ["first", "second"]

    @case
    async def test_it_is_unfinished_until_it_is_finished(self, ledger: Ledger) -> None:
        """And it counts on from the entry at which it branched off."""
        branching = await self._with_past(ledger)
        await branching.branch("s1", "b1", 2)
        await branching.finish("b1")
        found = await ledger.load("b1")
        assert found is not None
        assert not found.unfinished
        assert (await ledger.append("b1", said(), timestamp=NOON)).entry.sequence == 3

    @case
    async def test_what_is_not_applied_is_not_shared(self, ledger: Ledger) -> None:
        """`None` is the answer, and nothing was created."""
        branching = await self._with_past(ledger)
        await ledger.append("s1", said(), timestamp=NOON)
        assert await branching.branch("s1", "b1", 4) is None
        assert await branching.branch("nobody", "b1", 1) is None
        assert await ledger.load("b1") is None

    @case
    async def test_what_later_plans_may_have_changed_is_named(self, ledger: Ledger) -> None:
        """What they brought and what they withdrew, by container."""
        branching = await self._with_past(ledger)
        await self._withdraw(ledger, "s1", 4, "m1")
        found = {name: set(ids) for name, ids in (await branching.touched("s1", 2)).items()}
        assert found["s1-alice"] >= {"m1", "m3"}
        assert await branching.touched("s1", 4) == {}

    @case
    async def test_a_branch_outlives_its_parent(self, ledger: Ledger) -> None:
        """So does a branch of a branch; and the parent's id can be used again."""
        branching = await self._with_past(ledger)
        await branching.branch("s1", "b1", 3)
        await branching.branch("b1", "b2", 2)
        before = await self._seen(ledger, "b2")
        await ledger.forget("s1")
        await ledger.forget("b1")
        assert await ledger.sessions() == ["b2"]
        assert await self._seen(ledger, "b2") == before
        await self.story(ledger)
        assert (list(await ledger.entries("s1")), list(await ledger.deliveries("s1"))) == ([], [])

    @case
    async def test_a_forgotten_character_stays_in_the_branches(self, ledger: Ledger) -> None:
        """Forgetting them in one session takes them from no other."""
        branching = await self._with_past(ledger)
        await branching.branch("s1", "b1", 3)
        await branching.branch("s1", "b2", 3)
        before = await self._seen(ledger, "b1")
        await ledger.forget_owner("s1", "alice")
        await ledger.forget_owner("b2", "alice")
        assert await self._seen(ledger, "b1") == before
        assert list(await ledger.deliveries("s1")) == list(await ledger.deliveries("b2")) == []

    @case
    async def test_what_is_withdrawn_already_stays_so_in_a_branch_from_then(self, ledger: Ledger) -> None:
        """A later withdrawal or restoration of it changed nothing."""
        branching = await self._with_past(ledger)
        await self._withdraw(ledger, "s1", 4, "m1")
        (found,) = await ledger.deliveries("s1", memory_ids=["m1"])
        again = Withdrawal(removes={found.id: "m1"}, reason="put away", status="archived")
        await self.recorded(ledger, plan(5, withdrawals=(again,)))
        back = Restoration(memory_id="m1", restores={found.id: "m1"})
        await self.recorded(ledger, plan(6, restorations=(back,)))
        for up_to in (4, 5):
            await branching.branch("s1", f"b{up_to}", up_to)
            (there,) = await ledger.deliveries(f"b{up_to}", memory_ids=["m1"])
            assert (there.status, there.reason) == ("withdrawn", "edited"), up_to

    @case
    async def test_the_same_delivered_anew_after_forgetting_is_new(self, ledger: Ledger) -> None:
        """What was struck for the forgotten character stays so, also in a branch from before."""
        branching = self._branching(ledger)
        await self.story(ledger)
        same = delivery("m1", due=5)
        for number in (1, 2):
            planned = plan(number, same.model_copy(update={"sequence": number}), cast=CAST, due_day=1)
            await self.recorded(ledger, planned, applied=False)
            await ledger.acknowledge("s1", [number], [])
            if number == 1:
                await ledger.forget_owner("s1", "alice")
        await branching.branch("s1", "b1", 1)
        await branching.branch("s1", "b2", 2)
        for name, found in (("b1", ["struck"]), ("s1", ["struck", "pending"]), ("b2", ["struck", "pending"])):
            assert [each.status for each in await ledger.deliveries(name)] == found, name

    @case
    async def test_whatever_happens_they_are_as_if_played_again(self, ledger: Ledger) -> None:
        """Random branches of branches, with edits, withdrawals, days and forgetting in each, against the reference."""
        from hypothesis import strategies as st

        branching = self._branching(ledger)
        examples = count()

        async def agrees(steps: Sequence[LedgerStep]) -> None:
            game = _Game(self, f"s{next(examples)}", (branching, BranchingMemoryLedger()))
            await game.begin()
            for step in steps:
                await game.take(step)
            for name in game.names:
                ours, theirs = [await self._seen(each, name) for each in game.ledgers]
                assert ours == theirs, name
            for name in game.names:
                await ledger.forget(name)
            assert not {*game.names} & {*await ledger.sessions()}  # an example that failed leaves its own behind

        numbers = st.integers(0, 99)
        await self.for_all(agrees, st.lists(st.tuples(st.integers(0, 11), numbers, numbers), min_size=8, max_size=40))

    def _branching(self, ledger: Ledger) -> BranchingLedger:
        if not isinstance(ledger, BranchingLedger):
            raise SkipTest("the ledger makes no branches: a fork copies the recorded plans and applies them again")
        return ledger

    async def _with_past(self, ledger: Ledger) -> BranchingLedger:
        branching = self._branching(ledger)
        await self.story(ledger)
        for number, content in enumerate(("first", "second", "third"), 1):
            message = settled(f"k{number}", number, content)
            its = plan(number, delivery(f"m{number}", sequence=number), message=message, cast=CAST)
            await self.recorded(ledger, its)
        return branching

    async def _withdraw(self, ledger: Ledger, session: str, sequence: int, memory: str) -> None:
        found = await ledger.deliveries(session, memory_ids=[memory])
        removes = {each.id: each.memory_id for each in found}
        falls = Withdrawal(source=None, reason="edited", removes=removes)
        await self.recorded(ledger, plan(sequence, session=session, withdrawals=(falls,)))

    async def _seen(self, ledger: Any, session: str) -> dict[str, object]:
        """Everything about a session that its ledger can be asked."""
        found = await ledger.load(session)
        assert found is not None
        every = await ledger.deliveries(session)
        memories = sorted({each.memory_id for each in every})
        pending = await ledger.deliveries(session, status="pending", due_by=5)
        alice = await ledger.deliveries(session, container=f"{session}-alice", types=["note"])
        grounded = await ledger.deliveries(session, rests_on=memories)
        return {
            "snapshot": found.model_dump(include={"id", "parent", "forked_at", "origin", "decided", "cast"}),
            "deliveries": [_columns(each) for each in every],
            "pending": [_columns(each) for each in pending],
            "updates": [_columns(each) for each in alice],
            "by source": [_columns(each) for each in await ledger.deliveries(session, sources=["#1", "#2", "#5"])],
            "grounded": sorted(_columns(each) for each in grounded),
            "citing": sorted(await ledger.citing(session, memories)),
            "messages": [each.model_dump() for each in await ledger.messages(session)],
            "last": [each.message.content for each in await ledger.messages(session, limit=3)],
            "of keys": [each.message.content for each in await ledger.messages(session, keys=["#2", "#3", "#4"])],
            "entries": [
                (each.session, each.sequence, each.key, each.applied) for each in await ledger.entries(session)
            ],
            "plans": [(each.session, each.sequence, each.key) for each in await ledger.plans(session)],
            "data": await ledger.data(session, "counter"),
            "containers": sorted(each.name for each in await ledger.containers(session)),
        }


class _Game:
    """Random steps, taken in the ledger and in the reference alike."""

    def __init__(self, suite: LedgerBranches, first: str, ledgers: Both) -> None:
        self.suite = suite
        self.ledgers = ledgers
        self.names = [first]
        self.made = count()

    async def begin(self) -> None:
        """A session in both."""
        for ledger in self.ledgers:
            await self.suite.story(ledger, self.names[0])
            await self.suite.recorded(ledger, plan(1, session=self.names[0], cast=CAST))

    async def take(self, step: LedgerStep) -> None:
        """One step."""
        kind, one, other = step
        name = self.names[one % len(self.names)]
        snapshot = await self.ledgers[1].load(name)
        if kind <= 6:
            await self._plan(snapshot, await self._planned(snapshot, kind, one, other))
        elif kind <= 9 and snapshot.decided:
            new = f"{self.names[0]}-{next(self.made)}"
            for ledger in self.ledgers:
                assert await ledger.branch(name, new, 1 + other % snapshot.decided) is not None
                await ledger.finish(new)
            self.names.append(new)
        elif kind == 10 and other % 3 == 0:
            for ledger in self.ledgers:
                await ledger.forget_owner(name, OWNERS[other % 2])
        elif kind == 11 and len(self.names) > 1:
            self.names.remove(name)
            for ledger in self.ledgers:
                await ledger.forget(name)

    async def _plan(self, before: Snapshot, planned: Plan) -> None:
        """Record a plan and apply what is due with it, as the applier does."""
        by = float("-inf") if planned.due_day is None else planned.due_day
        pending = await self.ledgers[1].deliveries(before.id, status="pending", due_by=by)
        due = [each.id for each in (*planned.deliveries, *pending) if each in pending or each.due <= 1]
        for ledger in self.ledgers:
            await ledger.append(before.id, said(), key=planned.key, timestamp=NOON)
            await ledger.record(planned, before.after(planned))
            await ledger.acknowledge(before.id, [planned.sequence], due)

    async def _planned(self, before: Snapshot, kind: int, one: int, other: int) -> Plan:
        sequence, key = before.decided + 1, f"#{before.decided + 1}"
        there = await self.ledgers[1].deliveries(before.id)
        chosen = {each.id: each.memory_id for each in there[other % 7 : other % 7 + one % 4]}
        if kind == 3:
            status = ("withdrawn", "archived", "struck")[other % 3]
            falls = Withdrawal.model_validate({"removes": chosen, "reason": "edited", "status": status})
            return plan(sequence, session=before.id, withdrawals=(falls,))
        if kind == 4:
            archived = {each.id: each.memory_id for each in there if each.status == "archived"}
            returns = tuple(Restoration(memory_id=memory, restores={id: memory}) for id, memory in archived.items())
            return plan(sequence, session=before.id, restorations=returns, due_day=1)
        if kind == 5:
            kept = PluginWrite(plugin="counter", key=f"k{other % 3}", value=one if other % 4 else None)
            return plan(sequence, session=before.id, due_day=other % 6, plugin_data=(kept,))
        messages = await self.ledgers[1].messages(before.id)
        if kind == 6 and messages:
            edited = messages[other % len(messages)].message
            new = edited.model_copy(update={"content": f"otherwise {sequence}", "revision": edited.revision + 1})
            return plan(sequence, session=before.id, message=settled("k", 1).model_copy(update={"message": new}))
        brought = [self._delivery(before.id, sequence, there, n, other) for n in range(1 + one % 3)]
        return plan(sequence, *brought, session=before.id, message=settled(key, sequence, f"word {other}"))

    def _delivery(self, session: str, sequence: int, there: Sequence[Delivery], n: int, other: int) -> Delivery:
        """One of a new memory, or, now and then, one more support of an old one."""
        owner, old = OWNERS[n], [each for each in there if each.owner == OWNERS[n]]
        known = [each.memory_id for each in there][other % 5 : other % 5 + 1]
        return delivery(
            old[0].memory_id if old and other % 4 == 0 else f"m{next(self.made)}",
            session=session,
            sequence=sequence,
            owner=owner,
            source=f"#{sequence}",
            via=f"via{other}" if other % 4 == 0 else None,
            due=1 if other % 3 else 4,
            type="note" if other % 5 == 0 else "message",
            cites=known if other % 2 else (),
            rests_on=known if other % 7 == 0 else (),
        )


def _columns(each: Delivery) -> tuple[object, ...]:
    return (each.session, each.sequence, each.memory_id, each.container, each.status, each.reason or "", each.body)
