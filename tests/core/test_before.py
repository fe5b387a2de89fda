"""What was there before the story: kept with the files it came from, told backstage as it stands."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from earwitness import Character, Memory, Session
from earwitness.errors import InputError, KeyConflict
from earwitness.records.journal import Original

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]
CARD = Original(name="alice.png", format="card", text='{"name": "Alice"}', owner="alice")
WORLD = Original(name="world.json", format="worldinfo", text="{}", encoding="utf-8-sig")


async def texts(story: Session) -> list[str]:
    """Every piece that stands."""
    return [piece.text for piece in (await story.backstage().before()).pieces]


async def test_nothing_was_there_before_a_story_that_says_nothing(begin: Begin) -> None:
    before = await (await begin()).backstage().before()
    assert (before.pieces, before.by_hand, before.originals) == ((), (), ())


async def test_pieces_stand_as_they_were_given_with_the_files_they_came_from(begin: Begin) -> None:
    story = await begin()
    await story.prepare(plot="## Fog", lore=[{"text": "Night.", "words": ["dark"]}])
    await story.prepare(cards={"alice": "A mapmaker."}, originals=[CARD, WORLD])
    before = await story.backstage().before()
    assert [piece.text for piece in before.pieces] == ["## Fog", "Night.", "A mapmaker."]
    assert [piece.text for piece in before.by_hand] == ["## Fog", "Night."]
    assert before.originals == (CARD, WORLD)


async def test_what_was_given_again_is_told_once_as_it_was_given_last(begin: Begin) -> None:
    story = await begin()
    newer = CARD.model_copy(update={"name": "alice_v2.png", "text": "{}"})
    await story.prepare(cards={"alice": "A mapmaker."}, lore=[{"text": "Night.", "key": "n"}], originals=[CARD])
    await story.prepare(cards={"alice": "A sailor."}, lore=[{"text": "Day.", "key": "n"}], originals=[newer])
    before = await story.backstage().before()
    assert [piece.text for piece in before.pieces] == ["A sailor.", "Day."]
    assert before.originals == (newer,)


SAME: dict[str, Any] = {
    "plot": "{{user}} is lost.",
    "cards": {"alice": "A mapmaker."},
    "examples": {"bob": ["Ho!", "Hm."]},
    "lore": ["Night.", {"text": "Fog.", "key": "n"}, {"text": "A secret.", "known_by": ["bob"]}],
}


async def test_preparing_the_same_again_changes_nothing(begin: Begin) -> None:
    story = await begin()
    first = await story.prepare(**SAME)
    await story.join(Character("kim", kind="persona"))
    again = await story.prepare(**SAME)
    assert (again.key, again.created) == (first.key, False)
    assert not (await story.prepare(plot=SAME["plot"])).created
    assert len(await story.backstage().journal()) == 3


@pytest.mark.parametrize(
    "changed",
    [
        {"plot": "Alice is lost."},
        {"cards": {"alice": "A sailor."}},
        {"examples": {"bob": ["Ho!"], "alice": ["Hm."]}},
        {"lore": [{"text": "Day.", "key": "n"}]},
        {"lore": [{"text": "A secret.", "known_by": ["alice"]}]},
        {"originals": [WORLD]},
    ],
)
async def test_preparing_what_was_changed_is_written(begin: Begin, changed: dict[str, Any]) -> None:
    story = await begin()
    await story.prepare(**SAME)
    assert (await story.prepare(**{**SAME, **changed})).created
    assert len(await story.backstage().journal()) == 3


async def test_what_was_taken_away_can_be_prepared_again(begin: Begin, memories: Memories) -> None:
    story = await begin()
    first = await story.prepare(cards={"alice": "A mapmaker."})
    await story.retract(first.key)
    assert (await story.prepare(cards={"alice": "A mapmaker."})).created
    await story.forget("alice")
    await story.join("alice")
    await (await story.prepare(cards={"alice": "A mapmaker."})).settled()
    assert [each.content for each in await memories(story, "alice")] == ["A mapmaker."]


async def test_a_key_of_its_own_always_stands_for_a_preparation(begin: Begin) -> None:
    story = await begin()
    await story.prepare(plot="Fog.")
    assert (await story.prepare(plot="Fog.", key="fog")).created
    assert not (await story.prepare(plot="Fog.", key="fog")).created
    with pytest.raises(KeyConflict):
        await story.prepare(plot="Rain.", key="fog")


async def test_what_was_retracted_or_belongs_to_nobody_any_more_is_not_told(begin: Begin) -> None:
    story = await begin()
    await story.prepare(plot="Fog.", key="fog", originals=[WORLD])
    await story.prepare(cards={"alice": "A mapmaker.", "bob": "A knight."}, originals=[CARD])
    await story.retract("fog")
    await story.forget("alice")
    before = await story.backstage().before()
    assert [piece.text for piece in before.pieces] == ["A knight."]
    assert before.originals == ()


async def test_a_file_may_be_kept_though_it_says_nothing(begin: Begin) -> None:
    story = await begin()
    await (await story.prepare(originals=[WORLD])).settled()
    assert (await story.backstage().before()).originals == (WORLD,)
    with pytest.raises(InputError, match="was given nothing"):
        await story.prepare()


async def test_files_are_no_memories(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.prepare(cards={"alice": "A mapmaker."}, originals=[CARD])
    assert [memory.content for owner in ("alice", "world") for memory in await memories(story, owner)] == [
        "A mapmaker."
    ] * 2


async def test_several_plots_stand_beside_each_other_and_each_is_replaced_by_itself(begin: Begin) -> None:
    story = await begin()
    await story.prepare(plot={"alice": "Fog.", "bob": "Rain."})
    await story.prepare(plot="A harbour town.")
    await story.prepare(plot={"bob": "Snow."})
    assert await texts(story) == ["Fog.", "A harbour town.", "Snow."]


async def test_what_was_before_goes_along_with_a_branch_and_an_export(begin: Begin) -> None:
    story = await begin()
    await (await story.prepare(cards={"alice": "A mapmaker."}, originals=[CARD])).settled()
    branch = await story.fork("branch")
    assert await branch.backstage().before() == await story.backstage().before()


async def test_even_the_last_of_a_cast_can_be_forgotten(begin: Begin) -> None:
    story = await begin(cast=["alice"])
    await story.forget("alice")
    assert len(story.cast) == 0
