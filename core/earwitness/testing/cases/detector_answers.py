"""The contract of every detector, clever or simple: its answer is about the cast, in range, and always the same."""

# ruff: noqa: S101
from __future__ import annotations

import random
from collections.abc import AsyncIterator, Awaitable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from ...end.host_word import UNHEARD
from ...protocols import Detector
from ...records.character import Cast
from ...records.moment import Moment, Movement, Presence
from ...records.read_only import sealed
from ..moments import moment, moments
from ..samples import LONG_TEXTS
from ..suite import Capability, Suite, case, soon, within_seconds

TRUE_ENOUGH = 0.5
"""Above this probability, core counts a character as present (`end.threshold`, by default)."""


class Answers(Suite[Detector]):
    """One message judged."""

    tells_talk_from_presence: Capability = True
    """A character who is away and only talked about is not present."""
    keeps_whispers: Capability = True
    """A whisper, a thought and a direct message reach nobody else."""

    seconds: float = 5.0
    """How long a hostile message of 24,000 characters may take; sessions wait `end.detector_timeout`."""

    def make_detector(self) -> Detector | Awaitable[Detector]:
        """Your own detector. The method may be `async`."""
        raise NotImplementedError(f"{type(self).__name__} must define make_detector().")

    def subject(self) -> AbstractAsyncContextManager[Detector]:
        """The detector."""
        return self._made()

    @asynccontextmanager
    async def _made(self) -> AsyncIterator[Detector]:
        yield await soon(self.make_detector())

    @case
    async def test_every_moment_gets_a_presence(self, detector: Detector) -> None:
        """Ordinary, odd and hostile moments get one; it comes back from JSON unchanged."""
        for asked in moments():
            answer = await soon(detector.detect(asked))
            assert isinstance(answer, Presence), asked.message.content
            assert Presence.model_validate_json(answer.model_dump_json()) == answer, asked.message.content

    @case
    async def test_no_text_takes_more_than_its_length(self, detector: Detector) -> None:
        """A message of 24,000 characters that is made to take long is judged within `seconds`."""
        for text in LONG_TEXTS:
            with within_seconds(self.seconds, text):
                await soon(detector.detect(moment(text)))

    @case
    async def test_a_moment_stays_as_it_was(self, detector: Detector) -> None:
        """The dicts and lists in a moment are read-only, as in a session. No detector changes them or fails over it."""
        for asked in moments():
            before = asked.model_dump_json()
            assert isinstance(await soon(detector.detect(sealed(asked))), Presence), asked.message.content
            assert asked.model_dump_json() == before, asked.message.content

    @case
    async def test_only_the_cast_is_answered_for(self, detector: Detector) -> None:
        """No name in a text, known or unknown, misspelt or shouted, creates a recipient or moves one."""
        for asked in moments():
            answer = await soon(detector.detect(asked))
            named = {*answer.characters, *(movement.character for movement in answer.movements)}
            assert named <= set(asked.cast.ids), asked.message.content

    @case
    async def test_probabilities_lie_between_0_and_1(self, detector: Detector) -> None:
        """This holds also for a record made without validation."""
        for asked in moments():
            answer = await soon(detector.detect(asked))
            assert all(0 <= found.probability <= 1 for found in answer.characters.values()), asked.message.content

    @case
    async def test_the_speaker_is_there_for_certain(self, detector: Detector) -> None:
        """Nobody else has the role of speaker."""
        for asked in moments():
            answer = await soon(detector.detect(asked))
            speakers = {id: found.probability for id, found in answer.characters.items() if found.role == "speaker"}
            assert speakers == {asked.message.speaker: 1}, asked.message.content

    @case
    async def test_evidence_says_why(self, detector: Detector) -> None:
        """There is evidence for everybody the detector counts as present."""
        for asked in moments():
            answer = await soon(detector.detect(asked))
            for id, found in answer.characters.items():
                assert found.evidence or found.probability <= TRUE_ENOUGH, (asked.message.content, id)

    @case
    async def test_the_same_moment_gets_the_same_answer(self, detector: Detector) -> None:
        """Asked again, in another order, and by a new detector: nothing is remembered between messages."""
        asked = list(moments())
        first = [await soon(detector.detect(one)) for one in asked]
        again = [await soon(detector.detect(one)) for one in reversed(asked)][::-1]
        anew = await soon(self.make_detector())
        assert first == again == [await soon(anew.detect(one)) for one in asked]

    @case
    async def test_the_word_of_the_host_is_not_looked_at(self, detector: Detector) -> None:
        """Core applies `present` and `audience` itself. A detector that looked at them could not be measured."""
        for asked in moments():
            answer = await soon(detector.detect(asked))
            for named in ((), ("alice",), asked.cast.ids):
                for word in ("present", "audience"):
                    spelled = asked.message.model_copy(update={word: named})
                    assert await soon(detector.detect(asked.model_copy(update={"message": spelled}))) == answer

    @case
    async def test_the_moment_is_left_as_it_was(self, detector: Detector) -> None:
        """A detector changes nothing in the moment."""
        for asked in moments():
            before = asked.model_dump_json()
            await soon(detector.detect(asked))
            assert asked.model_dump_json() == before, asked.message.content

    @case
    async def test_the_order_of_the_cast_does_not_matter(self, detector: Detector) -> None:
        """Neither the order of the cast nor that of the whereabouts matters."""
        for number, asked in enumerate(moments()):
            answer = await soon(detector.detect(asked))
            other = await soon(detector.detect(_shuffled(asked, number)))
            assert other.characters == answer.characters, asked.message.content
            assert _by_character(other) == _by_character(answer), asked.message.content

    @case
    async def test_being_talked_about_is_not_being_there(self, detector: Detector) -> None:
        """Promise 5: Charlie has left, and is talked about."""
        self.needs("tells_talk_from_presence")
        for said in (
            "I saw Charlie at the market yesterday.",
            "Bob, Charlie owes me money.",
            "Bob and I miss Charlie.",
        ):
            answer = await soon(detector.detect(moment(said)))
            assert _present(answer) == {"alice", "bob"}, said

    @case
    async def test_who_is_here_and_silent_hears_it(self, detector: Detector) -> None:
        """Promise 5: Charlie is here, but has said nothing for a long time."""
        self.needs("tells_talk_from_presence")
        past = [("alice", "Well?"), ("bob", "Well what?")] * 2
        asked = moment("The sword is in the cave.", here=("alice", "bob", "charlie"), recent=past)
        assert _present(await soon(detector.detect(asked))) == {"alice", "bob", "charlie"}

    @case
    async def test_a_whisper_reaches_only_its_addressee(self, detector: Detector) -> None:
        """The number of bystanders does not matter."""
        self.needs("keeps_whispers")
        asked = moment('*whispers to Bob* "Trust nobody."', here=("alice", "bob", "charlie", "nomad"))
        assert _present(await soon(detector.detect(asked))) == {"alice", "bob"}

    @case
    async def test_a_whisper_to_a_stranger_reaches_nobody(self, detector: Detector) -> None:
        """An unknown name fails closed."""
        self.needs("keeps_whispers")
        asked = moment('*whispers to Zoltan* "Trust nobody."', here=("alice", "bob", "charlie"))
        assert _present(await soon(detector.detect(asked))) == {"alice"}

    @case
    async def test_a_thought_stays_with_its_thinker(self, detector: Detector) -> None:
        """This holds even if the thought names those who are present."""
        self.needs("keeps_whispers")
        for thought in ("*thinks that Bob is lying*", "[Bob must not know.]"):
            asked = moment(thought, here=("alice", "bob", "charlie"))
            assert _present(await soon(detector.detect(asked))) == {"alice"}, thought

    @case
    async def test_who_is_here_and_shut_out_is_named(self, detector: Detector) -> None:
        """In a segment's audience, or with a low probability and another role than `mentioned`.

        Whom it leaves out it takes to be away. The host may say that they are here; then they hear the message.
        """
        self.needs("keeps_whispers")
        for said in ('*whispers to Bob* "Trust nobody."', "*thinks that Bob is lying*", "[Bob must not know.]"):
            answer = await soon(detector.detect(moment(said, here=("alice", "bob", "charlie"))))
            who = answer.characters.get("charlie")
            shut_out = who is not None and who.probability <= TRUE_ENOUGH and who.role not in UNHEARD
            apart = all(part.audience is not None for part in answer.segments) and bool(answer.segments)
            assert shut_out or apart, said


def _present(answer: Presence) -> set[str]:
    return {id for id, found in answer.characters.items() if found.probability > TRUE_ENOUGH}


def _by_character(answer: Presence) -> dict[str, list[Movement]]:
    moved: dict[str, list[Movement]] = {}
    for movement in answer.movements:
        moved.setdefault(movement.character, []).append(movement)
    return moved


def _shuffled(asked: Moment, seed: int) -> Moment:
    """The same moment, with its cast and whereabouts in another order."""
    shuffle = random.Random(seed)  # noqa: S311 - no secret depends on it
    members = list(asked.cast.members)
    places = list(asked.state.whereabouts.items())
    shuffle.shuffle(members)
    shuffle.shuffle(places)
    state = asked.state.model_copy(update={"whereabouts": dict(places)})
    return asked.model_copy(update={"cast": Cast(members=tuple(members)), "state": state})
