"""From what is believed to who took part: the host's word, then withholding, then adding; who shares, who strikes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, ClassVar

import pytest

from earwitness import (
    Character,
    Memory,
    MessageAnswer,
    MessageEvent,
    Moment,
    Movement,
    Participant,
    Perceived,
    Plugin,
    Presence,
    Session,
)
from earwitness.errors import StrategyError
from earwitness.events import PlanEvent, ReadEvent, Share, SharingEvent, Strike, WorldAgentEvent, WorldAnswer
from earwitness.filters import EVERYTHING, Filter

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]
FOUR = ("alice", "bob", "charlie", "dana")


class Believes:
    """A detector that believes the same of every message: character id → probability."""

    def __init__(self, **probabilities: float) -> None:
        self.probabilities = probabilities

    def detect(self, moment: Moment) -> Presence:
        return Presence(
            characters={
                id: Perceived(probability=each, role="overhearing", evidence=("a hunch",))
                for id, each in self.probabilities.items()
            }
        )


class Proposes(Plugin):
    """A plugin that adds and withholds the same at every message."""

    def __init__(self, name: str, add: Iterable[str] = (), withhold: Iterable[str] = ()) -> None:
        self.name = name
        self.answer = MessageAnswer(add=dict.fromkeys(add, "I say so"), withhold=dict.fromkeys(withhold, "I say no"))

    def on_message(self, event: MessageEvent) -> MessageAnswer:
        return self.answer


async def parts(story: Session, *, by: str = "alice", audience: list[str] | None = None) -> dict[str, Participant]:
    return (await (await story.say(by, "Hello.", audience=audience)).settled()).participants


# ── who took part ───────────────────────────────────────────────────────────────────────────────────────────────────


async def test_who_is_believed_likely_enough_took_part(begin: Begin) -> None:
    story = await begin(cast=FOUR, detector=Believes(bob=0.5, charlie=0.49, dana=1.0))
    assert list(await parts(story)) == ["alice", "bob", "dana"]
    strict = await begin(cast=FOUR, detector=Believes(bob=0.5, charlie=0.49, dana=1.0), end={"threshold": 0.9})
    found = await parts(strict)
    assert list(found) == ["alice", "dana"]
    assert (found["dana"].role, found["dana"].confidence, found["dana"].evidence) == ("overhearing", 1.0, ("a hunch",))


@pytest.mark.parametrize(
    ("policy", "found"),
    [("withhold", ["alice", "dana"]), ("deliver", ["alice", "charlie", "dana"]), ("ask", ["alice", "dana"])],
)
async def test_of_whom_the_detector_is_unsure_the_policy_decides(begin: Begin, policy: str, found: list[str]) -> None:
    story = await begin(cast=FOUR, detector=Believes(bob=0.2, charlie=0.3, dana=0.6), end={"unsure": policy})
    assert list(await parts(story)) == found


async def test_a_plugin_that_is_asked_adds_whom_it_is_sure_of(begin: Begin) -> None:
    class Recalls(Plugin):
        """Has seen Charlie come in; of nobody else it is asked anything."""

        asked: ClassVar[list[tuple[str, ...]]] = []

        def on_message(self, event: MessageEvent) -> MessageAnswer:
            self.asked.append(event.unsure)
            return MessageAnswer(add={id: "I saw them come in" for id in event.unsure if id == "charlie"})

    detector = Believes(alice=0.3, bob=0.3, charlie=0.3, dana=0.6)
    story = await begin(cast=FOUR, detector=detector, end={"unsure": "ask"}, plugins=[Recalls()])
    found = await parts(story)
    assert list(found) == ["alice", "charlie", "dana"]
    assert found["charlie"].role == "overhearing"
    assert found["charlie"].evidence[1:] == ("a hunch",)
    await parts(story, audience=["bob"])
    assert Recalls.asked == [("bob", "charlie"), ()]


async def test_the_speaker_comes_first_and_the_others_as_in_the_cast(begin: Begin) -> None:
    story = await begin(cast=FOUR, detector=Believes(dana=1, charlie=1, alice=1))
    assert list(await parts(story, by="charlie")) == ["charlie", "alice", "dana"]


@pytest.mark.parametrize("belief", [{}, {"alice": 0.0}])
async def test_the_speaker_always_remembers_what_she_said(begin: Begin, belief: dict[str, float]) -> None:
    story = await begin(detector=Believes(**belief), plugins=[Proposes("mute", withhold=["alice"])])
    found = await parts(story)
    assert (list(found), found["alice"].role, found["alice"].confidence) == (["alice"], "speaker", 1)


async def test_withholding_beats_adding_whoever_comes_first(begin: Begin) -> None:
    no, yes = Proposes("no", withhold=["bob", "charlie"]), Proposes("yes", add=["charlie", "dana"])
    for plugins in ([no, yes], [yes, no]):
        found = await parts(await begin(cast=FOUR, detector=Believes(bob=1.0), plugins=plugins))
        assert list(found) == ["alice", "dana"]
        assert found["dana"].evidence == ("plugin:yes: I say so",)


async def test_the_host_s_word_beats_detector_agent_and_plugins(begin: Begin) -> None:
    plugins = [Proposes("no", withhold=["bob"]), Proposes("yes", add=["dana"])]
    story = await begin(cast=FOUR, detector=Believes(bob=0.7, charlie=1.0), plugins=plugins)
    found = await parts(story, audience=["bob"])
    assert list(found) == ["alice", "bob"]
    assert found["bob"] == Participant(role="overhearing", confidence=1, evidence=("the host said so", "a hunch"))


async def test_the_detector_is_not_shown_the_host_s_word(begin: Begin, directions: Any) -> None:
    story = await begin(detector=directions)
    await parts(story, audience=["bob"])
    assert directions.moments[0].message.present is None


async def test_a_world_agent_may_name_the_participants_itself(begin: Begin) -> None:
    class Decides:
        def propose(self, event: WorldAgentEvent) -> WorldAnswer:
            likely = Participant(role="addressee", confidence=0.8, evidence=("read it",))
            unlikely = Participant(role="present", confidence=0.2)
            return WorldAnswer(participants={"charlie": likely, "dana": unlikely, "zoltan": likely})

    story = await begin(cast=FOUR, detector=Believes(bob=1.0), world_agent=Decides())
    found = await parts(story)
    assert list(found) == ["alice", "charlie"]
    assert found["charlie"].evidence == ("read it",)


class NamesAll:
    """A World Agent that names the whole cast."""

    def propose(self, event: WorldAgentEvent) -> WorldAnswer:
        return WorldAnswer(participants=dict.fromkeys(event.cast.ids, Participant(role="present", confidence=1)))


async def heard_by(story: Session, speaker: str, content: str, **more: Any) -> list[str]:
    return list((await (await story.say(speaker, content, **more)).settled()).participants)


@pytest.mark.parametrize("detector", [Believes(), "rules"])
async def test_a_world_agent_adds_nobody_who_is_in_another_place_than_the_speaker(begin: Begin, detector: Any) -> None:
    more = {"detector": detector, "world_agent": NamesAll(), "state": {"current_scene": "tavern"}}
    story = await begin(cast=FOUR, present=["alice", "bob", "dana"], **more)
    await story.move("alice", "cellar")
    await story.move("charlie", "cellar")
    await story.move("dana", "cellar/vault")
    assert await heard_by(story, "alice", "The gold is mine.") == ["alice", "charlie"]
    assert await heard_by(story, "bob", "Where is she?") == ["bob"]
    assert await heard_by(story, "dana", "It is dark.") == ["dana"]
    assert await heard_by(story, "alice", "Good evening.", present=["alice", "bob"]) == ["alice", "bob"]
    assert await heard_by(story, "alice", "Good evening.") == ["alice", "bob"]


async def test_it_adds_nobody_who_stayed_behind_to_what_is_said_after_a_message_at_a_place(begin: Begin) -> None:
    story = await begin(cast=FOUR, present=FOUR, detector="rules", world_agent=NamesAll())
    assert await heard_by(story, "alice", "It is dark.", place="cellar") == ["alice"]
    assert await heard_by(story, "alice", "The gold is mine.") == ["alice"]
    await story.enter("alice")
    assert await heard_by(story, "alice", "Hello.") == list(FOUR)


class Moves:
    """A detector that admits nobody, and lets the speaker move."""

    def __init__(self, movement: dict[str, Any]) -> None:
        self.movement = movement

    def detect(self, moment: Moment) -> Presence:
        who = {"character": moment.message.speaker}
        return Presence(characters={}, movements=(Movement.model_validate(who | self.movement),))


@pytest.mark.parametrize(
    ("movement", "heard"),
    [
        ({"kind": "enter"}, ["alice", "bob", "charlie"]),
        ({"kind": "leave"}, ["alice", "charlie"]),
        ({"kind": "move", "place": "attic"}, ["alice", "charlie", "dana"]),
    ],
)
async def test_a_message_in_which_its_speaker_moves_is_said_at_both_places(
    begin: Begin, movement: dict[str, Any], heard: list[str]
) -> None:
    story = await begin(cast=FOUR, present=["bob"], detector=Moves(movement), world_agent=NamesAll())
    await story.move("alice", "cellar")
    await story.move("charlie", "cellar")
    await story.move("dana", "attic")
    assert await heard_by(story, "alice", "Hello.") == heard


async def test_a_narration_is_where_those_are_who_perceive_it(begin: Begin) -> None:
    cast = ("alice", "bob", "charlie", Character("teller", kind="narrator"))
    story = await begin(cast=cast, present=["bob"], detector=Believes(alice=1.0), world_agent=NamesAll())
    await story.move("alice", "cellar")
    await story.move("charlie", "cellar")
    assert set(await heard_by(story, "teller", "The gold shines.")) == {"teller", "alice", "charlie"}


class Calls(Believes):
    """A detector by which Charlie is on a call with the scene."""

    def detect(self, moment: Moment) -> Presence:
        call = Movement(character="charlie", kind="become", condition="on_call")
        return super().detect(moment).model_copy(update={"movements": (call,)})


@pytest.mark.parametrize(("detector", "hears"), [(Calls(), False), (Calls(charlie=1.0), True)])
async def test_who_is_on_a_call_hears_what_is_said_apart_from_the_scene_by_the_detector_s_word_alone(
    begin: Begin, detector: Believes, hears: bool
) -> None:
    story = await begin(cast=FOUR, present=["alice", "bob", "charlie"], detector=detector, world_agent=NamesAll())
    await heard_by(story, "alice", "Hello.")
    assert story.state.whereabouts["charlie"].condition == "on_call"
    assert await heard_by(story, "alice", "Hello.") == list(
        FOUR[:3]
    )  # Dana was not among those present, and is nowhere
    await story.move("alice", "cellar")
    assert await heard_by(story, "alice", "The gold is mine.") == ["alice", *["charlie"] * hears]


async def test_nobody_outside_the_cast_takes_part_whoever_names_them(begin: Begin) -> None:
    plugin = Proposes("yes", add=["ximena"], withhold=["alcie"])
    story = await begin(detector=Believes(zoltan=1.0, bob=1.0), plugins=[plugin])
    settled = await (await story.say("alice", "Hello.")).settled()
    assert list(settled.participants) == ["alice", "bob"]
    assert [(each.by, each.failure) for each in settled.failures] == [
        ("detector:believes", "named 'zoltan', who are not in the cast; ignored"),
        ("plugin:yes", "named 'ximena', 'alcie', who are not in the cast; ignored"),
    ]


# ── who fails decides nothing ───────────────────────────────────────────────────────────────────────────────────────


def fails(*_: object) -> Any:
    raise ValueError("out of order")


def silent(*_: object) -> Any:
    return None


def mumbles(*_: object) -> Any:
    return ["yes"]


async def test_a_detector_that_fails_leaves_the_speaker_alone(begin: Begin) -> None:
    for method, failure in ((fails, "ValueError: out of order"), (silent, "no answer"), (mumbles, "answered list")):
        detector = type("Detector", (), {"detect": method})()
        story = await begin(detector=detector, present=["bob"], strict=False)
        settled = await (await story.say("alice", "Hello.")).settled()
        assert (list(settled.participants), settled.degraded) == (["alice"], True)
        assert (settled.failures[0].failure or "").startswith(failure)


async def test_a_sharing_rule_that_fails_shares_nothing_and_is_named(begin: Begin, memories: Memories) -> None:
    class Shares:
        def share(self, event: SharingEvent) -> Iterable[Share]:
            return [Share(character="charlie", shared_from="bob"), Share(character="zoltan")]

    for method in (fails, mumbles):
        broken = type("Broken", (), {"share": method})()
        story = await begin(cast=FOUR, sharing_rules=[broken, Shares()], strict=False)
        settled = await (await story.say("alice", "Hello.", audience=["bob"])).settled()
        assert [answer.by for answer in settled.failures] == ["sharing_rule:broken", "sharing_rule:shares"]
        assert [len(await memories(story, id)) for id in FOUR] == [1, 1, 1, 0]


async def test_who_does_not_know_it_can_tell_nobody(begin: Begin, memories: Memories) -> None:
    class Rumours:
        def share(self, event: SharingEvent) -> Iterable[Share]:
            return [Share(character="dana", shared_from="charlie"), Share(character="bob", shared_from="dana")]

    story = await begin(cast=FOUR, sharing_rules=[Rumours()])
    await story.say("alice", "Hello.", audience=[])
    assert [len(await memories(story, id)) for id in FOUR] == [1, 0, 0, 0]
    await story.say("alice", "Hello again.", audience=["charlie"])
    assert [len(await memories(story, id)) for id in FOUR] == [2, 1, 1, 1]


class Guards:
    """A guard whose parts may break."""

    def filter(self, event: ReadEvent) -> Filter:
        return EVERYTHING

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        return ()


@pytest.mark.parametrize("method", [fails, mumbles])
async def test_a_guard_that_fails_withholds_all_but_the_speaker_s_own(
    begin: Begin, memories: Memories, method: Callable[..., Any]
) -> None:
    guard = type("Broken", (Guards,), {"strike": method})()
    story = await begin(guards=[Guards(), guard], strict=False)
    settled = await (await story.say("alice", "Hello.", audience=["bob"])).settled()
    assert [answer.by for answer in settled.failures] == ["guard:broken"]
    assert settled.degraded
    assert [len(await memories(story, id)) for id in ("alice", "bob", "world")] == [1, 0, 1]


@pytest.mark.parametrize("method", [fails, silent, mumbles])
async def test_a_guard_that_fails_in_a_recall_withholds_everything_and_is_named(
    begin: Begin, method: Callable[..., Any]
) -> None:
    guard = type("Broken", (Guards,), {"filter": method})()
    story = await begin(guards=[guard, Guards()], strict=False)
    await story.say("alice", "Hello.", audience=["bob"])
    turn = await story.turn("bob", in_prompt=[])
    assert turn.memories == ()
    assert [failure.split(":")[1] for failure in turn.failures] == ["broken"]


@pytest.mark.parametrize(
    ("kind", "method"), [("detector", "detect"), ("world_agent", "propose"), ("sharing_rules", "share")]
)
async def test_strict_raises_for_a_strategy_that_fails(begin: Begin, kind: str, method: str) -> None:
    broken = type("Broken", (), {method: fails})()
    story = await begin(**{kind: [broken] if kind.endswith("s") else broken}, strict=True)
    with pytest.raises(StrategyError, match="out of order"):
        await (await story.say("alice", "Hello.")).settled()


@pytest.mark.parametrize(("present", "heard"), [([], ["alice", "bob", "fay"]), (["alice", "bob"], ["alice", "bob"])])
async def test_whom_the_host_did_not_say_to_be_present_no_world_agent_adds(
    begin: Begin, present: list[str], heard: list[str]
) -> None:
    class Names:
        def propose(self, event: WorldAgentEvent) -> WorldAnswer:
            said = Participant(role="present", confidence=1, evidence=("I say so",))
            return WorldAnswer(participants=dict.fromkeys(("bob", "fay"), said))

    cast = ["alice", "bob", "fay"]
    story = await begin(cast=cast, present=present, detector=Believes(bob=1.0), world_agent=Names())
    assert story.state.present_told is bool(present)
    assert list(await parts(story)) == heard
    await story.enter("fay")
    assert list(await parts(story)) == cast  # the host has placed her
