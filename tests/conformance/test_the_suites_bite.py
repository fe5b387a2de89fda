"""A suite that nothing fails proves nothing: one planted mistake each, and the test that must find it."""

import asyncio
import sys
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from earwitness.records.moment import Moment, Perceived, Presence
from earwitness.records.plan import Plan, Status
from earwitness.records.snapshot import Snapshot
from earwitness.testing.detector import DetectorSuite, check_detector
from earwitness.testing.ledger import LedgerSuite, check_ledger
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness.testing.reference_branches import BranchingMemoryLedger
from earwitness.testing.store import check_store
from earwitness.testing.suite import adapted

from .planted import IN_MEMORY, fails

pytestmark = pytest.mark.usefixtures("first_failure_is_enough")


class Forgetful(MemoryLedger):
    """Every append is a new entry."""

    async def append(self, session: str, body: Any, *, key: str | None = None, timestamp: str) -> Any:
        return await super().append(session, body, key=None, timestamp=timestamp)


class LastPlanWins(MemoryLedger):
    """A plan is recorded over the one before."""

    async def record(self, plan: Plan, after: Snapshot) -> Plan:
        self._books[plan.session].plans.pop(plan.sequence, None)
        return await super().record(plan, after)


class Reviving(MemoryLedger):
    """What is settled is applied, whatever it was."""

    async def acknowledge(self, session: str, sequences: Sequence[int], applied: Sequence[str]) -> None:
        await super().acknowledge(session, sequences, applied)
        for id in self._books[session].deliveries.keys() & set(applied):
            self._books[session].change(id, "applied")


class FirstHandOnly(MemoryLedger):
    """A retracted memory falls, the gossip stays."""

    async def record(self, plan: Plan, after: Snapshot) -> Plan:
        book = self._books[plan.session]
        told = {id: made for id, made in book.deliveries.items() if made.support.via and made.status != "withdrawn"}
        recorded = await super().record(plan, after)
        book.deliveries.update(told)
        return recorded


class EmptyMeansAll(MemoryLedger):
    """An empty condition is none."""

    async def deliveries(self, session: str, *, status: Status | None = None, **asked: Any) -> Any:
        given = {name: value for name, value in asked.items() if value not in ([], ())}
        return await super().deliveries(session, status=status, **given)


class SeenKeys(MemoryLedger):
    """Keys are looked up without what nobody sees in them."""

    async def append(self, session: str, body: Any, *, key: str | None = None, timestamp: str) -> Any:
        seen = None if key is None else "".join(filter(str.isascii, key))
        return await super().append(session, body, key=seen, timestamp=timestamp)


class HalfRegistered(MemoryLedger):
    """What stands before a collision is claimed."""

    def _claim(self, containers: Any) -> None:
        for container in containers:
            super()._claim([container])


class LiveLedger(BranchingMemoryLedger):
    """A branch has the deliveries of its parent as they are now."""

    async def branch(self, session: str, id: str, up_to: int) -> Any:
        made = await super().branch(session, id, up_to)
        if made is not None:
            later = [each for each in self._books[session].deliveries.values() if each.sequence > up_to]
            self._books[id].deliveries |= {
                each.id: each.model_copy(update={"session": id, "container": id + each.container.removeprefix(session)})
                for each in later
            }
        return made


class LooseRegister(MemoryLedger):
    """A name may have several owners."""

    def _claim(self, containers: Any) -> None:
        self._containers.update({container.name: container for container in containers})


@pytest.mark.parametrize(
    ("ledger", "found_by"),
    [
        (SeenKeys, "test_keys_that_look_alike_are_apart"),
        (Forgetful, "test_the_same_key_returns_the_first_entry"),
        (LastPlanWins, "test_the_first_plan_wins_and_another_changes_nothing"),
        (Reviving, "test_what_was_withdrawn_never_returns"),
        (FirstHandOnly, "test_what_was_told_on_falls_hop_by_hop"),
        (EmptyMeansAll, "test_deliveries_must_meet_every_condition_given"),
        (HalfRegistered, "test_a_registration_that_collides_claims_nothing"),
        (LooseRegister, "test_a_session_that_would_share_a_container_is_refused_wholly"),
        (LiveLedger, "test_a_branch_is_its_parent_as_it_was_then"),
        (LiveLedger, "test_whatever_happens_they_are_as_if_played_again"),
    ],
)
def test_a_broken_ledger_is_found(ledger: type[MemoryLedger], found_by: str) -> None:
    fails(adapted(LedgerSuite, "make_ledger", lambda folder: ledger(), {}), found_by)


