"""What a recall reads besides the character's own container: sections, numbers, merging; and who may read it."""

from typing import Any

import pytest

from earwitness import (
    Character,
    Container,
    ReadProviderEvent,
    ReadRequest,
)
from earwitness.containers import global_canon_container
from earwitness.errors import SettingsError, StrategyError, UnknownName
from earwitness.filters import equals
from earwitness.testing.reference import MemoryLedger
from earwitness.testing.samples import memory
from earwitness.testing.scripted import Adds, Reads, breaks

from .shared_containers import HUB, OTHER, Open, begin, reads, shared

CANON = global_canon_container("alice")


ASKED = "sword crown dragon"


# ── what is asked for ─────────────────────────────────────────────────────────────────────────────────────────────────


async def test_each_section_holds_its_own_number_and_her_own_comes_first(open_app: Open) -> None:
    app = await open_app(
        **reads(
            ReadRequest(container=HUB.name, section="pantheon", number=2),
            ReadRequest(container=CANON.name, section="canon", number=1),
        )
    )
    await shared(app, HUB, "A sword.", "A sword of iron.", "No sword was found there.", "Bread.")
    await shared(app, CANON, "She likes a sword.", "She has two swords at home.")
    story = await begin(app, "A sword!")
    turn = await story.turn("alice", query="sword", in_prompt=())
    found = turn.sections()
    assert {name: [each.memory.id for each in several] for name, several in found.items() if name != "memories"} == {
        "pantheon": ["pantheon-olympus-0", "pantheon-olympus-1"],
        "canon": ["global-canon-alice-0"],
    }
    assert list(found) == ["memories", "pantheon", "canon"]
    assert [each.section for each in turn.memories] == ["memories", "pantheon", "pantheon", "canon"]
    assert turn.memories == tuple(each for several in found.values() for each in several)


async def test_containers_of_one_section_are_merged_by_rank_not_by_score(open_app: Open) -> None:
    requests = [ReadRequest(container=each.name, section="gods", number=3) for each in (HUB, OTHER)]
    app = await open_app(**reads(*requests))
    await shared(app, HUB, "sword crown dragon", "sword crown and", "sword and so on")
    await shared(app, OTHER, "sword one two three four", "a crown five six seven eight nine")
    turn = await (await begin(app)).turn("alice", query=ASKED)
    (gods,) = [each for name, each in turn.sections().items() if name == "gods"]
    scores = {each.memory.id: each.score for each in gods}
    assert scores == {"pantheon-olympus-0": 1, "pantheon-asgard-0": 1, "pantheon-olympus-1": 0.5}
    assert all(each.parts["rank"] == each.score for each in gods)
    assert all("words" in each.parts for each in gods)


async def test_what_joins_her_own_section_is_merged_with_her_memories(open_app: Open) -> None:
    app = await open_app(**reads(ReadRequest(container=HUB.name, section="memories", number=99)))
    await shared(app, HUB, *[f"A sword, number {number}." for number in range(9)])
    story = await begin(app, "A sword!")
    turn = await story.turn("alice", query="sword", in_prompt=(), memories=4)
    assert [each.memory.container for each in turn.memories].count("s1-alice") == 1
    assert len(turn.memories) == 4
    assert list(turn.sections()) == ["memories"]
    assert "###" not in turn.text().replace("###Current time###", "").replace("###Message###", "")


async def test_the_first_request_of_a_section_decides_its_number_and_heading(open_app: Open) -> None:
    first = ReadRequest(container=HUB.name, section="gods", number=1, heading="First")
    app = await open_app(**reads(first, ReadRequest(container=OTHER.name, section="gods", number=9, heading="Second")))
    await shared(app, HUB, "sword")
    await shared(app, OTHER, "sword")
    turn = await (await begin(app)).turn("alice", query="sword")
    assert len(turn.memories) == 1
    assert "### First\n" in turn.text()


async def test_a_provider_may_show_part_of_her_own_memories_in_a_section_of_its_own(open_app: Open) -> None:
    lore = ReadRequest(container="s1-alice", section="lore", number=5, filter=equals("type", "lore"))
    app = await open_app(**reads(lore))
    story = await begin(app, "The sword is here.", "A sword, I say.")
    await (await story.prepare(lore=["Swords rust.", "A sword is heavy."])).settled()
    turn = await story.turn("alice", query="sword", in_prompt=(), memories=2)
    ids = [each.memory.id for each in turn.memories]
    assert len(ids) == len(set(ids))
    assert all(each.memory.type == "lore" for each in turn.sections()["lore"])
    assert turn.failures == ()


