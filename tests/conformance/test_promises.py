"""The promises of the design hold on the references and on what we ship, and the suite finds who breaks them."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from earwitness.loading.resources import Resources
from earwitness.records.memory import Memory
from earwitness.records.plan import Plan, Status
from earwitness.records.snapshot import Snapshot
from earwitness.testing.promises import PromisesSuite, check_promises
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness.testing.suite import adapted
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.ledgers.sqlite import SqliteLedger
from earwitness_plugins.stores.sqlite import SqliteStore


class TestPromisesOnTheReferences(PromisesSuite):
    """The same two dicts are opened again and again: what they keep outlives an Earwitness."""

    @cached_property
    def _made(self) -> tuple[MemoryStore, MemoryLedger]:
        return MemoryStore(), MemoryLedger()

    def make_store_and_ledger(self) -> tuple[MemoryStore, MemoryLedger]:
        return self._made


class TestPromisesOnSqlite(PromisesSuite):
    examples = 15

    @cached_property
    def _embedder(self) -> StaticEmbedder:
        return StaticEmbedder()

    def make_store_and_ledger(self) -> tuple[SqliteStore, SqliteLedger]:
        path, resources = str(self.folder / "story.db"), Resources()
        store = SqliteStore(path=path, embedder=self._embedder, resources=resources)
        return store, SqliteLedger(path=path, resources=resources)


# ── a suite that nothing fails proves nothing ───────────────────────────────────────────────────────────────────────


class NeverRemoves(MemoryStore):
    async def remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        """What was taken back stays."""


class KeepsTheFirst(MemoryStore):
    async def put(self, memories: Sequence[Memory]) -> None:
        """What is there already is not replaced."""
        for memory in memories:
            if not await self.get(memory.container, [memory.id]):
                await super().put([memory])


class OneBigContainer(MemoryStore):
    async def put(self, memories: Sequence[Memory]) -> None:
        """Everything goes to everybody of the session."""
        for memory in memories:
            session = memory.container.rpartition("-")[0]
            await super().put(
                [memory.model_copy(update={"container": f"{session}-{who}"}) for who in ("alice", "bob", "carol")]
            )


class Forgetful(MemoryLedger):
    async def append(self, session: str, body: Any, *, key: str | None = None, timestamp: str) -> Any:
        """Every append is a new entry."""
        return await super().append(session, body, key=None, timestamp=timestamp)


class LastPlanWins(MemoryLedger):
    async def record(self, plan: Plan, after: Snapshot) -> Plan:
        """A plan is recorded over the one before."""
        self._books[plan.session].plans.pop(plan.sequence, None)
        return await super().record(plan, after)

    async def plan(self, session: str, sequence: int) -> Plan | None:
        """What was recorded is not given back, so it is decided again."""
        return None


class FirstHandOnly(MemoryLedger):
    async def record(self, plan: Plan, after: Snapshot) -> Plan:
        """A retracted memory falls, the gossip stays."""
        book = self._books[plan.session]
        told = {id: made for id, made in book.deliveries.items() if made.support.via and made.status != "withdrawn"}
        recorded = await super().record(plan, after)
        book.deliveries.update(told)
        return recorded


class LetsThrough(MemoryLedger):
    async def record(self, plan: Plan, after: Snapshot) -> Plan:
        """What a guard strikes when its day arrives is kept in the plan, and arrives all the same."""
        recorded = await super().record(plan, after)
        book = self._books[plan.session]
        for id in {id for each in plan.withdrawals if each.status == "struck" for id in each.removes}:
            book.change(id, "pending")
        return recorded


class LooseRegister(MemoryLedger):
    def _claim(self, containers: Any) -> None:
        """A name may have several owners."""
        self._containers.update({container.name: container for container in containers})


class Reviving(MemoryLedger):
    async def deliveries(self, session: str, *, status: Status | None = None, **asked: Any) -> Any:
        """What was withdrawn counts as due."""
        found = await super().deliveries(session, status=status, **asked)
        return [each.model_copy(update={"status": "applied"}) if each.status == "withdrawn" else each for each in found]


class SaysNobodyWaits(MemoryLedger):
    async def waiting(self, container: str) -> Any:
        """The store is said to have everything."""
        return []


@pytest.mark.usefixtures("first_failure_is_enough")
@pytest.mark.parametrize(
    ("store", "ledger", "found_by"),
    [
        (NeverRemoves, MemoryLedger, "test_every_container_holds_exactly_what_its_owner_perceived"),
        (NeverRemoves, MemoryLedger, "test_a_retraction_cancels_what_is_due_on_a_later_day"),
        (KeepsTheFirst, MemoryLedger, "test_news_that_is_retracted_leaves_every_memory_it_was_told_in"),
        (OneBigContainer, MemoryLedger, "test_who_was_not_there_recalls_nothing_of_it"),
        (OneBigContainer, MemoryLedger, "test_every_container_holds_exactly_what_its_owner_perceived"),
        (MemoryStore, Forgetful, "test_a_script_played_again_changes_nothing"),
        (MemoryStore, Forgetful, "test_a_transcript_played_again_changes_nothing"),
        (MemoryStore, LastPlanWins, "test_a_recorded_plan_is_applied_and_nobody_is_asked_again"),
        (MemoryStore, FirstHandOnly, "test_retracting_one_memory_takes_away_what_was_told_on_from_it"),
        (MemoryStore, LetsThrough, "test_what_arrives_is_guarded_by_the_guards_of_that_day"),
        (MemoryStore, LooseRegister, "test_a_story_whose_world_would_be_anothers_character_is_refused"),
        (MemoryStore, SaysNobodyWaits, "test_no_story_recalls_what_another_one_has_retracted"),
        (MemoryStore, Reviving, "test_what_was_retracted_is_not_revived"),
        (MemoryStore, Reviving, "test_every_container_holds_exactly_what_its_owner_perceived"),
    ],
)
def test_who_breaks_a_promise_is_found(
    store: Callable[[], MemoryStore], ledger: Callable[[], MemoryLedger], found_by: str
) -> None:
    made = store(), ledger()
    suite = adapted(PromisesSuite, "make_store_and_ledger", lambda folder: made, {})
    with pytest.raises((AssertionError, ValueError)):
        getattr(suite(), found_by)()


def test_without_pytest_the_promises_are_checked_by_one_call() -> None:
    made: dict[Path, tuple[MemoryStore, MemoryLedger]] = {}
    report = check_promises(
        lambda folder: made.setdefault(folder, (MemoryStore(), MemoryLedger())),
        shared="one program at a time",
        examples=2,
    )
    assert len(report.passed) > 80
    assert set(report.skipped.values()) == {"PromisesSuite.shared: one program at a time"}
