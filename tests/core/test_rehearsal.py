"""A detector is told a transcript without a ledger, and each message is settled as END settles it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from earwitness import Moment, Movement, Perceived, Presence, Session
from earwitness.errors import UnknownName
from earwitness.loading.end_settings import EndSettings
from earwitness.records.moment import Segment
from earwitness.rehearsal import Rehearsal
from earwitness_plugins.detectors.rules import RulesDetector

CAST = ("alice", "bob", "charlie")
TOLD = [
    ("alice", "Bob comes in."),
    ("bob", "Hello! [She looks tired.]"),
    ("alice", "Go away, Bob."),
    ("charlie", "Who was that?"),
    ("alice", "[thinking] Nobody."),
]


class Listening:
    """Everybody named here hears what is said; Bob comes with `comes in` and goes with `Go away`; keeps a count."""

    def __init__(self) -> None:
        self.moments: list[Moment] = []

    def detect(self, moment: Moment) -> Presence:
        self.moments.append(moment)
        heard = moment.data["heard"] = int(str(moment.data.get("heard", 0))) + 1
        said = moment.message.content
        chance = {"bob": 0.9 if heard % 2 else 0.4, "charlie": 0.5}
        kinds = {"comes in": "enter", "Go away": "leave"}
        return Presence(
            characters={id: Perceived(probability=p, role="present") for id, p in chance.items()},
            movements=tuple(
                Movement.model_validate({"character": "bob", "kind": kind})
                for words, kind in kinds.items()
                if words in said
            ),
            segments=tuple(
                Segment(text=piece, kind="thought" if piece.startswith("[") else "spoken", audience=audience)
                for piece, audience in pieces(said)
            ),
        )


def pieces(said: str) -> list[tuple[str, tuple[str, ...] | None]]:
    before, bracket, thought = said.partition("[")
    return [*([(before, None)] if before else []), *([(bracket + thought, ())] if bracket else [])]


async def test_it_settles_each_message_as_end_does(begin: Callable[..., Awaitable[Session]]) -> None:
    live, rehearsed = Listening(), Listening()
    story = await begin(detector=live)
    rehearsal = Rehearsal(rehearsed, CAST)
    for speaker, text in TOLD:
        settled = await (await story.say(speaker, text)).settled()
        judgement = await rehearsal.tell(speaker, text)
        assert judgement.settled.participants == settled.participants
        assert settled.plan.message is not None
        assert judgement.settled.heard == settled.plan.message.heard
        assert judgement.settled.message.content == settled.plan.message.message.content
        assert rehearsal.state.whereabouts == story.state.whereabouts
    assert rehearsal.state.last_perceivers == story.state.last_perceivers
    assert [[each.content for each in moment.recent] for moment in rehearsed.moments] == [
        [each.content for each in moment.recent] for moment in live.moments
    ]


async def test_beliefs_hold_the_unlikely_too_and_0_for_whom_no_part_reaches() -> None:
    rehearsal = Rehearsal(Listening(), CAST)
    assert {id: part.confidence for id, part in (await rehearsal.tell("alice", "Hm.")).beliefs.items()} == {
        "alice": 1,
        "bob": 0.9,
        "charlie": 0.5,
    }
    judgement = await rehearsal.tell("alice", "[Hm.]")
    assert {id: part.confidence for id, part in judgement.beliefs.items()} == {"alice": 1, "bob": 0, "charlie": 0}
    assert list(judgement.settled.participants) == ["alice"]


async def test_the_threshold_is_ends_own() -> None:
    strict = Rehearsal(Listening(), CAST, end=EndSettings(threshold=0.95))
    assert list((await strict.tell("alice", "Hm.")).settled.participants) == ["alice"]


async def test_who_says_it_too_perceives_it_and_is_here() -> None:
    rehearsal = Rehearsal(Listening(), CAST)
    judgement = await rehearsal.tell("alice", "Aye!", together_with=["charlie"])
    assert judgement.settled.participants["charlie"].role == "speaker"
    assert rehearsal.state.whereabouts["charlie"].here


async def test_a_detector_that_fails_leaves_the_speaker_alone_and_is_named_without_its_secret() -> None:
    class Refused:
        def detect(self, moment: Moment) -> Presence:
            raise ConnectionError("401: sk-planted is refused")

    judgement = await Rehearsal(Refused(), CAST, secrets=["sk-planted"]).tell("alice", "Hm.")
    assert list(judgement.settled.participants) == list(judgement.beliefs) == ["alice"]
    assert judgement.failure == "ConnectionError: 401: ********** is refused"


async def test_only_members_of_the_cast_speak() -> None:
    with pytest.raises(UnknownName, match="unknown character 'zoe'"):
        await Rehearsal(Listening(), CAST).tell("zoe", "Hm.")


async def test_what_was_ignored_in_an_answer_is_named() -> None:
    class Inventive:
        def detect(self, moment: Moment) -> Presence:
            return Presence(characters={"dora": Perceived(probability=0.9, role="present")})

    judgement = await Rehearsal(Inventive(), CAST).tell("alice", "Hm.")
    assert judgement.failure is None
    assert judgement.ignored == "named 'dora', who are not in the cast; ignored"


async def test_the_host_s_word_on_who_is_there_holds_in_a_rehearsal_too() -> None:
    rehearsal = Rehearsal(RulesDetector(), ["alice", "bob", "charlie"])
    first = await rehearsal.tell("alice", '"Welcome." [Fool.]', present=["bob"])
    assert first.settled.heard_by("bob") == '"Welcome."'
    second = await rehearsal.tell("alice", "Charlie, hear my prayer!")
    assert [*first.settled.participants] == [*second.settled.participants] == ["alice", "bob"]


async def test_those_who_are_there_at_first_are_known_to_the_detector() -> None:
    class WhoIsHere:
        def detect(self, moment: Moment) -> Presence:
            here = {id for id, where in moment.whereabouts.items() if where.here}
            return Presence(characters=dict.fromkeys(here, Perceived(probability=1, role="present", evidence=())))

    rehearsal = Rehearsal(WhoIsHere(), ["alice", "bob", "charlie"], present=["bob"])
    assert set((await rehearsal.tell("alice", "Hello.")).settled.participants) == {"alice", "bob"}