class Careless:
    """Takes whatever the text names."""

    def detect(self, moment: Moment) -> Presence:
        named = {word.strip(".,!?").casefold() for word in moment.message.content.split()} - {""}
        heard = Perceived(probability=1, role="present", evidence=("named",))
        return Presence(characters={**dict.fromkeys(named, heard), **Presence.only(moment.message.speaker).characters})


class Peeking:
    """Looks at the answer."""

    def detect(self, moment: Moment) -> Presence:
        heard = Perceived(probability=1, role="present", evidence=("the host said so",))
        told = dict.fromkeys(moment.message.present or (), heard)
        return Presence(characters={**told, **Presence.only(moment.message.speaker).characters})


class Remembering:
    """Once there, always there."""

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def detect(self, moment: Moment) -> Presence:
        self.seen.add(moment.message.speaker)
        heard = Perceived(probability=1, role="present", evidence=("spoke once",))
        known = dict.fromkeys(self.seen & set(moment.cast.ids), heard)
        return Presence(characters={**known, **Presence.only(moment.message.speaker).characters})


class FirstComeFirst:
    """Takes the first of the cast as present."""

    def detect(self, moment: Moment) -> Presence:
        heard = Perceived(probability=1, role="present", evidence=("first",))
        first = {moment.cast.ids[0]: heard}
        return Presence(characters={**first, **Presence.only(moment.message.speaker).characters})


@pytest.mark.parametrize(
    ("detector", "found_by"),
    [
        (Careless, "test_only_the_cast_is_answered_for"),
        (Peeking, "test_the_word_of_the_host_is_not_looked_at"),
        (Remembering, "test_the_same_moment_gets_the_same_answer"),
        (FirstComeFirst, "test_the_order_of_the_cast_does_not_matter"),
    ],
)
def test_a_broken_detector_is_found(detector: Callable[[], Any], found_by: str) -> None:
    fails(adapted(DetectorSuite, "make_detector", lambda folder: detector(), {}), found_by)


class Slow:
    """Takes its time with long messages."""

    async def detect(self, moment: Moment) -> Presence:
        await asyncio.sleep(0.2 if len(moment.message.content) > 20_000 else 0)
        return Presence.only(moment.message.speaker)


def test_a_slow_detector_is_found() -> None:
    fails(
        adapted(DetectorSuite, "make_detector", lambda folder: Slow(), {"seconds": 0.1}),
        "test_no_text_takes_more_than_its_length",
    )


def test_without_pytest_a_suite_reports_what_it_skipped_and_why() -> None:
    report = check_ledger(lambda folder: MemoryLedger(), **IN_MEMORY, examples=2)
    assert len(report.passed) > 40
    assert report.skipped["test_two_open_ledgers_count_one_sequence"] == "LedgerSuite.shared: in memory"


def test_without_hypothesis_only_the_random_examples_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.partition(".")[0] == "hypothesis"]:
        monkeypatch.setitem(sys.modules, module, None)
    for module in ("strategies", "operations", "stories"):
        monkeypatch.delitem(sys.modules, f"earwitness.testing.{module}", raising=False)
    report = check_ledger(lambda folder: MemoryLedger(), **IN_MEMORY)
    random = {name for name, reason in report.skipped.items() if "pip install hypothesis" in reason}
    assert random == {
        "test_random_names_collide_exactly_where_they_must",
        "test_random_stories_end_as_in_a_dict",
        "test_whatever_happens_they_are_as_if_played_again",
    }


def test_a_flag_that_no_suite_has_is_refused_with_those_it_has() -> None:
    with pytest.raises(TypeError, match=r"no 'atmic'.*atomic"):
        check_store(lambda folder: MemoryStore(), atmic="a typing mistake")


def test_without_pytest_all_failures_are_raised_together_by_name() -> None:
    with pytest.raises(ExceptionGroup, match="of DetectorSuite failed") as caught:
        check_detector(Peeking, tells_talk_from_presence="looks at the answer", keeps_whispers="looks at the answer")
    assert [failure.__notes__[-1] for failure in caught.value.exceptions] == [
        "in DetectorSuite.test_the_word_of_the_host_is_not_looked_at"
    ]
