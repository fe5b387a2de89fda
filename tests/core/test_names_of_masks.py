"""A host may name somebody by the mask: who that is, and where it is refused."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from earwitness import Character, Session
from earwitness.errors import InputError, NotPermitted, UnknownName
from earwitness.validation.messages import mask_name

from .disguised_stories import HERE, ROUX, disguised_story, leaks, shown


@pytest.fixture
async def story(tmp_path: Path) -> AsyncIterator[Session]:
    """Fosco has spoken as Roux."""
    async with disguised_story(tmp_path) as story:
        yield story


async def test_he_is_addressed_by_the_name_they_know(story: Session) -> None:
    whisper = await story.say("bob", '*whispers to Monsieur Roux* "The bridge is mined."')
    assert set((await whisper.settled()).participants) == {"bob", "count"}
    assert not leaks(await shown(story, "bob"))


async def test_names_that_cannot_be_worn_are_refused(story: Session) -> None:
    with pytest.raises(InputError, match="speak_as = 'Bob' is a name of bob"):
        await story.say("count", "Hello.", speak_as="Bob")
    with pytest.raises(InputError, match="empty"):
        await story.say("count", "Hello.", speak_as=" ")
    with pytest.raises(UnknownName, match="'bob' has not spoken in disguise: there is nothing to unmask"):
        await story.unmask("bob")
    with pytest.raises(UnknownName, match="Known: Monsieur Roux"):
        await story.unmask("count", "Roux")
    own = await (await story.say("count", "Hello.", speak_as="Count Fosco")).settled()
    assert own.message is not None
    assert own.message.speak_as is None


@pytest.mark.parametrize(
    "mask", ["Bob\ufe0f", "b\u200bob", "\uff22\uff2f\uff22", "world", "WORLD", "w\uff4frld", "Bob\u3164"]
)
async def test_what_looks_like_another_name_cannot_be_worn(story: Session, mask: str) -> None:
    with pytest.raises(InputError, match="speak_as = "):
        await story.say("count", "Hello.", speak_as=mask)
    with pytest.raises(InputError, match="speak_as = "):
        await story.backstage().preview("count", "Hello.", speak_as=mask)


async def test_his_own_name_in_other_letters_is_no_mask(story: Session) -> None:
    own = await (await story.say("count", "Hello.", speak_as="\uff23ount Fosc\uff4f")).settled()
    assert own.message.speak_as is None


async def test_a_mask_of_an_older_story_can_still_be_worn(story: Session) -> None:
    mask = "Bob\ufe0f"
    assert mask_name(story.cast, "count", mask, worn=[mask]) == mask


async def test_a_macro_for_his_name_stands_for_the_mask(story: Session) -> None:
    await story.say("count", "*{{char}} bows.*", key="m3", speak_as=ROUX)
    assert "*Monsieur Roux bows.*" in await shown(story, "bob")
    await story.edit("m3", "*{{char}} bows deeply.*")
    assert "*Monsieur Roux bows deeply.*" in await shown(story, "bob")
    await story.join(Character("count", name="Count Fosco di Roma"))
    assert not leaks(await shown(story, "bob"))


async def test_he_is_found_by_his_mask_by_all_but_players(story: Session) -> None:
    assert (await story.turn("monsieur roux")).character == "count"
    back = story.backstage()
    assert (await back.inspect(ROUX)).owner in {"count", ROUX}
    said = (await back.preview(ROUX, "Good night.")).message
    assert (said.speaker, said.speak_as) == ("count", ROUX)
    assert (await back.preview("count", "Good night.")).message.speak_as is None
    assert "count (Count Fosco): in disguise as Monsieur Roux, here" in str(await back.overview())
    await story.join(Character("kim", kind="persona"))
    with pytest.raises(NotPermitted):  # as for anybody else's name
        await story.backstage(role="player", persona="kim").inspect(ROUX)


async def test_who_is_named_by_the_mask_speaks_in_disguise(story: Session) -> None:
    said = await (await story.say("monsieur  roux", "Good night.", key="m9")).settled()
    assert (said.message.speaker, said.message.speak_as) == ("count", ROUX)
    assert not (await story.say("count", "Good night.", speak_as=ROUX, key="m9")).created
    assert not leaks(await shown(story, "bob"))
    own = await (await story.say(ROUX, "It was me.", speak_as="count")).settled()
    assert own.message.speak_as is None
    other = await (await story.say(ROUX, "Boo!", speak_as="The Ghost")).settled()
    assert other.message.speak_as == "The Ghost"


async def test_he_is_there_and_goes_under_the_name_of_his_mask_too(story: Session) -> None:
    said = await (await story.say("bob", "Listen.", present=[ROUX])).settled()
    assert list(said.participants) == ["bob", "count"]
    await (await story.move(ROUX, "market")).settled()
    assert story.state.whereabouts["count"].place == "market"


async def test_a_mask_that_two_have_worn_names_neither(story: Session) -> None:
    await (await story.say("dana", "Boo!", speak_as=ROUX, audience=HERE)).settled()
    with pytest.raises(UnknownName, match=r"'Monsieur Roux' has been the mask of count and of dana: give the id"):
        await story.say(ROUX, "Boo!")


async def test_nobody_is_forgotten_by_the_name_of_a_mask(story: Session) -> None:
    with pytest.raises(UnknownName):
        await story.forget(ROUX)
