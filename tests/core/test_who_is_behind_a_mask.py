"""What `who_knows` finds about somebody in disguise: what is known of the mask, of the man, and that they are one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from earwitness import Session

from .disguised_stories import ROUX, disguised_story, knows


@pytest.fixture
async def story(tmp_path: Path) -> AsyncIterator[Session]:
    """Fosco has spoken as Roux."""
    async with disguised_story(tmp_path) as story:
        yield story


IDENTITY = ("Monsieur Roux is Count Fosco", "Roux is Fosco", "Count Fosco is Monsieur Roux", "Is Roux the Count?")


@pytest.mark.parametrize("question", IDENTITY)
async def test_who_he_is_is_known_to_those_unmasked_to_alone_though_he_spoke_of_himself(
    story: Session, question: str
) -> None:
    await story.say("count", "I have never met the Count Fosco.", key="m3", speak_as=ROUX)
    await story.say("dana", "Monsieur Roux asked me about Count Fosco.", audience=["charlie"])
    before = await knows(story, question)
    assert {id for id, known in before.items() if known != "nothing found"} <= {"count"}
    await story.unmask("count", audience=["bob"])
    after = await knows(story, question)
    assert after == dict(before, count="saw it happen on day 1", bob="saw it happen on day 1")
    bob = (await story.backstage().who_knows(question)).knowers["bob"]
    assert bob.text == "Monsieur Roux is Count Fosco. GameDay: 1"


@pytest.mark.parametrize("question", [*IDENTITY, "Who is Monsieur Roux?"])
async def test_he_himself_always_knows_who_he_is(story: Session, question: str) -> None:
    nobody = dict.fromkeys(("bob", "charlie", "dana"), "nothing found")
    assert await knows(story, question) == {"count": "knew it before the story", **nobody}
    await story.unmask("count", audience=["bob"], key="u")
    assert (await knows(story, question))["count"] == "saw it happen on day 1"
    await story.retract("u")
    assert await knows(story, question) == {"count": "knew it before the story", **nobody}


async def test_who_he_is_is_known_in_whatever_words_he_was_unmasked(story: Session) -> None:
    await story.unmask("count", audience=["bob"], description="He takes off his mask")
    bob = (await story.backstage().who_knows("Roux is Fosco")).knowers["bob"]
    assert (bob.knows, bob.text) == (True, "He takes off his mask. GameDay: 1")


async def test_who_was_told_in_words_who_he_is_knows_it_and_who_was_told_the_contrary_does_not(story: Session) -> None:
    await story.say("bob", "Listen: Monsieur Roux is really the Count Fosco!", audience=["dana"])
    await story.say("bob", "Monsieur Roux is not Count Fosco.", audience=["charlie"])
    known = await knows(story, "Roux is Fosco")
    assert known["dana"] == "heard it from bob on day 1"
    assert known["charlie"] == "heard the contrary from bob on day 1"


async def test_what_the_mask_did_is_not_known_of_the_count(story: Session) -> None:
    await story.say("count", "I have never met the Count Fosco.", speak_as=ROUX)
    await story.unmask("count", audience=["bob"])
    known = await knows(story, "Count Fosco bought the old mill")
    assert known["charlie"] == "nothing found"
    assert known["bob"] == "heard it from count on day 1"
    assert (await knows(story, "Monsieur Roux bought the old mill"))[
        "charlie"
    ] == "heard it from Monsieur Roux on day 1"


async def test_what_the_mask_said_of_the_count_by_name_is_known(story: Session) -> None:
    await story.say("count", "Count Fosco has sold his old castle.", speak_as=ROUX)
    assert (await knows(story, "Count Fosco sold the castle"))["charlie"] == "heard it from Monsieur Roux on day 1"


@pytest.mark.parametrize("told", ["Count Fosco bought the old mill.", "The Count bought the old mill."])
async def test_what_he_said_in_disguise_counts_when_others_say_it_by_his_name(story: Session, told: str) -> None:
    await story.unmask("count", audience=["bob"])
    await story.say("bob", told, audience=["dana"])
    assert await knows(story, "Count Fosco bought the old mill") == {
        "count": "said it on day 1",
        "bob": "heard it from count on day 1",
        "charlie": "nothing found",
        "dana": "heard it from bob on day 1",
    }


async def test_an_unmasking_does_not_change_how_somebody_came_to_know_what_he_said(story: Session) -> None:
    await story.say("bob", "Roux says that he has bought the old mill.", key="m3")
    assert (await knows(story))["bob"] == "heard it from Monsieur Roux on day 1"
    await story.unmask("count", audience=["bob"])
    assert (await knows(story))["bob"] == "heard it from count on day 1"
    await story.unmask("count", audience="public")
    assert (await knows(story))["bob"] == "heard it from count on day 1"
