"""What was heard from Monsieur Roux is his until it is known who he is: to those who learned it, and to nobody else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness, Session

from .disguised_stories import CAST, HERE, MILL, ROUX, Begin, disguised_story, knows, leaks, shown


@pytest.fixture
async def story(tmp_path: Path) -> AsyncIterator[Session]:
    """Fosco has spoken as Roux."""
    async with disguised_story(tmp_path) as story:
        yield story


async def test_before_he_is_unmasked_nobody_is_shown_who_he_is(story: Session) -> None:
    assert not leaks(await shown(story, "bob"))
    assert not leaks(await shown(story, "charlie"))
    assert "Message: Monsieur Roux: I have bought the old mill." in await shown(story, "bob")
    assert await knows(story) == {
        "count": "said it on day 1",
        "bob": "heard it from Monsieur Roux on day 1",
        "charlie": "heard it from Monsieur Roux on day 1",
        "dana": "nothing found",
    }


async def test_he_remembers_himself_with_both_names(story: Session) -> None:
    assert "Message: Count Fosco (as Monsieur Roux): I have bought" in await shown(story, "count")


async def test_metadata_name_the_mask_also_of_what_others_said_to_him(story: Session) -> None:
    for memory in (await story.backstage().inspect("bob")).memories:
        assert set(memory.metadata["participants"]) == {ROUX, "bob", "charlie"}  # type: ignore[arg-type]
    (own,) = [each for each in (await story.backstage().inspect("bob")).memories if each.message_keys == ("m1",)]
    assert own.metadata["speaker"] == ROUX
    assert "speakAs" not in own.metadata


async def test_those_who_learn_it_see_who_he_was_and_the_others_do_not(story: Session) -> None:
    await story.unmask("count", audience=["bob"])
    assert "Message: Count Fosco (as Monsieur Roux): I have bought" in await shown(story, "bob")
    assert not leaks(await shown(story, "charlie"))
    assert (await knows(story))["bob"] == "heard it from count on day 1"
    assert (await knows(story))["charlie"] == "heard it from Monsieur Roux on day 1"
    assert await knows(story, "Monsieur Roux is Count Fosco") == {
        "count": "saw it happen on day 1",
        "bob": "saw it happen on day 1",
        "charlie": "nothing found",
        "dana": "nothing found",
    }
    (m1,) = [each for each in (await story.backstage().inspect("bob")).memories if each.message_keys == ("m1",)]
    assert (m1.metadata["speaker"], m1.metadata["speakAs"]) == ("count", ROUX)


async def test_what_he_says_later_is_known_as_his_to_those_who_know(story: Session) -> None:
    await story.unmask(ROUX, audience=["bob"])
    await story.say("count", "The mill will burn.", speak_as=ROUX)
    known = await knows(story, "The mill will burn")
    assert (known["bob"], known["charlie"]) == ("heard it from count on day 1", "heard it from Monsieur Roux on day 1")


async def test_he_is_unmasked_before_those_present_unless_somebody_says_otherwise(story: Session) -> None:
    await story.leave("charlie")
    await story.unmask("count")
    assert leaks(await shown(story, "bob"))
    assert not leaks(await shown(story, "charlie"))


async def test_once_it_is_public_newcomers_know_it_too(story: Session) -> None:
    await story.unmask("count", audience="public")
    await story.join("erin")
    await story.tell("bob", "erin", "m1")
    assert (await knows(story))["dana"] == "nothing found"
    assert "Count Fosco (as Monsieur Roux)" in await shown(story, "erin")


async def test_bob_retells_it_as_he_knew_it(story: Session) -> None:
    await story.tell("bob", "dana", "m1")
    assert "Message: Monsieur Roux: I have bought" in await shown(story, "dana")
    assert not leaks(await shown(story, "dana"))
    await story.unmask("count", audience=["bob"])
    assert not leaks(await shown(story, "dana"))


async def test_what_he_tells_in_disguise_is_known_from_the_mask(story: Session) -> None:
    await story.remember("count", "The bridge is mined.", key="n")
    await story.tell("count", "dana", "n")
    assert (await knows(story, "the bridge is mined"))["dana"] == "was told by Monsieur Roux on day 1"
    assert not leaks(await shown(story, "dana"))


async def test_retracting_the_unmasking_hides_him_again_also_in_what_was_said_since(story: Session) -> None:
    await story.unmask("count", audience=["bob"], key="u")
    await story.say("count", "The mill will burn.", speak_as=ROUX)
    await story.retract("u")
    assert not leaks(await shown(story, "bob"))
    assert (await knows(story, "The mill will burn"))["bob"] == "heard it from Monsieur Roux on day 1"
    await story.unmask("count", audience=["bob"])
    assert "Count Fosco (as Monsieur Roux): The mill will burn." in await shown(story, "bob")


async def test_a_retracted_message_stays_away_when_he_is_unmasked(story: Session) -> None:
    await story.unmask("count", audience=["bob"], key="u")
    await story.retract("m1")
    await story.retract("u")
    assert set((await knows(story)).values()) == {"nothing found"}


async def test_an_edit_keeps_the_disguise(story: Session) -> None:
    await story.edit("m1", "I have bought the old mill, and the river.")
    assert "Message: Monsieur Roux: I have bought the old mill, and the river." in await shown(story, "bob")
    assert not leaks(await shown(story, "bob"))


async def test_a_branch_from_before_does_not_know_and_a_copy_does(story: Session, tmp_path: Path) -> None:
    await story.unmask("count", audience=["bob"])
    early = await story.fork("early", at="m2")
    assert not leaks(await shown(early, "bob"))
    late = await story.fork("late")
    assert (await knows(late))["bob"] == "heard it from count on day 1"
    lines = [line async for line in story.backstage().export()]
    async with Earwitness.open(tmp_path / "other.db") as other:
        copy = await other.import_session(lines, id="copy")
        assert await knows(copy) == await knows(story)
        await copy.unmask("count", audience=["charlie"])
        assert (await knows(copy))["charlie"] == "heard it from count on day 1"


async def test_the_same_again_changes_nothing(story: Session) -> None:
    again = await story.say("count", MILL, key="m1", speak_as=ROUX)
    assert not again.created
    first = await story.unmask("count", ROUX, audience=["bob"], key="u")
    assert first.created
    assert not (await story.unmask("count", ROUX, audience=["bob"], key="u")).created


async def test_a_story_opened_again_goes_on_in_disguise(tmp_path: Path) -> None:
    async with Earwitness.open(tmp_path / "s.db") as ew:
        story = await ew.session("s1", cast=CAST, present=HERE)
        await story.say("count", MILL, key="m1", speak_as=ROUX)
        await story.settled()
    async with Earwitness.open(tmp_path / "s.db") as ew:
        story = await ew.session("s1")
        await story.say("bob", "Who are you?")
        assert not leaks(await shown(story, "bob"))
        await story.unmask("count", audience=["bob"])
        assert leaks(await shown(story, "bob"))


async def test_what_he_does_in_disguise_is_told_of_the_mask(story: Session) -> None:
    await story.say("count", "*takes the Sacred Sword* Mine!", speak_as=ROUX)
    await story.say("bob", "Did you see that?")
    await story.say("charlie", "I did.")
    said = await shown(story, "bob")
    assert "Monsieur Roux" in said
    assert not leaks(said)


async def test_speaking_under_his_own_name_he_is_himself(story: Session) -> None:
    await story.say("count", "I am back from Rome.")
    assert "Message: Count Fosco: I am back from Rome." in await shown(story, "bob")


async def test_a_preview_shows_the_mask(story: Session) -> None:
    found = await story.backstage().preview("count", "Good night.", speak_as=ROUX)
    (his,) = [each for each in found.deliveries if each.owner == "bob"]
    assert "Message: Monsieur Roux: Good night." in his.body


async def test_explain_shows_the_name_they_knew(story: Session) -> None:
    (memory,) = [each for each in (await story.backstage().inspect("bob")).memories if each.message_keys == ("m1",)]
    said = str(await story.backstage().explain(memory.id))
    assert said.startswith("bob remembers what Monsieur Roux said on day 1 (message 2, key 'm1')")
    assert not leaks(said)


async def test_the_history_that_bob_heard_names_the_mask(story: Session) -> None:
    heard = await story.messages(heard_by="bob")
    assert [each.message.speaker for each in heard] == [ROUX, "bob"]
    assert not leaks("".join(each.model_dump_json() for each in heard))
    await story.unmask("count", audience=["bob"])
    first, _ = await story.messages(heard_by="bob")
    assert (first.message.speaker, first.message.speak_as) == ("count", ROUX)


async def test_told_many_at_once_in_a_transcript(begin: Begin) -> None:
    story = await begin(cast=CAST, present=HERE)
    told: list[dict[str, Any]] = [{"speaker": "count", "content": MILL, "speak_as": ROUX, "audience": HERE}]
    await story.say_all(told)
    assert not leaks(await shown(story, "bob"))


async def test_a_branch_from_an_earlier_message_knows_who_was_in_disguise_then(story: Session) -> None:
    await story.say("count", "It is I, Fosco.", key="m3")
    await story.say("charlie", "Indeed.", key="m4")
    await story.say("count", "Or am I?", key="m5", speak_as="A Stranger")
    await story.unmask("count", ROUX, audience=["bob"], key="u")
    await story.say("dana", "Hello.", key="m6")
    hidden = [(await story.fork(f"at-{at}", at=at))._live.snapshot for at in ("m2", "m4", "m5", "u")]
    assert [each.guises for each in hidden] == [{"count": ROUX}, {}, {"count": "A Stranger"}, {"count": "A Stranger"}]
    assert [each.masks["count"] for each in hidden] == [(ROUX,), (ROUX,), (ROUX, "A Stranger"), (ROUX, "A Stranger")]
    assert [[each.to for each in snapshot.unmaskings] for snapshot in hidden] == [[], [], [], [("bob",)]]
