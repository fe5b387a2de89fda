"""The facts that packages note with entries: as plans leave them, in the order of the journal."""

# ruff: noqa: S101
from __future__ import annotations

from collections.abc import Mapping
from unittest import SkipTest

from ...extras import BranchingLedger
from ...protocols import Ledger
from ...records.snapshot import Snapshot
from ...records.state import FactsOf, State
from ..samples import ODD_TEXTS, plan
from ..suite import case
from .ledger_base import LedgerCases

ODD: FactsOf = {"pantheon": tuple({"text": each, "number": 1.5, "list": [1, None]} for each in ODD_TEXTS)}
PLANS: tuple[Mapping[str, FactsOf | None], ...] = (
    {"#1": {"review": ("one",)}},
    {"#2": {"review": ("two", "also two"), "canon": ({"a": 1},)}},
    {},
    {"#4": ODD, "#1": {"review": ("one, again",)}},
    {"#2": None},
    {"#6": {"review": ("six",)}, "#9": None},
    {"#2": {"review": ("two, later",)}},
)
LEFT = ["#1", "#4", "#6", "#2"]
"""The keys of the entries that have facts in the end."""


def facts_of(found: Snapshot | None) -> list[tuple[str, FactsOf]]:
    """Entry keys and facts, in their order."""
    assert found is not None
    return list(found.state.facts.items())


class LedgerFacts(LedgerCases):
    """What `record` does to the facts of a session's state."""

    @case
    async def test_facts_are_as_the_plans_leave_them(self, ledger: Ledger) -> None:
        """New ones come last, changed ones stay in their place, and what is noted again after it was gone comes last.
        Another session has none of them."""
        other = await self.story(ledger, "s2")
        await self._noted(ledger)
        assert [key for key, _ in facts_of(await ledger.load("s1"))] == LEFT
        assert dict(facts_of(await ledger.load("s1")))["#4"] == ODD
        assert await ledger.load("s2") == other

    @case
    async def test_another_ledger_reads_the_same_facts(self, ledger: Ledger) -> None:
        """And goes on from there."""
        self.needs("shared")
        await self._noted(ledger)
        known = facts_of(await ledger.load("s1"))
        async with self.subject() as other:
            assert facts_of(await other.load("s1")) == known
            await self.recorded(other, plan(8, facts={"#8": {"review": ("eight",)}}))
            now = [*known, ("#8", {"review": ("eight",)})]
            assert facts_of(await ledger.load("s1")) == facts_of(await other.load("s1")) == now
            await self.recorded(ledger, plan(9, facts={"#1": None}))
            assert facts_of(await other.load("s1")) == now[1:]

    @case
    async def test_a_session_may_begin_with_facts_and_leaves_none_behind(self, ledger: Ledger) -> None:
        """As an import does; and an id that was forgotten begins anew."""
        first = Snapshot(id="s1", state=State(facts={"#0": {"review": ("before",)}}))
        await ledger.create(first, [])
        await self.recorded(ledger, plan(1, facts={"#1": {"review": ("one",)}}))
        assert [key for key, _ in facts_of(await ledger.load("s1"))] == ["#0", "#1"]
        await ledger.forget("s1")
        await ledger.create(Snapshot(id="s1"), [])
        assert facts_of(await ledger.load("s1")) == []
        await self.recorded(ledger, plan(1, facts={"#1": {"review": ("another",)}}))
        assert facts_of(await ledger.load("s1")) == [("#1", {"review": ("another",)})]

    @case
    async def test_a_branch_has_the_facts_of_its_past(self, ledger: Ledger) -> None:
        """Neither its parent nor the branch notes anything for the other."""
        if not isinstance(ledger, BranchingLedger):
            raise SkipTest("the ledger makes no branches: a fork copies the recorded plans and applies them again")
        told = await self._noted(ledger)
        for up_to in (2, 4, 7):
            await ledger.branch("s1", f"b{up_to}", up_to)
            await ledger.finish(f"b{up_to}")
            assert facts_of(await ledger.load(f"b{up_to}")) == told[up_to - 1]
        await self.recorded(ledger, plan(5, session="b4", facts={"#1": None}))
        assert [key for key, _ in facts_of(await ledger.load("b4"))] == ["#2", "#4"]
        assert facts_of(await ledger.load("s1")) == facts_of(await ledger.load("b7")) == told[-1]

    async def _noted(self, ledger: Ledger) -> list[list[tuple[str, FactsOf]]]:
        """A session that has noted `PLANS`: its facts after each of them, which are those that were loaded."""
        folded = await self.story(ledger)
        found = []
        for sequence, facts in enumerate(PLANS, 1):
            noting = plan(sequence, facts=facts)
            await self.recorded(ledger, noting)
            folded = folded.after(noting)
            assert facts_of(await ledger.load("s1")) == facts_of(folded)
            found.append(facts_of(folded))
        return found
