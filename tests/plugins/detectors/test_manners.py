"""The detector `rules`: manners that keep what is said or written from others, and brackets in other shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from earwitness.records.moment import Moment
from earwitness_plugins.detectors.rules import RulesDetector

from ...durations import grows_at_most

Begin = Callable[..., Any]
EVERYBODY = ["alice", "bob", "charlie"]


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ('"Hi." *muttering inaudibly to herself* He is the thief.', '"Hi."'),
        ("*prays silently* He is the thief.", None),
        ("[prays silently] He is the thief.", None),
        ("*bows her head and prays in silence* He is the thief.", None),
        ('"Fine." *Silently, she adds:* He is the thief.', '"Fine."'),
        ("*She says nothing, but in her mind she screams* He is the thief!", None),
        ("*says it only in her mind* He is the thief.", None),
        ("*mumbles something to himself* He is the thief.", None),
        ("*so quietly that nobody can hear* He is the thief.", None),
        ("*too softly for anyone to hear* He is the thief.", None),
        ("(silent prayer) He is the thief.", None),
        ("*makes a mental note* He is the thief.", None),
        ("*recites inwardly* He is the thief.", None),
        ("*Her lips move without a sound.* He is the thief.", None),
        ('Alice prays silently. "He is the thief."', None),
        ("*writes in her diary* He is the thief.", None),
        ("*writes in her diary* Bob, you thief.", None),
        ("*opens her journal and writes* He is the thief.", None),
        ("*scribbles on a scrap of paper* He is the thief.", None),
        ("*dear diary,* he is the thief.", None),
        ("Dear diary, he is the thief.", None),
        ("Diary entry: he is the thief.", None),
        ('Alice writes in her diary: "He is the thief."', None),
        ("*speaks into her mind* He is the thief.", None),
        ('"Hello." &#91;He is the thief.&#93;', '"Hello."'),
        ('"Hello." &#x5B;He is the thief.&#x5d;', '"Hello."'),
        ('"Hello." &lbrack;He is the thief.&rbrack;', '"Hello."'),
        ('"Sure." &#42;thinks: he is the thief&#42;', '"Sure."'),
        ("【He is the thief】 Hello", "Hello"),
        ("〔He is the thief〕 Hello", "Hello"),  # noqa: RUF001
        ("⟦He is the thief⟧ Hello", "Hello"),
        ('*prays silently, then turns to the others* "Let us go."', '"Let us go."'),
        ("*screams internally* Sure, come in!", "Sure, come in!"),
        ('"Hi, Bob," I said. I did not tell him about the boat.', '"Hi, Bob," I said.'),
        ('"Hi, Bob." She never mentioned the boat. "Tea?"', '"Hi, Bob." "Tea?"'),
        ("*composes a letter in his head* He is the thief.", None),
        ("*without uttering a sound* He is the thief.", None),
        ("*speaks, but only in her own mind* He is the thief.", None),
        ("〈He is the thief〉 Hello", "Hello"),
    ],
)
def test_what_is_silent_or_in_a_diary_stays_with_who_says_it(story: Begin, text: str, others: str | None) -> None:
    heard = story(here=EVERYBODY).hears("alice", text)
    assert heard == (dict.fromkeys(("bob", "charlie"), others) if others else {})


@pytest.mark.parametrize(
    "text",
    [
        "*telepathically to Bob* He is the thief.",
        "*via telepathy to Bob* He is the thief.",
        "*telepathically* Bob, he is the thief.",
        "*reaches out to Bob through their mind-link* He is the thief.",
        "*psychically, to Bob* He is the thief.",
        "*speaks into Bob's mind* He is the thief.",
        "*mouths to Bob* He is the thief.",
        "*writes on a napkin and slides it to Bob* He is the thief.",
    ],
)
def test_telepathy_and_paper_reach_only_whom_they_are_for(story: Begin, text: str) -> None:
    assert story(here=EVERYBODY).hears("alice", text) == {"bob": text}


@pytest.mark.parametrize(
    "text",
    [
        '*silently hands Bob a cup* "Anyone else?"',
        "*nods silently* So be it.",
        "*prays aloud* Have mercy on us.",
        '*stands in silence, then bows* "To the king!"',
        "*smiles to herself* You are sweet.",
        "*talks to himself, loudly* Where are my keys?",
        "*telepathically to everybody* Run!",
        "*closes her diary* He was here.",
        "*reads from her journal* Twelfth of May.",
        "*writes the number on the blackboard* This is the answer.",
        "*speaks with a heavy heart* The king is dead.",
        "*makes up her mind* We go.",
        '"Nice," she said, praying silently for rain. "More tea?"',
        "I wrote it in my diary yesterday.",
        "*reads a letter written on parchment* The king is dead.",
        "I did not tell him about the boat.",
        '"I did not tell him about the boat," she says.',
        "「おはよう」",
        "AT&amp;T &lt;3 &quot;the firm&quot;",
    ],
)
def test_what_only_sounds_like_such_a_manner_is_heard_by_everybody(story: Begin, text: str) -> None:
    assert story(here=EVERYBODY).hears("alice", text) == dict.fromkeys(("bob", "charlie"), text)


def test_a_mark_of_ones_own_in_odd_brackets_is_none_for_square_ones(story: Begin) -> None:
    detector = RulesDetector(markup={"【…】": "action"})
    heard = story(here=EVERYBODY, detector=detector).hears("alice", "【nods】 Hello. [He is the thief.]")
    assert heard == dict.fromkeys(("bob", "charlie"), "【nods】 Hello.")


@pytest.mark.parametrize(
    "unit",
    [
        "says in ",
        "silently ",
        "prays to the ",
        "mutters to ",
        "writes in the ",
        "diary ",
        "lips ",
        "send the ",
        "mind-",
        "so no one ",
        "silent prayer ",
        "&#91;",
        "【",
        "through the ",
        "pen to the ",
    ],
)
def test_a_direction_twice_as_long_takes_about_twice_as_long(story: Begin, unit: str) -> None:
    begun = story(here=EVERYBODY)

    def read(length: int) -> None:
        moment: Moment = begun.moment("alice", f"*{unit * (length // len(unit))}* Hello.")
        RulesDetector().detect(moment)

    assert grows_at_most(3.2, read, 16_000, 32_000, least=0.03)
