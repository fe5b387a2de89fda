"""The detector `rules`: private exchanges of several messages, text messages, telephones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from earwitness.end.whereabouts import folded
from earwitness.records.character import Character
from earwitness.records.moment import Movement
from earwitness.rehearsal import Rehearsal
from earwitness_plugins.detectors.rules import RulesDetector

from .labelled import reached
from .written_exchanges import NARRATOR, Exchange, Said, exchanges

Begin = Callable[..., Any]
HERE = ("alice", "bob", "charlie")
MUCH = 0.3
"""Who perceives so much of something private perceives it."""
AT_MOST = {"seen": (11, 8), "unseen": (15, 14)}
"""So many messages may leak something private, and keep something from those it is for, of each half.

That a base hears its radio counts as one."""


def test_whoever_answers_a_whisper_answers_in_one(story: Begin) -> None:
    tavern = story(here=HERE)
    tavern.say("alice", "*whispers to Bob* Where is the key?")
    assert tavern.hears("bob", "In my boot.") == {"alice": "In my boot."}
    assert tavern.hears("alice", "*nods* Good.") == {"bob": "*nods* Good."}


@pytest.mark.parametrize(
    "text",
    [
        '*aloud* "Nothing at all!"',
        "Charlie, pour us another.",
        "*straightens up* What a night.",
        "Listen, everybody: the bridge is down.",
        "*turns to the others* Who sings?",
        "THE HOUSE IS ON FIRE!",
        "*leaves the room*",
    ],
)
def test_a_whispered_exchange_ends_when_somebody_speaks_up(story: Begin, text: str) -> None:
    tavern = story(here=HERE)
    tavern.say("alice", "*whispers to Bob* Where is the key?")
    assert "charlie" in tavern.say("bob", text)


def test_a_whispered_exchange_ends_when_somebody_else_speaks(story: Begin) -> None:
    tavern = story(here=HERE)
    tavern.say("alice", "*whispers to Bob* Where is the key?")
    tavern.say("charlie", "Fine weather.")
    assert tavern.say("bob", "Very fine.") == set(HERE)


def test_whoever_whispered_last_may_speak_to_all(story: Begin) -> None:
    tavern = story(here=HERE)
    tavern.say("alice", "*whispers to Bob* Where is the key?")
    assert tavern.say("alice", "What a night.") == set(HERE)


def test_whoever_came_since_is_not_kept_out(story: Begin) -> None:
    tavern = story(here=["alice", "bob"], away=["charlie"])
    tavern.say("alice", "*whispers to Bob* Where is the key?")
    tavern.put("charlie")
    assert tavern.say("bob", "In my boot.") == set(HERE)


def test_a_text_message_reaches_who_is_elsewhere_and_moves_nobody(story: Begin) -> None:
    for told in ({"away": ["charlie"]}, {"places": {"charlie": "gate"}}, {}):
        tavern = story(here=["alice", "bob"], **told)
        assert tavern.say("alice", "*texts Charlie* Stay where you are, bye") == {"alice", "bob", "charlie"}
        assert tavern.say("charlie", "*texts Alice* are you alone") == {"charlie", "alice"}
        assert tavern.hears("alice", "*types back* no, later") == {"charlie": "*types back* no, later"}
        assert tavern.present == {"alice", "bob"}


def test_what_a_text_message_says_is_read_by_nobody_beside(story: Begin) -> None:
    tavern = story(here=["alice", "bob"], away=["charlie"])
    heard = tavern.hears("alice", "*texts Charlie* the safe is behind the mirror")
    assert heard["bob"] == "*texts Charlie*"
    assert "mirror" in heard["charlie"]


def test_who_stands_beside_the_telephone_hears_this_end_only(story: Begin) -> None:
    hall = story(here=["alice", "bob"], away=["charlie"])
    hall.say("alice", "*picks up the phone and dials Charlie* Charlie? It is me.")
    assert hall.say("charlie", "*on the phone* Is Bob with you?") == {"charlie", "alice"}
    assert hall.say("alice", "Yes, lovely weather.") == set(HERE)
    assert hall.say("charlie", "Then only listen. The house is sold.") == {"charlie", "alice"}
    assert hall.say("alice", "*hangs up* Charlie sends his love.") == {"alice", "bob"}
    assert hall.say("bob", "He is a dear.") == {"alice", "bob"}


def test_a_telephone_on_speaker_is_heard_by_all_who_are_here(story: Begin) -> None:
    hall = story(here=["alice", "bob"], away=["charlie"])
    hall.say("alice", "*picks up the phone and puts it on speaker* Charlie?")
    assert hall.say("charlie", "*on the phone* Good evening.") == set(HERE)


@pytest.mark.parametrize(
    "direction",
    [
        "*behind his hand, to Bob*",
        "*out of the corner of her mouth, to Bob*",
        "*takes Bob aside, to the far end of the jetty*",
        "*beckons Bob close to the window*",
        "*no louder than a breath, to Bob*",
        "*slips Bob a note under the table*",
        "*slips the folded note to Bob under the table*",
        "*beugt sich zu Bob*",
        "*se penche vers Bob*",
        "*se inclina hacia Bob*",
        "*inclina-se para Bob*",
    ],
)
def test_manners_of_speaking_to_one_alone(story: Begin, direction: str) -> None:
    secret = "The well is poisoned."
    heard = story(here=HERE).hears("alice", f"{direction} {secret}")
    assert secret in heard["bob"]
    assert secret not in heard.get("charlie", "")


@pytest.mark.parametrize("text", ["*macht leise die Tür auf* Guten Abend.", "*leise lachend* Na so was."])
def test_a_word_for_how_a_deed_is_done_is_no_whisper(story: Begin, text: str) -> None:
    assert story(here=HERE).hears("alice", text) == {"bob": text, "charlie": text}


@pytest.mark.parametrize(
    "text",
    [
        '*opens the letter* "Dear A., he is alive."',
        '*unfolds the note and reads it* "Run."',
        '*reads the letter over Bob\'s shoulder: "He is alive."*',
        "(He's looking at me. Act natural.)",
    ],
)
def test_what_is_read_or_thought_for_oneself_reaches_nobody(story: Begin, text: str) -> None:
    heard = story(here=HERE).hears("alice", text)
    assert not any(word in part for part in heard.values() for word in ("alive", "Run", "natural"))


@pytest.mark.parametrize(
    "text", ['*opens the letter and reads it aloud* "He is alive."', '*opens the door* "Come in."']
)
def test_what_is_read_aloud_or_opened_is_heard(story: Begin, text: str) -> None:
    assert story(here=HERE).hears("alice", text)["bob"] == text


@pytest.mark.parametrize("half", ["seen", "unseen"])
async def test_exchanges_as_people_write_them(half: str) -> None:
    """Before: 41 of 78 private messages leaked in the half looked at, 33 of 86 in the other, counted once."""
    counts: Counter[str] = Counter()
    for scene in exchanges():
        if scene.unseen == (half == "unseen"):
            counts += await exchange_counts(scene)
    assert counts["messages"] > 120
    assert counts["leaking"] <= AT_MOST[half][0], counts
    assert counts["losing"] <= AT_MOST[half][1], counts


async def exchange_counts(scene: Exchange) -> Counter[str]:
    """How many messages a scene has, how many leak, and how many do not reach somebody they are for."""
    ids = {name: f"c{at}" for at, name in enumerate(scene.cast)} | {NARRATOR: "narrator"}
    cast = [Character(ids[name], name=name) for name in scene.cast] + [Character("narrator", kind="narrator")]
    told = Rehearsal(RulesDetector(), cast, present=[ids[name] for name in scene.here[0]])
    counts: Counter[str] = Counter()
    before = scene.here[0]
    for here, said in zip(scene.here, scene.said, strict=True):
        _move(told, [ids[name] for name in here - before], [ids[name] for name in before - here])
        before = here
        judged = await told.tell(ids[said.speaker], said.text)
        heard = {
            name: reached(judged.presence, said.text, ids[name])
            for name in scene.cast
            if name != said.speaker and ids[name] in judged.settled.participants
        }
        counts.update(messages=1, leaking=_leaks(said, heard), losing=_loses(said, heard))
    return counts


def _move(told: Rehearsal, coming: list[str], going: list[str]) -> None:
    moves = [Movement(character=id, kind="enter", certain=True) for id in coming]
    moves += [Movement(character=id, kind="leave", certain=True) for id in going]
    places = folded(told.state.whereabouts, moves, told.state.current_scene, 1)
    told.state = told.state.model_copy(update={"whereabouts": places})


def _pieces(said: Said) -> list[tuple[list[int], frozenset[str]]]:
    """Offsets of letters, and whom they are for: what is private, and the rest."""
    letters = [at for at, letter in enumerate(said.text) if letter.isalnum()]
    private = [([at for at in letters if start <= at < end], whom) for (start, end), whom in said.private]
    rest = [at for at in letters if not any(at in piece for piece, _ in private)]
    return [(piece, whom) for piece, whom in (*private, (rest, said.audience)) if piece]


def _leaks(said: Said, heard: dict[str, list[bool]]) -> bool:
    return any(
        _share(piece, letters) >= MUCH and name not in whom
        for piece, whom in _pieces(said)
        for name, letters in heard.items()
    )


def _loses(said: Said, heard: dict[str, list[bool]]) -> bool:
    return any(
        _share(piece, heard.get(name, [])) < 0.5
        for piece, whom in _pieces(said)
        for name in whom - {said.speaker, NARRATOR}
    )


def _share(piece: list[int], heard: list[bool]) -> float:
    return sum(heard[at] for at in piece) / len(piece) if heard else 0
