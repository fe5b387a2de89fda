"""An unmasking is taken back: no memory that was derived of what it revealed keeps the real name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from earwitness import Character, Derivation, Session

from .disguised_stories import MILL, ROUX, disguised_story, leaks, shown

pytestmark = pytest.mark.anyio


@pytest.fixture
async def story(tmp_path: Path) -> AsyncIterator[Session]:
    async with disguised_story(tmp_path) as story:
        yield story


async def copy_of(story: Session, owner: str, text: str) -> str:
    await story.delivered()
    return next(each.id for each in (await story.backstage().inspect(owner)).memories if text in each.content)


async def test_what_was_derived_from_it_goes(story: Session) -> None:
    await story.unmask("count", audience=["bob"], key="u")
    mill = await copy_of(story, "bob", MILL)
    await story.remember("bob", "Count Fosco has bought the mill.", rests_on=[mill], type="fact", key="fact")
    summary = Derivation(
        content="Count Fosco buys mills.", owner="bob", type="summary", rests_on=(mill,), replaces=True
    )
    await story.derive(summary, key="sum")
    await story.remember("bob", "So the mill is the count's.", rests_on=[await copy_of(story, "bob", "buys mills")])
    told = await copy_of(story, "bob", "has bought the mill")
    await story.tell("bob", "dana", told, key="told")
    await story.delivered()
    assert leaks(await shown(story, "bob"))
    await story.retract("u")
    await story.delivered()
    assert not leaks(await shown(story, "bob"))
    assert not leaks(await shown(story, "dana"))
    (mill_again,) = [each for each in (await story.backstage().inspect("bob")).memories if MILL in each.content]
    assert ROUX in mill_again.content  # under the mask, and in recall again


@pytest.mark.parametrize(
    ("told", "stays"),
    [
        ("Fosco has bought the mill, they say.", False),
        ("bought the old mill", True),
        ("The mill is sold.", False),
        (None, True),
    ],
)
async def test_what_was_told_on_in_other_words_goes_and_what_was_derived_before_stays(
    story: Session, told: str | None, stays: bool
) -> None:
    mill = await copy_of(story, "bob", MILL)
    await story.remember("bob", "Somebody has bought the mill.", rests_on=[mill], key="before")
    await story.unmask("count", audience=["bob"], key="u")
    await story.tell("bob", "dana", mill, content=told)
    await story.remember("bob", "Roux is Count Fosco.", rests_on=["u"])
    await story.retract("u")
    await story.delivered()
    assert not leaks(await shown(story, "bob"))
    assert "Somebody has bought" in await shown(story, "bob")
    held = (await story.backstage().inspect("dana")).memories
    assert [(told or MILL) in each.content for each in held] == ([True] if stays else [])
    assert not leaks(str(held))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Bo", "Bo has bought the old mill."),
        ("Have", "Have bought the old mill."),
        ("Graf Falk", "Die alte Mühle ist jetzt Falks Mühle."),
        ("李明", "李明买了旧磨坊。"),
        ("Иван", "Мельница теперь Ивана."),
        ("Мария", "Мельницу купили Марии."),
        ("Ἰωάννης", "The mill is Ioannis'."),
    ],
)
async def test_no_form_of_a_name_stays(tmp_path: Path, name: str, told: str) -> None:
    async with disguised_story(tmp_path) as story:
        await story.join(Character("c1", name=name))
        await story.say("c1", MILL, key="m9", speak_as="Herr Blau", present=["c1", "bob"])
        await story.say("c1", f"I am no {name}.", speak_as="Herr Blau", present=["c1", "bob"])
        await story.unmask("c1", audience=["bob"], key="u")
        await story.delivered()
        found = (await story.backstage().inspect("bob")).memories
        mill = next(each.id for each in found if "bought" in each.content and name in each.content)
        await story.tell("bob", "dana", mill, content=told)
        await story.retract("u")
        await story.delivered()
        assert told not in str((await story.backstage().inspect("dana")).memories)


async def test_whoever_else_has_seen_through_the_mask_keeps_what_they_derived(story: Session) -> None:
    await story.unmask("count", audience=["charlie"], key="charlies")
    await story.unmask("count", audience=["bob"], key="bobs")
    for id in ("bob", "charlie"):
        mill = await copy_of(story, id, MILL)
        await story.remember(id, "Count Fosco has bought the mill.", rests_on=[mill], key=f"note of {id}")
    await story.retract("bobs")
    await story.delivered()
    assert [leaks(await shown(story, id)) for id in ("bob", "charlie")] == [False, True]
