"""What a store refuses for good holds nothing else up: it waits by name, is remembered, and can be tried or dropped."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from earwitness import Earwitness, Session, Turn
from earwitness.errors import MemoriesRefused, NotYetApplied
from earwitness.records.memory import Memory
from earwitness.testing.reference import MemoryLedger, MemoryStore

OpenApp = Callable[..., Awaitable[Earwitness]]
BAD = "xyzzy"


class Picky(MemoryStore):
    """Refuses texts with a word of `bad` in them, and says so. Knows what it was asked for."""

    def __init__(self, *, stops_there: bool = False) -> None:
        super().__init__()
        self.bad = {BAD}
        self.stops_there = stops_there
        self.asked: list[str] = []
        self.is_away = False

    async def put(self, memories: Sequence[Memory]) -> None:
        if self.is_away:
            raise ConnectionError("away")
        self.asked += [each.id for each in memories]
        refused: dict[str, dict[str, str]] = {}
        written: dict[str, list[str]] = {}
        for each in memories:
            if any(word in each.content for word in self.bad):
                refused.setdefault(each.container, {})[each.id] = "422 unwanted word"
                if self.stops_there:
                    break
            else:
                await super().put([each])
                written.setdefault(each.container, []).append(each.id)
        if refused:
            raise MemoriesRefused(refused, written)


@pytest.fixture(params=[False, True], ids=["all of a batch", "up to the first"])
def store(request: pytest.FixtureRequest) -> Picky:
    return Picky(stops_there=request.param)


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


@pytest.fixture
async def ew(open_app: OpenApp, store: Picky, ledger: MemoryLedger) -> Earwitness:
    return await open_app(store=store, ledger=ledger, strict=False)


async def told(ew: Earwitness, *texts: str) -> Session:
    story = await ew.session("s1", cast=["alice", "bob"])
    for number, text in enumerate(texts):
        await (await story.say("alice", text, key=f"m{number}", audience=["bob"])).settled()
    await story.delivered()
    return story


async def keys(store: Picky, container: str = "s1-bob") -> list[str]:
    return [each.message_keys[0] for each in await store.list(container)]


async def refused(ew: Earwitness) -> dict[str, Sequence[str]]:
    return {each.container: list(each.refused.values()) for each in await ew.spool.waiting() if each.refused}


async def test_the_others_of_its_session_pass_it_in_order(ew: Earwitness, store: Picky) -> None:
    await told(ew, "One.", f"The word is {BAD}.", "Two.", "Three.")
    assert await keys(store) == ["m0", "m2", "m3"]
    assert await keys(store, "s1-world") == ["m0", "m2", "m3"]
    reason = ["422 unwanted word"]
    assert await refused(ew) == {"s1-alice": reason, "s1-bob": reason, "s1-world": reason}
    assert [(each.count, each.failure) for each in await ew.spool.waiting()] == [(1, None)] * 3
    assert "unwanted word" in str((await ew.spool.waiting())[0])


async def test_it_is_remembered_all_the_same_and_a_turn_says_so_once(ew: Earwitness, store: Picky) -> None:
    story = await told(ew, "One.", f"The word is {BAD}.", *(f"Message {number}." for number in range(5)))
    turn = await story.turn("bob", query=f"What is the word {BAD}?")
    assert any(BAD in each.memory.content for each in turn.memories)
    (said,) = turn.failures
    assert "s1-" in said
    assert "and 2 more (422 unwanted word)" in said
    again = await story.turn("bob", query=f"What is the word {BAD}?")
    assert any(BAD in each.memory.content for each in again.memories)
    assert (again.failures, again.pending) == ((), ())
    known = await story.backstage().who_knows(BAD)
    assert str(known) == "alice: said it on day 1\nbob: heard it from alice on day 1"
    page = await story.backstage().inspect("bob")
    assert (page.total, len(page.memories)) == (7, 7)


async def test_a_filter_holds_for_it_too(ew: Earwitness, store: Picky) -> None:
    story = await told(ew, f"The word is {BAD}.")
    assert (await story.backstage().inspect("bob", filter="gameDay > 5")).memories == ()
    assert await story.backstage().search("bob", BAD, filter="gameDay > 5") == ()


async def test_it_is_not_asked_for_again_until_a_replay_or_a_new_start(
    ew: Earwitness, store: Picky, ledger: MemoryLedger, open_app: OpenApp
) -> None:
    story = await told(ew, f"The word is {BAD}.")
    asked = len(store.asked)
    await (await story.say("alice", "More.", key="m1", audience=["bob"])).settled()
    await story.delivered()
    assert len(store.asked) == asked + 3
    left = await ew.spool.replay()
    assert len(store.asked) >= asked + 4
    assert sum(each.count for each in left) == 3
    await ew.close()
    store.bad = set()
    second = await open_app(store=store, ledger=ledger, strict=False)
    assert sum(each.count for each in await second.spool.waiting()) == 3
    story = await second.open_session("s1")
    await story.delivered()
    assert await second.spool.waiting() == ()
    assert sorted(await keys(store)) == ["m0", "m1"]


async def test_a_replay_delivers_it_once_it_is_taken(ew: Earwitness, store: Picky) -> None:
    story = await told(ew, f"The word is {BAD}.", "One.")
    with pytest.raises(NotYetApplied, match="refuses"):
        await story.delivered(retry_refused=True)
    store.bad = set()
    assert await ew.spool.replay("s1") == ()
    assert sorted(await keys(store)) == ["m0", "m1"]
    page = await story.backstage().inspect("bob")
    assert page.total == 2
    assert (await ew.engine.ledger.data("s1", "earwitness:spool")).get("refused") is None


async def test_what_is_dropped_is_struck_and_not_remembered(ew: Earwitness, store: Picky) -> None:
    story = await told(ew, f"The word is {BAD}.", "One.")
    assert await ew.spool.drop("s1", containers=["s1-bob"], reason="too much") == 1
    await story.delivered()
    assert set(await refused(ew)) == {"s1-alice", "s1-world"}
    turn = await story.turn("bob", query=BAD)
    assert not any(BAD in each.memory.content for each in turn.memories)
    store.bad = set()
    assert await ew.spool.replay() == ()
    assert await keys(store) == ["m1"]


async def test_a_retraction_takes_it_away_for_good(ew: Earwitness, store: Picky) -> None:
    story = await told(ew, f"The word is {BAD}.", "One.")
    await story.backstage().retract("m0")
    await story.delivered()
    assert await ew.spool.waiting() == ()
    turn = await story.turn("bob", query=BAD)
    assert not any(BAD in each.memory.content for each in turn.memories)
    store.bad = set()
    assert await ew.spool.replay() == ()
    assert await keys(store) == ["m1"]


async def test_an_edit_that_is_taken_puts_an_end_to_it(ew: Earwitness, store: Picky) -> None:
    story = await told(ew, f"The word is {BAD}.", "One.")
    await (await story.edit("m0", "The word is plugh.")).settled()
    await story.delivered()
    assert await ew.spool.waiting() == ()
    assert sorted(await keys(store)) == ["m0", "m1"]


async def test_an_edit_that_is_refused_leaves_nothing_of_the_old_text(ew: Earwitness, store: Picky) -> None:
    story = await told(ew, "The word is plugh.", "One.", "Two.", "Three.", "Four.")
    await (await story.edit("m0", f"The word is {BAD}.")).settled()
    await story.delivered()
    assert await keys(store) == ["m1", "m2", "m3", "m4"]
    turn = await story.turn("bob", query="the word is")
    assert any(BAD in each.memory.content for each in turn.memories)
    assert not any("plugh" in each.memory.content for each in turn.memories)


async def test_a_change_of_the_day_does_not_try_it_again(ew: Earwitness, store: Picky) -> None:
    story = await told(ew, f"The word is {BAD}.")
    asked = len(store.asked)
    await (await story.change(game_day=3)).settled()
    await (await story.say("alice", "Good morning.", key="m1", audience=["bob"])).settled()
    await story.delivered()
    assert len(store.asked) == asked + 3
    assert await keys(store) == ["m1"]


async def test_a_second_way_to_know_it_is_refused_with_it_and_arrives_with_it(ew: Earwitness, store: Picky) -> None:
    story = await ew.session("s1", cast=["alice", "bob", "charlie"])
    await (await story.say("alice", f"The word is {BAD}.", key="m0", audience=["bob"])).settled()
    await (await story.tell("alice", "charlie", "m0")).settled()
    await (await story.tell("bob", "charlie", "m0")).settled()
    await (await story.say("alice", "One.", key="m1", audience=["bob", "charlie"])).settled()
    await story.delivered()
    assert await keys(store, "s1-charlie") == ["m1"]
    store.bad = set()
    assert await ew.spool.replay() == ()
    (held,) = [each for each in await store.list("s1-charlie") if BAD in each.content]
    supports = await ew.engine.ledger.deliveries("s1", memory_ids=[held.id])
    assert [each.status for each in supports] == ["applied"] * 2


async def test_a_store_that_is_away_meanwhile_gets_the_rest_later(ew: Earwitness, store: Picky) -> None:
    story = await told(ew, f"The word is {BAD}.")
    store.is_away = True
    await (await story.say("alice", "One.", key="m1", audience=["bob"])).decided()
    with pytest.raises(NotYetApplied, match="away"):
        await story.delivered()
    assert {each.container: each.count for each in await ew.spool.waiting()} == {
        "s1-alice": 2,
        "s1-bob": 2,
        "s1-world": 2,
    }
    store.is_away = False
    await story.delivered()
    assert await keys(store) == ["m1"]


async def test_a_long_message_reaches_all_who_can_have_it(ew: Earwitness, store: Picky) -> None:
    crowd = [f"guest{number}" for number in range(150)]
    story = await ew.session("s1", cast=["alice", *crowd])
    store.bad = {"Welcome"}
    await (await story.say("alice", "Welcome.", key="m0", audience=crowd)).settled()
    await (await story.say("alice", "One.", key="m1", audience=crowd[:3])).settled()
    await story.delivered()
    assert await store.count("s1-guest140") == 0
    assert await keys(store, "s1-guest1") == ["m1"]
    store.bad = set()
    assert await ew.spool.replay() == ()
    assert [await store.count(f"s1-{id}") for id in ("alice", *crowd[:4])] == [2, 2, 2, 2, 1]


async def test_another_story_of_the_same_id_has_nothing_of_it(ew: Earwitness, store: Picky) -> None:
    await told(ew, f"The word is {BAD}.")
    await ew.forget("s1")
    story = await told(ew, "One.")
    turn = await story.turn("bob", query=BAD)
    assert not any(BAD in each.memory.content for each in turn.memories)


async def test_what_is_imported_passes_it_too(ew: Earwitness, store: Picky) -> None:
    await told(ew, f"The word is {BAD}.")
    receipt = await ew.spool.deliver(await ew.spool.lines("s1"))
    assert receipt.delivered == 0
    assert receipt.skipped == {"refused by the store (422 unwanted word)": 3}


class Silent(Picky):
    """Says only what it refuses of other batches."""

    async def put(self, memories: Sequence[Memory]) -> None:
        raise MemoriesRefused({"elsewhere": {"another": "422"}})


async def test_a_refusal_of_something_else_is_a_failure(open_app: OpenApp) -> None:
    ew = await open_app(store=Silent(), ledger=MemoryLedger(), strict=False)
    story = await ew.session("s1", cast=["alice", "bob"])
    await (await story.say("alice", "One.", key="m0", audience=["bob"])).decided()
    with pytest.raises(NotYetApplied):
        await story.delivered()


def test_the_error_says_which_and_how_many() -> None:
    error = MemoriesRefused({"c": {"a": "413 too large", "b": "422"}}, {"c": ["d"]})
    assert str(error) == "memory 'a' of 'c' and 1 more: 413 too large"
    assert (error.why("c", "b"), error.why("c", "d"), error.names("c", "d")) == ("422", None, True)


def test_a_reason_is_shortened_like_every_error() -> None:
    assert len(MemoriesRefused({"c": {"a": "x" * 10_000}}).refused["c"]["a"]) < 2_100


async def test_what_a_retraction_rewords_is_not_lost_if_it_is_refused_then(store: Picky, tmp_path: Path) -> None:
    async with Earwitness.open(tmp_path / "story.db", store=store) as ew:
        story = await ew.session("s1", cast=["alice", "bob"], present=["alice", "bob"])
        await story.say("alice", "*picks up the XSWORD*", key="sword")
        await story.say("alice", "The word is plugh.", key="m0")
        await story.delivered()
        assert "Alice picked up the XSWORD" in (await store.list("s1-bob"))[1].content
        store.bad, store.is_away = {"plugh"}, True
        await (await story.backstage().retract("sword")).decided()
        for number in range(1, 4):
            await (await story.say("alice", f"Message {number}.", key=f"m{number}")).decided()
        store.is_away = False
        await story.delivered()
        assert await keys(store) == ["m1", "m2", "m3"]
        assert await refused(ew) == {"s1-alice": ["422 unwanted word"], "s1-bob": ["422 unwanted word"]}
        turn = await story.turn("bob", query="the word plugh", last=1)
        (remembered,) = [each.memory.content for each in turn.memories if "plugh" in each.memory.content]
        assert "XSWORD" not in remembered
        store.bad = set()
        assert await ew.spool.replay() == ()
        assert sorted(await keys(store)) == ["m0", "m1", "m2", "m3"]
        assert not any("XSWORD" in each.content for each in await store.list("s1-bob"))


async def test_nothing_waits_for_a_character_who_is_forgotten(ew: Earwitness, store: Picky) -> None:
    story = await told(ew, f"The word is {BAD}.", "One.")
    await story.forget("bob")
    await story.delivered()
    assert set(await refused(ew)) == {"s1-alice", "s1-world"}
    assert {each.container for each in await ew.spool.waiting()} == {"s1-alice", "s1-world"}


# ── another process on the same ledger ───────────────────────────────────────────────────────────────────────────────


def says(turn: Turn, word: str) -> bool:
    texts = [*(each.memory.content for each in turn.memories), *(each.text for each in turn.messages)]
    return any(word in each for each in texts)


@pytest.mark.parametrize("how", ["retract", "edit", "drop"])
async def test_what_another_process_takes_back_is_recalled_no_more(store: Picky, tmp_path: Path, how: str) -> None:
    def opened() -> Earwitness:
        return Earwitness.open(str(tmp_path / "story.db"), store=store, strict=False)

    async with opened() as here, opened() as there:
        story = await told(here, "One.", f"The word is {BAD}.", "Two.", "Three.", "Four.", "Five.")
        assert says(await story.turn("bob", query=BAD, in_prompt=()), BAD)
        other = await there.open_session("s1")
        await other.delivered()
        if how == "retract":
            await (await other.backstage().retract("m1")).decided()
        elif how == "edit":
            await (await other.edit("m1", "The word is plain.")).settled()
        else:
            await there.spool.drop("s1", reason="too much")
        assert not says(await story.turn("bob", query=BAD, in_prompt=()), BAD)
        assert not says(await story.turn("bob", query=BAD), BAD)
        await other.delivered()
        await story.delivered()
        assert not says(await story.turn("bob", query=BAD, in_prompt=()), BAD)
        assert not here.engine.refusals.has("s1-bob")
        assert await here.spool.waiting() == ()
