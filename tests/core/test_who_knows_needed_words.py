"""What a question names must have been said: the verdict does not depend on how many other lines there are."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from earwitness import Character, Session

Begin = Callable[..., Awaitable[Session]]
OTHERS = [[], ["The soup is cold today."], ["I found a ring beside Ben.", "Let us rest.", "Will you go to bed?"]]
"""Lines of Ben that have nothing to do with what is asked."""
KNOWN = {
    "I went to Rome.": ["Ann went to Rome", "Did Ann go to Rome?", "Ann has gone to Rome", "Who went to Rome?"],
    "I gave the ring to Cid.": [
        *("Ann gave the ring to Cid", "Ann gave Cid the ring", "the ring was given to Cid by Ann"),
        *("Who gave the ring to Cid?", "Ann gave the ring to somebody"),
    ],
    "I will go to Rome tomorrow.": ["I will go to Rome", "Ann will go to Rome"],
    "Let us stay.": ["Let us stay", "Let's stay"],
    "Let's dance.": ["Let us dance", "Let's dance"],
    "Ben, let us find the Sacred Sword.": ["Let us find the Sacred Sword", "the Sacred Sword"],
    "I hid the key in the tower.": ["Ann hid the key in the tower", "The key was hidden in the tower"],
    "I found a crown in the stable. Ben sold it to Cid.": ["Ben sold the crown to Cid", "Who sold the crown?"],
    "There is a key under the fourth barrel.": ["the key under the barrel", "the key under the fourth barrel"],
    "I hid the key in the barrel.": ["the key in the old barrel"],
    "Ich versteckte das Schwert unter den Brunnen.": ["das Schwert unter dem Brunnen"],
    "I locked the gate.": ["Ann really locked the gate", "The gate was locked by Ann"],
}
"""What Ann said → what everybody who heard it knows."""
UNKNOWN = {
    "I went to Rome.": ["Ann went to Paris", "Who went to Paris?", "Did Ann go to Paris?", "Ann went to Rome with Cid"],
    "I gave the ring to Ben.": ["Ann gave the ring to Cid", "Ann gave Cid the ring", "Who gave the ring to Cid?"],
    "I will go to Rome tomorrow.": ["I will go to Paris", "Ann will go to Paris", "Will Ann go to Paris?"],
    "Let us stay.": ["Let us dance", "Let us go", "Let us find the Sacred Sword", "Let's dance"],
    "Ben, let us find the Sacred Sword.": ["Let us kill the king", "Let us lose the Sacred Sword"],
    "Let us go to the mill.": ["Let us go to the castle"],
    "I hid the key in the tower.": ["Ann hid the key in the well", "The key was hidden in the well"],
    "Cid killed the king with a sword.": ["Cid killed the king with poison", "Cid killed the king on Monday"],
    "I went to Rome. Ben loves Paris.": ["Ann went to Paris"],
    "I gave the ring to Ben. Cid saw it.": ["Ann gave the ring to Cid"],
    "There is a key under the fourth barrel.": [
        *("the key under the third barrel", "the key under the red barrel", "the key under the old red barrel"),
    ],
    "I did not go to Rome.": ["Ann went to Paris", "Ann did not go to Paris"],
}
"""What Ann said → what it tells nobody, nor the contrary."""
CAST = [Character(id, name=id.capitalize()) for id in ("ann", "ben", "cid")]


async def found(begin: Begin, said: str, others: list[str], questions: list[str]) -> dict[str, tuple[bool, bool]]:
    story = await begin(cast=CAST)
    await story.say("ann", said, audience=["ben"])
    for each in others:
        await story.say("ben", each, audience=["ann"])
    answers = {each: (await story.backstage().who_knows(each)).knowers for each in questions}
    return {each: (known["ben"].knows, known["ben"].contrary is not None) for each, known in answers.items()}


@pytest.mark.parametrize("others", OTHERS, ids=["alone", "one other line", "three other lines"])
@pytest.mark.parametrize("said", KNOWN)
async def test_what_was_said_is_known_beside_any_other_lines(begin: Begin, said: str, others: list[str]) -> None:
    assert await found(begin, said, others, KNOWN[said]) == dict.fromkeys(KNOWN[said], (True, False))


@pytest.mark.parametrize("others", OTHERS, ids=["alone", "one other line", "three other lines"])
@pytest.mark.parametrize("said", UNKNOWN)
async def test_what_nobody_said_is_known_to_nobody(begin: Begin, said: str, others: list[str]) -> None:
    assert await found(begin, said, others, UNKNOWN[said]) == dict.fromkeys(UNKNOWN[said], (False, False))


async def test_who_has_something_owns_and_holds_it(begin: Begin) -> None:
    asked = ["Ann has the ring", "Ann owns the ring", "Ann holds the ring"]
    assert await found(begin, "I have the ring.", [], asked) == dict.fromkeys(asked, (True, False))


async def test_what_a_reroll_replaced_is_known_to_nobody(begin: Begin) -> None:
    story = await begin(cast=CAST)
    await story.say("ann", "Let us go.", audience=["ben"])
    await story.reroll("Let us stay.")
    for question, is_known in {"Let us go": False, "Let us stay": True}.items():
        assert (await story.backstage().who_knows(question)).knowers["ben"].knows is is_known, question