async def test_the_budget_is_one_for_all_sections_her_own_first(open_app: Open) -> None:
    app = await open_app(**reads(ReadRequest(container=HUB.name), ReadRequest(container=CANON.name, section="canon")))
    await shared(app, HUB, "sword " * 10)
    await shared(app, CANON, "sword " * 2)
    story = await begin(app, "A sword!")
    own = (await story.turn("alice", query="sword", in_prompt=())).sections()["memories"]
    budget = -(-len(own[0].text) // 4) + 5
    turn = await story.turn("alice", query="sword", in_prompt=(), token_budget=budget)
    assert {name: len(each) for name, each in turn.sections().items()} == {"memories": 1, "shared": 0, "canon": 1}


@pytest.mark.parametrize("more", [{"diversity": 0.5}, {"recency": {"weight": 0.5}}, {"threshold": 0.01}])
async def test_every_way_of_choosing_keeps_to_the_sections(open_app: Open, more: dict[str, Any]) -> None:
    requests = [ReadRequest(container=each.name, section="gods", number=2) for each in (HUB, OTHER)]
    app = await open_app(**reads(*requests))
    await shared(app, HUB, "sword crown", "sword", "bread")
    await shared(app, OTHER, "sword dragon", "sword again", "bread")
    turn = await (await begin(app, "A sword!")).turn("alice", query=ASKED, in_prompt=(), **more)
    assert {name: len(each) for name, each in turn.sections().items()} == {"memories": 1, "gods": 2}
    assert {each.memory.container for each in turn.sections()["gods"]} == {HUB.name, OTHER.name}


async def test_permanent_memories_of_shared_containers_keep_to_their_number(open_app: Open) -> None:
    app = await open_app(**reads(ReadRequest(container=CANON.name, number=1)))
    await shared(app, CANON, "She is kind.", "She is brave.", permanent=True)
    story = await begin(app)
    await (await story.prepare(cards={"alice": "Draws maps."})).settled()
    turn = await story.turn("alice", query="kind or brave?", permanent="always")
    assert {name: len(each) for name, each in turn.sections().items()} == {"memories": 1, "shared": 1}


async def test_messages_in_the_prompt_are_left_out_of_shared_containers_but_not_their_namesakes(
    open_app: Open,
) -> None:
    app = await open_app(**reads(ReadRequest(container=HUB.name)))
    await shared(app, HUB, "sword here", messageIds=["k1"], sessionId="s1")
    await app.engine.store.put(
        [memory(HUB.name, "elsewhere", "sword there", messageIds=["k1"], sessionId="s9", learnedDay=1)]
    )
    turn = await (await begin(app)).turn("alice", query="sword", in_prompt=["k1"])
    assert [each.memory.id for each in turn.memories] == ["elsewhere"]


async def test_days_of_another_session_are_compared_unless_a_provider_knows_better(open_app: Open) -> None:
    asked = {False: [], True: ["elsewhere"]}
    for any_day, found in asked.items():
        app = await open_app(**reads(ReadRequest(container=HUB.name, any_day=any_day)))
        await shared(app, HUB, "sword tomorrow", sessionId="s1", learnedDay=2)
        late = [
            memory(HUB.name, "elsewhere", "sword there", sessionId="s9", learnedDay=40),
            memory(HUB.name, "nowhere", "sword nowhere", learnedDay=40),
        ]
        await app.engine.store.put(late)
        turn = await (await begin(app)).turn("alice", query="sword")
        assert [each.memory.id for each in turn.memories] == found


async def test_plugins_weigh_add_and_drop_what_is_shared_too(open_app: Open) -> None:
    adds = Adds()
    adds.ids = ("pantheon-olympus-9", "pantheon-asgard-0")
    app = await open_app(plugins=[adds], **reads(ReadRequest(container=HUB.name, number=3)))
    await shared(app, HUB, "sword", *["bread"] * 40)
    await shared(app, OTHER, "sword")
    turn = await (await begin(app)).turn("alice", query="sword")
    ids = {each.memory.id for each in turn.memories}
    assert "pantheon-olympus-9" in ids
    assert "pantheon-asgard-0" not in ids


async def test_the_newest_of_what_is_always_included_come_whatever_is_asked(open_app: Open) -> None:
    app = await open_app(**reads(ReadRequest(container=CANON.name, section="canon", number=2, always=True)))
    await shared(app, CANON, "She hates tea.", "She was born at sea.", "She has a brother.")
    turn = await (await begin(app)).turn("alice", query="sword", in_prompt=(), threshold=0.9)
    assert [each.text for each in turn.sections()["canon"]] == ["She was born at sea.", "She has a brother."]


# ── who may read ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_members_are_personalities_whatever_they_are_called_in_a_session(open_app: Open) -> None:
    app = await open_app(**reads(ReadRequest(container=HUB.name)))
    await shared(app, HUB, "sword", member="ares")
    story = await app.session(
        "s1", cast=[Character("mars", personality_id="ares"), Character("ares", personality_id="x")]
    )
    assert len((await story.turn("mars", query="sword")).memories) == 1
    turn = await story.turn("ares", query="sword")
    assert turn.memories == ()
    assert turn.failures == ("read_provider:reads: 'x' is not a member of container 'pantheon-olympus' on game day 1",)


async def test_everybody_may_read_what_everybody_is_a_member_of_when_it_is_asked_for_by_name(open_app: Open) -> None:
    asked: list[tuple[str, ...]] = []

    class ByName:
        async def reads(self, event: ReadProviderEvent) -> list[ReadRequest]:
            readable, named = event.containers.readable, [HUB.name]
            asked.append(tuple(each.name for each in await readable(kind="pantheon")))
            asked.append(tuple(each.name for each in await readable(names=named)))
            return [ReadRequest(container=HUB.name)]

    app = await open_app(read_providers=[ByName()])
    await shared(app, HUB, "sword", member="*")
    story = await app.session("s1", cast=["alice"])
    assert len((await story.turn("alice", query="sword")).memories) == 1
    assert asked == [(), (HUB.name,)]
    await app.dismiss(HUB, "*", until=0)
    turn = await story.turn("alice", query="sword")
    assert turn.failures == (
        "read_provider:byname: 'alice' is not a member of container 'pantheon-olympus' on game day 1",
    )


async def test_a_provider_asks_the_register_what_may_be_read(open_app: Open) -> None:
    class Everything:
        found: tuple[Any, ...] = ()

        async def reads(self, event: ReadProviderEvent) -> list[ReadRequest]:
            ask = event.containers.readable
            names = [HUB.name, OTHER.name, "nowhere", "s1-bob"]
            self.found = (await ask(), await ask(kind="pantheon"), await ask(names=names), await ask(kind="guild"))
            event.data["asked"] = len(self.found[0])
            return [ReadRequest(container=each.name, section=each.kind) for each in self.found[0]]

    provider = Everything()
    app = await open_app(read_providers=[provider])
    story = await begin(app)
    board = Container(name="s1-board", kind="notice_board", owner="inn", session="s1")
    elsewhere = Container(name="s2-board", kind="notice_board", owner="inn", session="s2")
    await begin(app, id="s2")
    await shared(app, HUB, "sword")
    await shared(app, OTHER, "sword", member="bob")
    await shared(app, board, "sword")
    await shared(app, elsewhere, "sword")
    await app.register(CANON)
    await app.admit(CANON, "alice", since=2)
    turn = await story.turn("alice", query="sword")
    assert [[each.name for each in found] for found in provider.found] == [
        [HUB.name, "s1-board"],
        [HUB.name],
        [HUB.name],
        [],
    ]
    assert [each.memory.container for each in turn.memories] == [HUB.name, "s1-board"]
    assert turn.failures == ()
    assert await app.engine.ledger.data("s1", "read_provider:everything") == {"asked": 2}


async def test_a_provider_is_shown_who_recalls_what_and_where(open_app: Open) -> None:
    provider = Reads()
    app = await open_app(read_providers=[provider])
    story = await app.session("s1", cast=[Character("al", personality_id="alice")], state={"game_day": 7})
    await story.turn("al", query="Where is it?", context="dm")
    (event,) = provider.asked
    assert (event.session, event.character, event.personality, event.query) == ("s1", "al", "alice", "Where is it?")
    assert (event.day, event.channel.context, event.cast.ids) == (7, "dm", ("al",))


async def test_strict_raises_for_a_provider_that_fails_and_names_what_it_may_not_read(open_app: Open) -> None:
    class Broken:
        def reads(self, event: ReadProviderEvent) -> Any:
            return breaks()

    story = await begin(await open_app(read_providers=[Broken()]))
    with pytest.raises(StrategyError, match="read_provider:broken failed: RuntimeError: the model is on fire"):
        await story.turn("alice")
    refusing = await begin(await open_app(**reads(ReadRequest(container="s1-world"))))
    assert (await refusing.turn("alice")).failures == (
        "read_provider:reads: container 's1-world' is the world container of 'world' in session 's1'",
    )


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (None, "answered None, expected any number of ReadRequest"),
        ("pantheon-olympus", "answered 'pantheon-olympus', expected"),
        ([HUB], "expected any number of ReadRequest"),
        ([ReadRequest.model_construct(container="x", filter="gameDay<=3")], "is not a filter"),
    ],
)
async def test_an_answer_that_is_no_requests_is_named(open_app: Open, answer: object, why: str) -> None:
    class Odd:
        def reads(self, event: ReadProviderEvent) -> Any:
            return answer

    turn = await (await begin(await open_app(read_providers=[Odd()], strict=False))).turn("alice")
    (failure,) = turn.failures
    assert why in failure


