"""What the store has not taken waits in the ledger: it can be looked at, tried, dropped, and carried in a file."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import pytest

from earwitness import Earwitness, Session
from earwitness.errors import InputError, NotYetApplied, PartialWrite, UnknownName
from earwitness.records.memory import Memory
from earwitness.spool import Spool, SpoolReceipt
from earwitness.testing.reference import MemoryLedger, MemoryStore

OpenApp = Callable[..., Awaitable[Earwitness]]
LONG = "The sword is in the cave. " * 40_000


class Service(MemoryStore):
    """Takes `room` memories, then says what it has taken."""

    def __init__(self) -> None:
        super().__init__()
        self.room: float = float("inf")
        self.written: list[str] = []

    async def put(self, memories: Sequence[Memory]) -> None:
        taken = memories[: int(min(self.room, len(memories)))]
        self.room -= len(taken)
        self.written += [each.id for each in taken]
        await super().put(taken)
        if len(taken) < len(memories):
            names = {
                each.container: [other.id for other in taken if other.container == each.container] for each in taken
            }
            raise PartialWrite("the service is away", names)

    async def remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        if self.room <= 0 and any(ids.values()):
            raise ConnectionError("the service is away")
        await super().remove(ids)


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
async def ew(open_app: OpenApp, service: Service) -> Earwitness:
    return await open_app(store=service, ledger=MemoryLedger(), strict=False)


async def failed(ew: Earwitness, service: Service, *texts: str, id: str = "s1") -> Session:
    """A story of which the service has taken nothing but its beginning."""
    service.room = float("inf")
    story = await ew.session(id, cast=["alice", "bob"])
    await story.delivered()
    service.room = 0
    for number, text in enumerate(texts or ("The sword is in the cave.",)):
        await (await story.say("alice", text, key=f"m{number}", audience=["bob"])).decided()
    with pytest.raises(NotYetApplied):
        await story.delivered()
    return story


async def counts(ew: Earwitness, session: str | None = None) -> dict[str, int]:
    return {each.container: each.count for each in await ew.spool.waiting(session)}


async def test_a_successful_upload_leaves_nothing_to_deliver(ew: Earwitness, service: Service) -> None:
    story = await ew.session("s1", cast=["alice", "bob"])
    await (await story.say("alice", "Hello.", audience=["bob"])).settled()
    await story.delivered()
    assert await ew.spool.waiting() == ()
    assert await service.count("s1-bob") == 1


async def test_a_failed_upload_is_kept_and_listed_with_its_reason(ew: Earwitness, service: Service) -> None:
    story = await failed(ew, service, "One.", "Two.")
    assert await counts(ew) == {"s1-alice": 2, "s1-bob": 2, "s1-world": 2}
    (first, *_) = await ew.spool.waiting("s1")
    (entry,) = await ew.engine.ledger.entries("s1", after=(await story.outcome("m0")).sequence - 1, limit=1)
    assert (first.session, first.oldest) == ("s1", entry.timestamp)
    assert first.failure is not None
    assert "the service is away" in first.failure


async def test_it_is_listed_after_a_new_start_without_opening_the_story(open_app: OpenApp, service: Service) -> None:
    ledger = MemoryLedger()
    first = await open_app(store=service, ledger=ledger, strict=False)
    await failed(first, service)
    await first.close()
    second = await open_app(store=service, ledger=ledger, strict=False)
    assert await counts(second) == {"s1-alice": 1, "s1-bob": 1, "s1-world": 1}
    assert "the service is away" in str((await second.spool.waiting())[0])
    service.room = 10
    assert await second.spool.replay() == ()
    assert await service.count("s1-bob") == 1


async def test_a_replay_that_succeeds_delivers_everything_once_and_in_order(ew: Earwitness, service: Service) -> None:
    await failed(ew, service, *(f"Message {number}." for number in range(5)))
    service.room = float("inf")
    assert await ew.spool.replay("s1") == ()
    assert [each.message_keys for each in await service.list("s1-bob")] == [(f"m{number}",) for number in range(5)]
    assert len(service.written) == len(set(service.written))
    assert (await ew.engine.ledger.data("s1", "earwitness:spool")).get("failure") is None


async def test_a_replay_also_removes_what_was_taken_back(ew: Earwitness, service: Service) -> None:
    story = await failed(ew, service)
    service.room = float("inf")
    await story.delivered()
    service.room = 0
    await (await story.retract("m0")).decided()
    with pytest.raises(NotYetApplied):
        await story.delivered()
    assert await service.count("s1-bob") == 1
    service.room = float("inf")
    assert await ew.spool.replay("s1") == ()
    assert await service.count("s1-bob") == 0


async def test_a_replay_that_succeeds_in_part_keeps_exactly_what_is_missing(ew: Earwitness, service: Service) -> None:
    await failed(ew, service, "One.", "Two.")
    service.room = 3
    left = await ew.spool.replay("s1")
    assert sum(each.count for each in left) == 3
    missing = {each.memory_id for each in await ew.engine.ledger.deliveries("s1", status="pending")}
    assert missing.isdisjoint(service.written)
    service.room = float("inf")
    assert await ew.spool.replay("s1") == ()
    assert len(service.written) == len(set(service.written))


async def test_a_replay_that_fails_changes_nothing(ew: Earwitness, service: Service) -> None:
    await failed(ew, service)
    before = await ew.spool.waiting()
    assert await ew.spool.replay() == before
    assert service.written == []


async def test_a_long_payload_stays_intact(ew: Earwitness, service: Service) -> None:
    await failed(ew, service, LONG)
    lines = await ew.spool.lines("s1")
    service.room = float("inf")
    await ew.spool.replay()
    (held,) = await service.list("s1-bob")
    assert LONG.strip() in held.content
    assert held.model_dump(mode="json") in [{k: v for k, v in each.items() if k != "kind"} for each in lines]


async def test_of_two_stories_one_can_be_replayed(ew: Earwitness, service: Service) -> None:
    await failed(ew, service)
    await failed(ew, service, id="s2")
    service.room = 3
    assert {each.session for each in await ew.spool.replay("s2")} == set()
    assert {each.session for each in await ew.spool.waiting()} <= {"s1"}


async def test_what_is_dropped_is_struck_with_its_reason_and_never_delivered(ew: Earwitness, service: Service) -> None:
    story = await failed(ew, service, "One.", "Two.")
    assert await ew.spool.drop("s1", containers=["s1-bob"], reason="the account was closed") == 2
    assert await counts(ew) == {"s1-alice": 2, "s1-world": 2}
    struck = await ew.engine.ledger.deliveries("s1", status="struck")
    assert [(each.container, each.reason) for each in struck] == [("s1-bob", "the account was closed")] * 2
    service.room = float("inf")
    await story.delivered()
    assert await service.count("s1-bob") == 0
    assert await service.count("s1-alice") == 2


async def test_dropping_everything_lets_the_story_go_on(ew: Earwitness, service: Service) -> None:
    story = await failed(ew, service)
    assert await ew.spool.drop("s1") == 3
    assert await ew.spool.waiting() == ()
    service.room = float("inf")
    await (await story.say("alice", "Anew.", key="m9", audience=["bob"])).settled()
    await story.delivered()
    assert [each.message_keys for each in await service.list("s1-bob")] == [("m9",)]


async def test_nothing_is_dropped_where_nothing_waits(ew: Earwitness) -> None:
    story = await ew.session("s1", cast=["alice"])
    await story.delivered()
    assert await ew.spool.drop("s1") == 0
    with pytest.raises(UnknownName, match="container of what waits 's1-alice'"):
        await ew.spool.drop("s1", containers=["s1-alice"])
    with pytest.raises(UnknownName, match="unknown session 's7'"):
        await ew.spool.waiting("s7")


async def test_a_file_takes_what_waits_along_and_delivers_it(ew: Earwitness, service: Service) -> None:
    await failed(ew, service, "One.", "Two.")
    lines = [json.loads(json.dumps(each)) for each in await ew.spool.lines("s1")]
    assert lines[0] == {"kind": "spool", "version": 2, "session": "s1"}
    service.room = float("inf")
    assert (await ew.spool.deliver(lines)).delivered == 6
    held = await service.list("s1-bob")
    assert await ew.spool.deliver(lines) == SpoolReceipt(delivered=6)
    assert await ew.spool.replay() == ()
    assert await service.list("s1-bob") == held
    assert [each.message_keys for each in held] == [("m0",), ("m1",)]


async def test_a_crowd_in_a_file_is_listed_once_and_delivered_whole(ew: Earwitness, service: Service) -> None:
    cast = [f"c{number:03}" for number in range(100)]
    story = await ew.session("s1", cast=cast, present=cast)
    await story.delivered()
    service.room = 0
    await (await story.say("c000", "Hear ye!", key="m1", audience=cast[1:])).decided()
    lines = [json.loads(json.dumps(each)) for each in await ew.spool.lines("s1")]
    assert len(lines) == 102
    whole = [each for each in lines if "lists_of" not in each]
    assert [each["metadata"]["participants"] for each in whole[1:]] == [cast]
    assert {each["lists_of"] for each in lines if "lists_of" in each} == {whole[1]["id"]}
    service.room = float("inf")
    assert (await ew.spool.deliver(lines)).delivered == 101
    (held,) = await service.list("s1-c050")
    assert held.metadata["participants"] == cast


async def test_a_file_carries_removals(ew: Earwitness, service: Service) -> None:
    story = await ew.session("s1", cast=["alice", "bob"])
    await (await story.say("alice", "Forget this.", key="m1", audience=["bob"])).settled()
    await story.delivered()
    service.room = 0
    await (await story.retract("m1")).decided()
    lines = await ew.spool.lines("s1")
    assert {each["kind"] for each in lines} == {"spool", "removal"}
    service.room = 1
    receipt = await ew.spool.deliver(lines)
    assert receipt.removed == receipt.delivered == len(lines) - 1
    assert await service.count("s1-bob") == 0


async def told(service: Service, container: str) -> list[str]:
    return [each.content for each in await service.list(container)]


async def test_an_old_file_brings_back_nothing_that_was_retracted(ew: Earwitness, service: Service) -> None:
    story = await failed(ew, service, "One.", "Two.")
    lines = await ew.spool.lines("s1")
    service.room = float("inf")
    await (await story.retract("m0")).decided()
    await story.delivered()
    held = await told(service, "s1-bob")
    receipt = await ew.spool.deliver(lines)
    assert receipt == SpoolReceipt(delivered=3, skipped={"taken back since": 3})
    assert await told(service, "s1-bob") == held


async def test_an_old_removal_removes_nothing_that_is_remembered(ew: Earwitness, service: Service) -> None:
    story = await ew.session("s1", cast=["alice", "bob"])
    await (await story.say("alice", "Keep this.", key="m1", audience=["bob"])).settled()
    await story.delivered()
    (held,) = await service.list("s1-bob")
    removal = {"kind": "removal", "container": "s1-bob", "id": held.id}
    head = {"kind": "spool", "version": 1, "session": "s1"}
    assert (await ew.spool.deliver([head, removal])).skipped == {"remembered again": 1}
    assert await service.list("s1-bob") == [held]


async def test_a_file_neither_invents_nor_rewords_a_memory(ew: Earwitness, service: Service) -> None:
    await failed(ew, service)
    head, *lines = await ew.spool.lines("s1")
    forged = {**lines[0], "id": "zz", "content": "Bob knows all."}
    service.room = float("inf")
    receipt = await ew.spool.deliver([head, forged, *({**each, "content": "Reworded."} for each in lines)])
    assert receipt.delivered == 3
    assert receipt.skipped == {"unknown to this ledger, or not due yet": 1}
    assert "sword" in "".join(await told(service, "s1-bob"))
    assert not {"Bob knows all.", "Reworded."} & {*await told(service, "s1-bob"), *await told(service, "s1-alice")}


async def test_what_another_retracts_while_a_file_is_delivered_does_not_stay(ew: Earwitness, service: Service) -> None:
    story = await failed(ew, service)
    lines = await ew.spool.lines("s1")
    put = service.put

    async def late(memories: Sequence[Memory]) -> None:
        service.put = put  # type: ignore[method-assign]
        await (await story.retract("m0")).decided()
        await put(memories)

    service.room = float("inf")
    service.put = late  # type: ignore[method-assign]
    await ew.spool.deliver(lines)
    assert await told(service, "s1-bob") == []


async def test_without_its_ledger_a_file_delivers_nothing(open_app: OpenApp, ew: Earwitness, service: Service) -> None:
    await failed(ew, service)
    lines = await ew.spool.lines("s1")
    service.room = float("inf")
    other = await open_app(store=service, ledger=MemoryLedger())
    with pytest.raises(UnknownName, match="unknown session 's1'"):
        await other.spool.deliver(lines)
    assert service.written == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            {"kind": "memory", "container": "s2-bob", "id": "m", "content": "x", "metadata": {}},
            "'s2-bob' is not a container of session",
        ),
        ({"kind": "removal", "container": "s1/../s2", "id": "m"}, "is not a container of session"),
        ({"kind": "memory", "container": "s1-bob"}, "line 2 is not a memory"),
        ({"kind": "order"}, "line 2: .*neither a memory nor a removal"),
    ],
)
async def test_a_file_reaches_no_other_story(ew: Earwitness, service: Service, line: dict[str, Any], said: str) -> None:
    await ew.session("s1", cast=["bob"])
    await ew.session("s2", cast=["bob"])
    with pytest.raises(InputError, match=said):
        await ew.spool.deliver([{"kind": "spool", "version": 1, "session": "s1"}, line])
    with pytest.raises(InputError, match="does not begin a spool"):
        await ew.spool.deliver([line])
    assert service.written == []


async def test_what_is_due_later_does_not_wait_for_the_store(ew: Earwitness, service: Service) -> None:
    assert isinstance(ew.spool, Spool)
    await failed(ew, service)
    service.room = float("inf")
    await ew.spool.replay()
    assert await ew.spool.lines("s1") == [{"kind": "spool", "version": 2, "session": "s1"}]
