"""A store that fails, hangs or is away stops neither deciding nor the story: nothing is lost, nothing comes twice."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from time import perf_counter
from typing import Any

import pytest

from earwitness import Session
from earwitness.errors import NotDecided, NotYetApplied, StorageError
from earwitness.records.memory import Hit, Memory
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness.testing.scripted import Gossip

from ..unsteady_store import UnsteadyStore

Begin = Callable[..., Awaitable[Session]]
QUICK: dict[str, Any] = {
    "end": {"store_timeout": 0.05},
    "recall": {"timeout": 0.05, "wait": 0.05},
    "strict": False,
}


class Unsteady(UnsteadyStore):
    """A store that can be away or hang, and says what was put into it."""

    def __init__(self) -> None:
        super().__init__()
        self.puts: list[Sequence[Memory]] = []

    async def put(self, memories: Sequence[Memory]) -> None:
        await super().put(memories)
        self.puts.append(memories)


@pytest.fixture
def store() -> Unsteady:
    return Unsteady()


class ReadsOnly(Unsteady):
    """A store that can be read while it takes no writes."""

    async def search(self, *given: Any, **more: Any) -> Sequence[Hit]:
        return await MemoryStore.search(self, *given, **more)

    async def list(self, *given: Any, **more: Any) -> Sequence[Memory]:
        return await MemoryStore.list(self, *given, **more)


@pytest.mark.parametrize("change", ["edit", "retract", "archive"])
async def test_a_recall_shows_nothing_of_what_was_changed_while_the_store_takes_no_writes(
    begin: Begin, change: str
) -> None:
    store = ReadsOnly()
    story = await begin(store=store, **QUICK)
    await (await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])).settled()
    await story.delivered()
    store.hangs = True
    given = ("m1", "The sword is in the lake.") if change == "edit" else ("m1",)
    await (await getattr(story, change)(*given)).decided()
    turn = await story.turn("bob", query="the sword", in_prompt=[])
    assert ["lake" in each.text for each in turn.memories] == [True] * (change == "edit")
    store.hangs = False
    await story.delivered()
    turn = await story.turn("bob", query="the sword", in_prompt=[])
    assert ["lake" in each.text for each in turn.memories] == [True] * (change == "edit")


async def test_a_rumour_is_recalled_on_its_day_while_the_store_takes_no_writes(begin: Begin) -> None:
    store = ReadsOnly()
    story = await begin(store=store, sharing_rules=[Gossip({"bob": ["charlie"]}, delay=1)], **QUICK)
    await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])
    await story.delivered()
    store.away = True
    for day, known in ((1, []), (2, [("m1",)]), (1, []), (2, [("m1",)])):
        await (await story.change(game_day=day)).decided()
        turn = await story.turn("charlie", query="the sword", in_prompt=[])
        assert [each.memory.message_keys for each in turn.memories] == known
    store.away = False
    await story.delivered()
    (memory,) = await store.list("s1-charlie")
    assert memory.learned_day == 2


@pytest.mark.parametrize("way", ["away", "hangs"])
async def test_everything_is_decided_meanwhile_and_delivered_once_when_the_store_is_back(
    begin: Begin, store: Unsteady, way: str
) -> None:
    story = await begin(store=store, **QUICK)
    setattr(store, way, True)
    outcomes = [await story.say("alice", f"Message {number}.", audience=["bob"]) for number in range(200)]
    assert [sorted((await each.decided()).participants) for each in outcomes] == [["alice", "bob"]] * 200
    with pytest.raises(NotYetApplied, match="Nothing is lost"):
        await outcomes[-1].settled(timeout=0.01)
    setattr(store, way, False)
    await story.delivered(timeout=20)
    held = await store.list("s1-bob")
    assert [each.metadata["messageIds"] for each in held] == [[each.key] for each in outcomes]
    written = [memory.id for memories in store.puts for memory in memories]
    assert len(written) == len(set(written))


@pytest.mark.parametrize("way", ["away", "hangs"])
async def test_a_recall_answers_from_what_is_at_hand_and_says_so(begin: Begin, store: Unsteady, way: str) -> None:
    story = await begin(store=store, **QUICK)
    await (await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])).settled()
    setattr(store, way, True)
    await (await story.say("alice", "The cave is in the hills.", key="m2", audience=["bob"])).decided()
    began = perf_counter()
    turn = await story.turn("bob", query="Where is the cave?", in_prompt=[])
    assert perf_counter() - began < 2
    assert [each.memory.message_keys for each in turn.memories] == [("m1",), ("m2",)]
    (failure,) = turn.failures
    assert failure.startswith("store: ")
    assert turn.pending == ("m2",)
    assert (await story.turn("charlie", query="cave")).memories == ()


async def test_a_strict_recall_raises_when_the_store_is_away(begin: Begin, store: Unsteady) -> None:
    story = await begin(store=store, **{**QUICK, "strict": True})
    await (await story.say("alice", "The sword is in the cave.")).settled()
    store.away = True
    with pytest.raises(StorageError, match=r"store:unsteady failed in `(search|list)`: ConnectionError: no route"):
        await story.turn("alice", query="sword")


async def test_a_strict_recall_raises_a_storage_error_when_the_store_hangs(begin: Begin, store: Unsteady) -> None:
    story = await begin(store=store, **{**QUICK, "strict": True})
    await (await story.say("alice", "The sword is in the cave.")).settled()
    store.hangs = True
    with pytest.raises(StorageError, match=r"the store has not answered within 0\.05 s"):
        await story.turn("alice", query="sword")
    outcome = await story.say("alice", "It is gone.")
    with pytest.raises(NotYetApplied, match=r"within 0\.\d{1,3} s"):
        await outcome.settled(timeout=0.2)


async def test_backstage_does_not_wait_for_ever_for_a_store_that_hangs(begin: Begin, store: Unsteady) -> None:
    story = await begin(store=store, **QUICK)
    await (await story.say("alice", "The sword is in the cave.")).settled()
    await story.delivered()
    store.hangs = True
    backstage = story.backstage()
    for call in (
        backstage.who_knows("the sword"),
        backstage.inspect("alice"),
        backstage.search("alice", "sword"),
        backstage.overview(),
    ):
        with pytest.raises(StorageError, match=r"the store has not answered within 0\.\d+ s"):
            await call
    store.hangs = False
    assert (await backstage.who_knows("the sword")).knowers["alice"].knows


async def test_what_is_not_applied_yet_is_recalled_while_the_store_can_be_searched(
    begin: Begin, store: Unsteady, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = await begin(store=store, **QUICK)

    async def refused(memories: Sequence[Memory]) -> None:
        raise StorageError("read only")

    monkeypatch.setattr(store, "put", refused)
    await (await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])).decided()
    turn = await story.turn("bob", query="sword", in_prompt=[])
    assert [each.memory.message_keys for each in turn.memories] == [("m1",)]


async def test_an_outcome_is_read_once_it_is_decided(begin: Begin, store: Unsteady) -> None:
    story = await begin(store=store, **QUICK)
    store.away = True
    outcome = await story.say("alice", "Hello.", audience=["bob"])
    with pytest.raises(NotDecided):
        _ = outcome.participants
    assert list((await outcome.decided()).participants) == ["alice", "bob"] == list(outcome.participants)


async def test_without_a_timeout_settled_says_what_the_store_says_and_can_be_asked_again(
    begin: Begin, store: Unsteady
) -> None:
    story = await begin(store=store, **QUICK)
    store.away = True
    outcome = await story.say("alice", "Hello.")
    with pytest.raises(NotYetApplied, match="ConnectionError: no route to the service") as raised:
        await outcome.settled()
    assert isinstance(raised.value.__cause__, StorageError)
    store.away = False
    assert list((await outcome.settled()).participants) == ["alice"]
    assert await store.count("s1-alice") == 1


async def test_closing_does_not_wait_for_a_store_that_is_away_and_the_next_process_delivers(
    begin: Begin, open_app: Callable[..., Awaitable[Any]]
) -> None:
    ledger, store = MemoryLedger(), Unsteady()
    ew = await open_app(ledger=ledger, store=store, **QUICK)
    story = await ew.session("s1", cast=["alice", "bob"])
    store.away = True
    await (await story.say("alice", "Hello.", audience=["bob"])).decided()
    began = perf_counter()
    await ew.close()
    assert perf_counter() - began < 2
    store.away = False
    resumed = await (await open_app(ledger=ledger, store=store, **QUICK)).open_session("s1")
    await resumed.delivered()
    assert await store.count("s1-bob") == 1


async def test_what_is_retracted_while_the_store_is_away_never_reaches_it(begin: Begin, store: Unsteady) -> None:
    story = await begin(store=store, **QUICK)
    store.away = True
    await (await story.say("alice", "Forget this.", key="m1", audience=["bob"])).decided()
    await (await story.retract("m1")).decided()
    store.away = False
    await story.delivered()
    assert [memory.id for memories in store.puts for memory in memories] == []
    assert await store.count("s1-bob") == 0


async def test_participants_remember_before_the_others_of_many_listeners(begin: Begin, store: Unsteady) -> None:
    crowd = [f"guest{number}" for number in range(600)]
    story = await begin(store=store, cast=["alice", *crowd], **QUICK)
    await (await story.say("alice", "Welcome, all.", audience=crowd)).settled()
    await story.delivered()
    sizes = [len(memories) for memories in store.puts]
    assert (sum(sizes), max(sizes)) == (602, 64)
    assert store.puts[-1][-1].container == "s1-world"


async def test_a_story_goes_on_in_a_new_process_while_the_store_is_away(
    open_app: Callable[..., Awaitable[Any]],
) -> None:
    ledger, store = MemoryLedger(), Unsteady()
    first = await open_app(ledger=ledger, store=store, **QUICK)
    story = await first.session("s1", cast=["alice", "bob"])
    store.away = True
    await (await story.say("alice", "Hello.", key="m1", audience=["bob"])).decided()
    again = await (await open_app(ledger=ledger, store=store, **QUICK)).session("s1", cast=["alice", "bob", "dana"])
    assert "dana" in again.cast
    await (await again.say("alice", "Still here.", key="m2", audience=["bob", "dana"])).decided()
    branch = await again.fork("s2")
    await again.forget("dana")
    assert (await again.turn("bob", query="hello", in_prompt=[])).memories
    store.away = False
    await again.delivered(timeout=10)
    await branch.delivered(timeout=10)
    assert [await store.count(f"{id}-bob") for id in ("s1", "s2")] == [2, 2]
    assert [await store.count(f"{id}-dana") for id in ("s1", "s2")] == [0, 1]


async def test_a_backlog_is_written_once(begin: Begin, store: Unsteady) -> None:
    story = await begin(store=store, **QUICK)
    await story.say_all([{"speaker": "alice", "content": f"Message {n}.", "audience": ["bob"]} for n in range(500)])
    await story.delivered()
    written = [memory.id for memories in store.puts for memory in memories]
    assert len(written) == len(set(written)) == 1500


async def test_a_recall_waits_for_no_write_once_the_store_has_failed(begin: Begin, store: Unsteady) -> None:
    story = await begin(store=store, strict=False, recall={"wait": 30.0})
    await story.delivered()
    store.is_away = True
    began = perf_counter()
    for number in range(3):
        await story.say("alice", f"The sword is in cave {number}.", key=f"m{number}", audience=["bob"])
        turn = await story.turn("bob", query="the sword", in_prompt=())
        assert {f"m{each}" for each in range(number + 1)} == {
            key for each in turn.memories for key in each.memory.message_keys
        }
    assert perf_counter() - began < 10
