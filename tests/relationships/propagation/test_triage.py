"""A triage decides what is worth passing on: it keeps, drops, merges or shortens. One that fails tells nobody."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Channel, Session
from earwitness_relationships.propagation.novelty import Novelty
from earwitness_relationships.propagation.triage import Passing, TriageAnswer
from earwitness_relationships.testing.triage import TriageSuite, check_triage, passing

Village = Callable[..., Awaitable[Session]]
RULES = """
village:
  members: [ann, ben, cid, dan]
  relationships:
    - {from: ann, to: ben, rules: {share_direct_interactions: true, max_hops: 3, triage: mine}}
    - {from: ben, to: cid, rules: {share_direct_interactions: true, max_hops: 3}}
    - {from: ann, to: dan, rules: {share_direct_interactions: true}}
"""
SEEN: list[Passing] = []


class Never:
    """Lets nothing through."""

    def triage(self, passing: Passing) -> TriageAnswer:
        SEEN.append(passing)
        return TriageAnswer(decision="drop", reason="it is dull")


class Raises:
    """Fails."""

    async def triage(self, passing: Passing) -> TriageAnswer:
        raise ValueError("no idea")


class Merges:
    """Everything is the first thing that was heard."""

    text: str | None = None

    def triage(self, passing: Passing) -> TriageAnswer | None:
        if not passing.heard:
            return None
        return TriageAnswer(decision="merge", memory=passing.heard[0].memory, text=self.text)


class MergesInOtherWords(Merges):
    """And says it differently."""

    text = "Several houses have burnt down."


class Nonsense:
    """Merges with what nobody heard."""

    def triage(self, passing: Passing) -> TriageAnswer:
        return TriageAnswer(decision="merge", memory="mem_nowhere")


def under(triage: type | str) -> Any:
    path = triage if isinstance(triage, str) else f"{triage.__module__}.{triage.__qualname__}"
    return {"relationships": {"triages": {"mine": {"name": path}}}}


async def memories(story: Any, who: str) -> Any:
    await story.delivered()
    return (await story.backstage().inspect(who)).memories


async def counts(story: Any) -> dict[str, int]:
    return {id: len(await memories(story, id)) for id in ("ben", "cid", "dan")}


async def test_what_is_dropped_is_told_to_nobody_further(village: Village) -> None:
    story = await village(RULES, "ann", "ben", "cid", "dan", **under(Never))
    SEEN.clear()
    await story.say("ann", "It snows in the hills.", audience=[])
    assert await counts(story) == {"ben": 0, "cid": 0, "dan": 1}
    (asked,) = SEEN
    assert (asked.listener, asked.text, asked.heard) == ("ben", "It snows in the hills.", ())
    assert [(each.teller, each.rule) for each in asked.tellings] == [("ann", "village:share_direct_interactions")]


async def test_a_preview_says_why(village: Village) -> None:
    story = await village(RULES, "ann", "ben", "cid", "dan", **under(Never))
    preview = await story.backstage().preview("ann", "It snows in the hills.", audience=[])
    assert "it is dull" in str(next(each for each in preview.stops if each.character == "ben"))


@pytest.mark.parametrize(("triage", "failure"), [(Raises, "no idea"), (Nonsense, "mem_nowhere")])
async def test_one_that_fails_is_named_and_lets_nothing_through(village: Village, triage: type, failure: str) -> None:
    story = await village(RULES, "ann", "ben", "cid", "dan", **under(triage), strict=False)
    outcome = await story.say("ann", "It snows in the hills.", audience=[])
    settled = await outcome.settled()
    assert failure in str(settled.failures)
    assert await counts(story) == {"ben": 0, "cid": 0, "dan": 1}


async def test_what_it_answers_stands_in_the_plan(village: Village) -> None:
    story: Any = await village(RULES, "ann", "ben", "cid", "dan", **under(Never))
    outcome = await story.say("ann", "It snows in the hills.", audience=[])
    await outcome.settled()
    plan = await story._engine.ledger.plan("s1", outcome.sequence)
    assert any(each.by.startswith("triage:") and each.failure is None for each in plan.answers)


async def test_what_is_merged_supports_the_memory_that_was_heard(village: Village) -> None:
    story = await village(RULES, "ann", "ben", "cid", "dan", **under(Merges))
    for key, text in {"mill": "The mill has burnt down.", "alas": "Alas, The mill has burnt down!"}.items():
        await story.say("ann", text, key=key, audience=[])
    (memory,) = await memories(story, "ben")
    assert memory.content.endswith("Message: Ann: The mill has burnt down. GameDay: 1")
    assert len((await story.backstage().explain(memory.id)).supports) == 2
    assert len(await memories(story, "dan")) == 2
    await story.retract("mill")
    (memory,) = await memories(story, "ben")
    assert memory.content.endswith("Message: Ann: Alas, The mill has burnt down! GameDay: 1")


@pytest.mark.parametrize(
    ("triage", "second", "failure"),
    [
        (Merges, "Eve has stolen the crown and hidden it in the well.", "It may merge with: nothing"),
        (MergesInOtherWords, "The king is dead, alas.", "answer no `text`"),
    ],
)
async def test_a_merge_that_would_lose_words_or_change_them_is_refused_and_named(
    village: Village, triage: type, second: str, failure: str
) -> None:
    story = await village(RULES, "ann", "ben", "cid", "dan", **under(triage), strict=False)
    await story.say("ann", "The king is dead.", audience=[])
    settled = await (await story.say("ann", second, audience=[])).settled()
    assert failure in str(settled.failures)
    (memory,) = await memories(story, "ben")
    assert memory.content.endswith("Message: Ann: The king is dead. GameDay: 1")


async def test_novelty_merges_what_says_nothing_new_and_ends_a_flood(village: Village) -> None:
    story = await village(RULES, "ann", "ben", "cid", "dan", **under("novelty"))
    await story.say("ann", "The old mill by the river has burnt down last night.", audience=[])
    await story.say("ann", "The old mill by the river has burnt down last night, alas.", audience=[])
    assert len(await memories(story, "ben")) == 1
    for number in range(9):
        await story.say("ann", f"Somebody saw {number} wolves near farm {number}{number}.", audience=[])
    assert len(await memories(story, "ben")) == 5


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The sword is in the cave.", "The sword is not in the cave."),
        ("Old Tom owes Ben 30 gold for the white mare.", "Old Ben owes Tom 30 gold for the white mare."),
    ],
)
async def test_novelty_keeps_a_contradiction_and_what_is_said_of_others(village: Village, one: str, other: str) -> None:
    story = await village(RULES, "ann", "ben", "cid", "dan", **under("novelty"))
    for text in (one, other):
        await story.say("ann", text, audience=[])
    kept = await memories(story, "ben")
    assert [text for text in (one, other) if any(text in each.content for each in kept)] == [one, other]


async def test_novelty_tells_in_public_what_was_told_in_private(village: Village) -> None:
    story = await village(RULES, "ann", "ben", "cid", "dan", **under("novelty"))
    await story.say("ann", "The vault is empty now.", audience=[], channel=Channel(context="dm", channel_id="d1"))
    await story.say(
        "ann", "The vault is empty now.", audience=[], channel=Channel(context="public_channel", channel_id="p1")
    )
    assert len(await memories(story, "ben")) == 2


def test_novelty_shortens_what_is_long_for_those_who_have_heard_enough() -> None:
    long = "The council met in the old hall. " * 20
    assert Novelty().triage(passing(long)) == TriageAnswer()
    shorter = Novelty().triage(passing(long, heard=("The bridge is closed.",)))
    assert shorter.text is not None
    assert len(shorter.text) < len(long) / 2


class TestNovelty(TriageSuite):
    def make_triage(self) -> Novelty:
        return Novelty()


def test_the_suite_runs_without_pytest() -> None:
    assert check_triage(Novelty).passed
    with pytest.raises(ExceptionGroup):
        check_triage(Nonsense)
