"""What a search finds, in words a reader would use."""

from collections.abc import Callable

import pytest

from earwitness.filters import And, Compare, Or
from earwitness.formats import KNOWLEDGE, character_memory, message_line, recall_query, with_knowledge
from earwitness.records.memory import Memory
from earwitness_plugins.stores.sqlite import SqliteStore

pytestmark = pytest.mark.anyio
Remember = Callable[..., Memory]


async def found(store: SqliteStore, query: str, container: str = "s1-alice", **how: object) -> list[str]:
    return [hit.memory.id for hit in await store.search(container, query, **how)]  # type: ignore[arg-type]


async def test_shared_words_find_a_memory_whatever_their_ending(store: SqliteStore, memory: Remember) -> None:
    await store.put([memory("cave", "Bob hides two swords in the cave."), memory("soup", "Charlie cooks a soup.")])
    assert (await found(store, "Where did Bob hide the sword?"))[0] == "cave"


async def test_meaning_finds_a_memory_without_a_shared_word(store: SqliteStore, memory: Remember) -> None:
    await store.put([memory("soup", "Charlie cooks a soup."), memory("cave", "The horse ran into the forest.")])
    assert (await found(store, "dinner"))[0] == "soup"
    assert (await found(store, "animals"))[0] == "cave"


async def test_the_furniture_of_our_formats_finds_nothing(store: SqliteStore, memory: Remember) -> None:
    told = with_knowledge(character_memory("Bob", "I lost my boots.", 3, 4), ["The king is ill. GameDay: 3"])
    await store.put([memory("boots", told)])
    assert KNOWLEDGE in told
    [hit] = await store.search("s1-alice", "message knowledge discovered")
    assert hit.parts["words"] == 0
    [hit] = await store.search("s1-alice", "king Bob")
    assert hit.parts["words"] == 1


async def test_a_recall_query_finds_what_its_messages_are_about(store: SqliteStore, memory: Remember) -> None:
    await store.put(
        [
            memory("boots", character_memory("Bob", "I lost my boots in the swamp.", 1, 1)),
            memory(
                "crown", character_memory("Eve", "The crown is a fake, and the memories of the king are too.", 1, 1)
            ),
            memory("soup", character_memory("Charlie", "Soup is ready.", 2, 2)),
        ]
    )
    query = recall_query(5, [message_line("Eve", "Who has seen the crown?", 5)], "Charlie")
    assert (await found(store, query))[0] == "crown"


async def test_chinese_and_japanese_words_are_found_inside_sentences(store: SqliteStore, memory: Remember) -> None:
    await store.put(
        [memory("剑", "爱丽丝在山洞里找到了圣剑。"), memory("龙", "巨龙在睡觉。"), memory("か", "ボブは靴を失くした。")]
    )
    assert (await found(store, "圣剑"))[0] == "剑"
    assert (await found(store, "龙"))[0] == "龙"
    assert (await found(store, "靴はどこ"))[0] == "か"


async def test_accents_and_invisible_characters_make_no_difference(store: SqliteStore, memory: Remember) -> None:
    await store.put([memory("a", "Zoë ate a crème br\u200bûlée."), memory("b", "Bob ate an apple.")])
    [first, *_] = await store.search("s1-alice", "zoe creme brulee")
    assert (first.memory.id, first.parts["words"]) == ("a", 1)


@pytest.mark.parametrize("query", ["", "  ", "☀️"])
async def test_a_query_that_says_nothing_finds_the_newest_with_score_0(
    store: SqliteStore, memory: Remember, query: str
) -> None:
    await store.put([memory(id, "a sword") for id in "bca"])
    await store.put([memory("b", "another sword")])
    hits = await store.search("s1-alice", query, limit=2)
    assert [(hit.memory.id, hit.score, hit.parts) for hit in hits] == [("a", 0, {}), ("c", 0, {})]


async def test_a_memory_without_any_word_is_kept_and_found_by_nothing(store: SqliteStore, memory: Remember) -> None:
    await store.put([memory("sun", "☀️"), memory("empty", ""), memory("sword", "a sword")])
    assert await found(store, "the sword in the sun") == ["sword"]
    assert await store.count("s1-alice") == 3


async def test_a_question_in_nothing_but_stop_words_still_asks_for_them(store: SqliteStore, memory: Remember) -> None:
    await store.put([memory("a", "Who are you?"), memory("b", "Bob eats soup.")])
    assert (await found(store, "who are you"))[0] == "a"