async def test_a_recall_without_providers_asks_the_ledger_nothing_about_containers(open_app: Open) -> None:
    ledger, asked = MemoryLedger(), list[str]()
    story = await begin(await open_app(ledger=ledger), "A sword!")
    for name in ("claimed", "memberships", "containers", "admit", "register", "load", "deliveries"):
        setattr(ledger, name, lambda *given, name=name, **more: asked.append(name))
    await story.turn("alice")
    assert asked == []


async def test_providers_come_by_name_too(open_app: Open) -> None:
    with pytest.raises(UnknownName, match="unknown read provider 'nobody'"):
        await open_app(read_providers=["nobody"])
    with pytest.raises(SettingsError, match=r"has no method reads; every read provider has it: see ReadProvider"):
        await open_app(read_providers=[object()])


@pytest.mark.parametrize(
    ("own", "hub", "read"),
    [
        (("shared", 3), ("shared", 2), ("pantheon-olympus-0", 2)),
        (("shared", 1), ("witnessed", 2), ("pantheon-olympus-0", 1)),
        (("witnessed", 3), ("shared", 2), ("own", 2)),
        (("shared", 2), ("shared", 2), ("own", 2)),
        (("direct", 3), ("witnessed", 2), ("own", 3)),
    ],
)
async def test_what_was_told_as_a_copy_and_in_a_shared_container_is_read_as_one_memory_with_two_tellers(
    open_app: Open, own: tuple[str, float], hub: tuple[str, float], read: tuple[str, float]
) -> None:
    app = await open_app(**reads(ReadRequest(container=HUB.name, section="gods", unless_own=True)))
    there = {"interactionType": hub[0], "learnedDay": hub[1], "sharedFrom": "bob", "toldAt": 1}
    await shared(app, HUB, "Bob: A sword!", messageIds=["m1"], **there)
    story = await begin(app)
    await story.change(game_day=9)
    await story.delivered()
    told = {} if own[0] == "direct" else {"sharedFrom": "bob"}
    given = {"interactionType": own[0], "learnedDay": own[1], "messageIds": ["m1"], **told}
    await app.engine.store.put([memory("s1-alice", "own", "A sword!", **given)])
    (found,) = (await story.turn("alice", query=ASKED)).memories
    assert (found.memory.id, found.memory.learned_day) == read


