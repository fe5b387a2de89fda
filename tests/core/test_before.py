"""What was there before the story: kept with the files it came from, told backstage as it stands."""

from collections.abc import Awaitable, Callable, Sequence

import pytest

from earwitness import Memory, Session
from earwitness.errors import InputError
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
