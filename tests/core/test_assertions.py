"""Who only asks or supposes something tells it to nobody, and does not know it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

import pytest

from earwitness import Session
from earwitness.backstage.assertions import assertions_in
from earwitness.backstage.rarity import word_set

from ..durations import ever_below

Begin = Callable[..., Awaitable[Session]]
SAFE = "the bridge is safe"


@pytest.mark.parametrize(
    "text",
    [
        "Is the bridge safe?",
        "Dan, is the *bridge* safe?",
        "So the bridge is safe?",
        '*turns to Dan* "Is the bridge safe?" he asks.',
        "Do you know whether the bridge is safe?",
        "Who says that the bridge is safe?",
        "I wonder whether the bridge is safe.",
        "I do not know if the bridge is safe.",
        "If the bridge is safe, we cross tonight.",
        "Suppose the bridge is safe.",
        "What if the bridge is safe?",
        "Perhaps the bridge is safe.",
        "Maybe, maybe the bridge is safe!",
        "Let's assume that the bridge is safe.",
        "###Message###\nMessage: Cat: is the bridge safe? GameDay: 1",
    ],
)
def test_what_only_asks_or_supposes_does_not_tell(text: str) -> None:
    assert not {"bridg", "safe"} <= word_set(assertions_in(text))


@pytest.mark.parametrize(
    "text",
    [
        "The bridge is safe.",
        "The bridge is safe, isn't it?",
        "The bridge is safe, right, Dan?",
        "Is the bridge safe? Yes, it is.",
        "Is the bridge safe? It is.",
        "Did you know that the bridge is safe?",
        "Haven't you heard? The bridge is safe.",
        "Why is the bridge safe?",
        "The bridge is safe. Shall we cross it?",
        "If you ask me, the bridge is safe.",
        "Tell Dan that the bridge is safe if you see him.",
        "Perhaps you have heard: the bridge is safe.",
    ],
)
def test_what_tells_besides_or_takes_it_for_granted_does(text: str) -> None:
    assert {"bridg", "safe"} <= word_set(assertions_in(text))


def test_text_that_asks_nothing_is_left_as_it_is() -> None:
    text = "The gift of a wiffle bat."
    assert assertions_in(text) is text


async def test_who_asks_and_who_is_asked_know_neither_it_nor_the_contrary(begin: Begin) -> None:
    story = await begin(cast=("ann", "ben", "cat", "dan"))
    await story.say("ann", "The bridge is safe.", audience=["ben"])
    await story.say("ben", "The bridge is not safe.", audience=["cat"])
    await story.say("cat", "Dan, is the bridge safe?", audience=["dan"])
    assert str(await story.backstage().who_knows(SAFE)) == (
        "ann: said it on day 1\n"
        "ben: heard it from ann on day 1, and said the contrary on day 1\n"
        "cat: heard the contrary from ben on day 1\n"
        "dan: nothing found"
    )
    assert str(await story.backstage().who_knows("the bridge is not safe")) == (
        "ann: said the contrary on day 1\n"
        "ben: said it on day 1, and heard the contrary from ann on day 1\n"
        "cat: heard it from ben on day 1\n"
        "dan: nothing found"
    )


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("I wonder whether the duke is dead.", "the duke is dead"),
        ("If Bruno stole the ring, he must pay.", "Bruno stole the ring"),
        ("Suppose the queen were poisoned.", "the queen was poisoned"),
    ],
)
async def test_who_supposes_it_does_not_know_it(begin: Begin, said: str, question: str) -> None:
    story = await begin()
    await story.say("alice", said, audience=["bob"])
    assert not any(each.knows for each in (await story.backstage().who_knows(question)).knowers.values())


def test_long_texts_are_judged_in_linear_time() -> None:
    for piece in ("is it ", "if ", "so and but ", "*a* ", "i wonder, ", "a?", ": ", "?!.", "yes, no? "):
        assert ever_below(0.5, partial(assertions_in, piece * 20_000 + "?"), runs=6)