async def test_scores_and_parts_lie_between_0_and_1(store: SqliteStore, memory: Remember) -> None:
    await store.put([memory(f"m{number}", f"sword {'and shield ' * number}") for number in range(9)])
    for query in ("sword", "shield bearer", "horse"):
        for hit in await store.search("s1-alice", query):
            assert set(hit.parts) == {"words", "meaning", "rerank"}
            assert all(0 <= value <= 1 for value in (hit.score, *hit.parts.values()))


async def test_the_answer_is_found_beside_its_question(store: SqliteStore, memory: Remember) -> None:
    talk = ("Good morning.", "What is your favourite dish, Bob?", "Onion soup, always.", "Shall we go?", "Not yet.")
    for kind in ("message", "lore"):
        said = [memory(f"{kind}{n}", text, container=kind, type=kind) for n, text in enumerate(talk)]
        await store.put(said)
    query = "What is Bob's favourite dish?"
    assert await found(store, query, container="message", limit=2) == ["message1", "message2"]
    [_, answer] = await store.search("message", query, limit=2)
    [alone] = [hit for hit in await store.search("lore", query) if hit.memory.id == "lore2"]
    assert 0 < answer.parts["context"] <= answer.score - alone.score + 1e-6
    assert "context" not in alone.parts


async def test_what_the_filter_hides_lifts_nothing(store: SqliteStore, memory: Remember) -> None:
    talk = ("What is your favourite dish?", "Soup.")
    await store.put([memory(f"m{n}", text, type="message", gameDay=n) for n, text in enumerate(talk)])
    [hit] = await store.search("s1-alice", "a favourite dish", filter=Compare("gameDay", ">", 0))
    assert "context" not in hit.parts


async def test_equal_memories_are_ordered_by_id(store: SqliteStore, memory: Remember) -> None:
    await store.put([memory(id, "the same sword") for id in ("c", "a", "d", "b")])
    assert await found(store, "sword", limit=3) == ["a", "b", "c"]


async def test_only_what_the_filter_holds_for_is_found(store: SqliteStore, memory: Remember) -> None:
    await store.put(
        [
            memory(f"m{day}", f"a sword of day {day}", gameDay=day, type="lore" if day > 2 else "plot")
            for day in range(5)
        ]
    )
    assert sorted(await found(store, "sword", filter=Compare("game_day", "<=", 1))) == ["m0", "m1"]
    both = And((Compare("game_day", ">", 1), Compare("type", "==", "plot")))
    assert await found(store, "sword", filter=both) == ["m2"]
    assert await found(store, "sword", filter=Or()) == []
    assert await found(store, "", filter=both) == ["m2"]


@pytest.mark.parametrize("limit", [0, -1])
async def test_no_hits_are_wanted_and_none_are_found(store: SqliteStore, memory: Remember, limit: int) -> None:
    await store.put([memory("a", "a sword")])
    assert await found(store, "sword", limit=limit) == []


async def test_more_hits_than_usual_can_be_asked_for(store: SqliteStore, memory: Remember) -> None:
    await store.put([memory(f"m{number:03}", f"sword number {number}") for number in range(250)])
    assert len(set(await found(store, "sword", limit=200))) == 200


@pytest.mark.parametrize("settings", [{"fusion": "rrf"}, {"rerank": False}, {"fusion": "rrf", "rerank": False}])
async def test_every_way_of_ranking_puts_the_best_first(
    store_at: Callable[..., SqliteStore], memory: Remember, settings: dict[str, object]
) -> None:
    store = store_at(":memory:", **settings)
    await store.open()
    await store.put(
        [memory("b", "Bob eats soup."), memory("a", "Alice has the sacred sword."), memory("c", "A sword.")]
    )
    [first, *_] = await store.search("s1-alice", "Who has the sacred sword?")
    assert first.memory.id == "a"
    assert first.score == pytest.approx(1)
    assert ("rerank" in first.parts) == settings.get("rerank", True)
    await store.close()


async def test_nothing_in_another_container_moves_a_score(store: SqliteStore, memory: Remember) -> None:
    texts = ["the sacred sword", "a sword in a stone", "soup again", "the stone age", "Bob sleeps"]
    await store.put([memory(f"m{number}", text) for number, text in enumerate(texts)])
    before = await store.search("s1-alice", "sword stone")
    crowd = [memory(f"x{number}", f"sword stone sacred {number}", container="s1-bob") for number in range(600)]
    await store.put(
        [*crowd, memory("m0", "sword " * 50, container="s1-alic"), memory("m1", "sword", container="s1-alice2")]
    )
    assert await store.search("s1-alice", "sword stone") == before
    await store.drop("s1-bob")
    assert await store.search("s1-alice", "sword stone") == before