async def test_what_several_shared_containers_hold_of_one_message_is_read_once(open_app: Open) -> None:
    requests = [ReadRequest(container=each.name, section="gods", unless_own=True) for each in (HUB, OTHER)]
    app = await open_app(**reads(*requests))
    await shared(app, HUB, "sword crown", interactionType="shared", messageIds=["m1"])
    await shared(app, OTHER, "sword crown dragon", interactionType="witnessed", messageIds=["m1"])
    await app.engine.store.put([memory(HUB.name, f"note-{at}", "A sword.", learnedDay=1) for at in range(2)])
    turn = await (await begin(app)).turn("alice", query=ASKED)
    assert sorted(each.memory.id for each in turn.memories) == ["note-0", "note-1", "pantheon-asgard-0"]


async def test_only_shared_containers_make_a_recall_ask_who_waits(
    open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[str]()
    waiting = MemoryLedger.waiting

    async def counted(ledger: MemoryLedger, container: str) -> Any:
        asked.append(container)
        return await waiting(ledger, container)

    monkeypatch.setattr(MemoryLedger, "waiting", counted)
    app = await open_app(ledger=MemoryLedger(), **reads(ReadRequest(container=HUB.name, number=2)))
    await shared(app, HUB, "A sword.")
    story = await begin(app, "A sword!")
    await story.turn("bob", query="sword")
    assert asked == []
    turn = await story.turn("alice", query="sword")
    assert [each.text for each in turn.memories] == ["A sword."]
    assert asked == [HUB.name]
