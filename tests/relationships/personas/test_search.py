"""The three ways to search what a persona has lived."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Channel, Character, Earwitness, Settings, Share, SharingAnswer, SharingEvent
from earwitness.errors import InputError, WallError
from earwitness.filters import Compare
from earwitness_relationships.personas.lived import retold

Open = Callable[..., Awaitable[Earwitness]]
KENJI = Character("kenji", kind="persona", user_id="u1", persona_id="p1")
MARY = Character("mary", kind="persona", user_id="u2", persona_id="p2")
DM = Channel(context="dm", channel_id="d1", persona_id="p1")
SQUARE = Channel(context="public_channel", channel_id="c1")


class Hotel:
    """Charlie tells Vaggie, and Angel Dust sees, what Charlie hears."""

    def __init__(self, *, settings: Settings | None = None) -> None:
        pass

    def share(self, event: SharingEvent) -> SharingAnswer:
        if event.arrived or "charlie" not in event.knowers:
            return SharingAnswer()
        shares = [
            Share(
                character="vaggie", shared_from="charlie", rule="couple", metadata={"pantheon_id": "hotel"}, trust=0.5
            ),
            Share(
                character="angel", how="witnessed", shared_from="charlie", rule="seen", metadata={"pantheon_id": "x"}
            ),
        ]
        left = tuple(each for each in shares if each.character not in event.knowers)
        return SharingAnswer(shares=left, derived=retold(event, left))


@pytest.fixture
async def ew(open_app: Open) -> Earwitness:
    """Kenji has drunk tea with Charlie and Vaggie; others have done so without him."""
    ew = await open_app(relationships={"canon": "personal"}, sharing_rules=[Hotel()])
    story = await ew.session("s1", cast=["charlie", "vaggie", "angel", KENJI, MARY])
    await story.say("kenji", "I like green tea.", key="t1", audience=["charlie"], channel=DM)
    await story.say("vaggie", "Your tea, Kenji.", key="t2", audience=["kenji"], channel=SQUARE)
    await story.say("mary", "Tea for me.", key="t3", audience=["charlie"], channel=SQUARE)
    await story.delivered()
    return ew


def about(hits: Any) -> list[tuple[str, str, str]]:
    """Container, way and message of each hit."""
    return [(h.memory.container, h.memory.metadata["interactionType"], h.memory.message_keys[0]) for h in hits]


async def test_with_one_personality_it_finds_what_they_lived_together(ew: Earwitness) -> None:
    assert about(await ew.personas.search("tea", persona="p1", personality="charlie")) == [
        ("persona-p1-charlie", "direct", "t1")
    ]
    assert about(await ew.personas.search("tea", persona="p1", personality="vaggie")) == [
        ("persona-p1-vaggie", "direct", "t2")
    ]
    assert await ew.personas.search("tea", persona="p1", personality="angel") == ()


async def test_across_personalities_it_is_the_users_own_view(ew: Earwitness) -> None:
    found = await ew.personas.search("tea", persona="p1")
    assert sorted(about(found)) == [("persona-p1-charlie", "direct", "t1"), ("persona-p1-vaggie", "direct", "t2")]
    assert len(await ew.personas.search("tea", persona="p1", limit=1)) == 1
    names = [each.name for each in await ew.personas.collection("p1")]
    assert sorted(names) == ["persona-p1-angel", "persona-p1-charlie", "persona-p1-vaggie"]


async def test_it_is_no_characters_view(ew: Earwitness) -> None:
    found = await ew.personas.search("tea", persona="p1")
    turn = await (await ew.open_session("s1")).turn("charlie")
    with pytest.raises(WallError):
        turn.fill("###SUPERMEMORY###", found)  # type: ignore[call-overload]


async def test_a_pantheon_finds_what_reached_them_through_it(ew: Earwitness) -> None:
    search = ew.personas.search
    assert sorted(about(await search("tea", persona="p1", personality="vaggie", pantheon="hotel"))) == [
        ("persona-p1-vaggie", "direct", "t2"),
        ("persona-p1-vaggie", "shared", "t1"),
    ]
    assert about(await search("tea", persona="p1", personality="vaggie", interactions=["shared"])) == [
        ("persona-p1-vaggie", "shared", "t1")
    ]
    assert about(await search("tea", persona="p1", interactions=["witnessed"])) == [
        ("persona-p1-angel", "witnessed", "t1")
    ]
    assert await search("tea", persona="p1", interactions=["witnessed"], pantheon="hotel") == ()


async def test_what_was_told_says_from_whom_and_how_sure(ew: Earwitness) -> None:
    (hit,) = await ew.personas.search("tea", persona="p1", interactions=["shared"])
    metadata = hit.memory.metadata
    assert (metadata["sharedFrom"], metadata["pantheonId"], metadata["contextType"]) == ("charlie", "hotel", "dm")
    assert hit.memory.content == "Kenji: I like green tea."
    (delivery,) = await ew.engine.ledger.deliveries("s1", memory_ids=[hit.memory.id])
    assert (delivery.support.trust, delivery.support.rule) == (0.5, "couple")


@pytest.mark.parametrize(
    ("metadata", "keys"),
    [
        ({"context_type": "dm"}, ["t1"]),
        ({"contextType": ["dm", "public_channel"]}, ["t1", "t2"]),
        ({"channel_id": ["c1", "c2"]}, ["t2"]),
        ({"game_day": 1}, ["t1", "t2"]),
        ({"message_ids": ["t2", "t9"]}, ["t2"]),
        ({"filter": Compare("gameDay", ">", 1)}, []),
        ({"filter": "personality_id = charlie"}, ["t1"]),
        ({"user_id": "u2"}, []),
    ],
)
async def test_any_metadata_narrows_it_lists_included(
    ew: Earwitness, metadata: dict[str, Any], keys: list[str]
) -> None:
    found = await ew.personas.search("tea", persona="p1", **metadata)
    assert sorted(key for _, _, key in about(found)) == keys


async def test_a_wrong_limit_or_interaction_is_named(ew: Earwitness) -> None:
    with pytest.raises(InputError, match="limit = 0"):
        await ew.personas.search("tea", persona="p1", limit=0)
    with pytest.raises(InputError, match=r"'told' is not one of direct, witnessed, shared"):
        await ew.personas.search("tea", persona="p1", interactions=["told"])


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"limit": True}, "limit = True"),
        ({"interactions": 5}, "interactions = 5"),
        ({"interactions": [None]}, "interactions = None"),
        ({"pantheon": ""}, "pantheon = ''"),
        ({"pantheon": 7}, "pantheon = 7"),
        ({"query": None}, "query = None"),
    ],
)
async def test_what_cannot_be_searched_by_is_quoted(ew: Earwitness, given: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        await ew.personas.search(**{"query": "tea", "persona": "p1", **given})


@pytest.mark.parametrize("name", ["interaction_type", "interactionType"])
async def test_the_metadata_of_the_way_narrows_it_as_interactions_do(ew: Earwitness, name: str) -> None:
    search = ew.personas.search
    assert about(await search("tea", persona="p1", **{name: ["shared", "witnessed"]})) == about(
        await search("tea", persona="p1", interactions=["shared", "witnessed"])
    )
    assert await search("tea", persona="p1", interactions="direct", **{name: "shared"}) == ()


async def test_several_pantheons_may_be_named(ew: Earwitness) -> None:
    found = await ew.personas.search("tea", persona="p1", pantheon=["hotel", "x"])
    assert sorted(way for _, way, _ in about(found)) == ["direct", "direct", "shared", "witnessed"]


async def test_a_list_may_hold_numbers_and_one_way_needs_no_list(ew: Earwitness) -> None:
    search = ew.personas.search
    assert len(await search("tea", persona="p1", game_day=[1, 2])) == 2
    assert await search("tea", persona="p1", game_day=[2, 3]) == ()
    assert len(await search("tea", persona="p1", interactions="shared")) == 1


@pytest.mark.parametrize("nobody", [None, "", 7])
async def test_a_persona_or_personality_that_is_none_finds_nobodys_memories(ew: Earwitness, nobody: Any) -> None:
    with pytest.raises(InputError, match="persona = "):
        await ew.personas.search("tea", persona=nobody)
    with pytest.raises(InputError, match="persona = "):
        await ew.personas.collection(nobody)
    if nobody is not None:
        with pytest.raises(InputError, match="personality = "):
            await ew.personas.search("tea", persona="p1", personality=nobody)


async def test_a_value_that_no_field_can_have_is_refused(ew: Earwitness) -> None:
    with pytest.raises(InputError, match="game_day = None"):
        await ew.personas.search("tea", persona="p1", game_day=None)
