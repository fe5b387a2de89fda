"""Sharing rules pass on what could be perceived: nobody tells a thought, or what is muttered to oneself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence

import pytest

from earwitness import Memory, Moment, Perceived, Presence, Session
from earwitness.events import Share, SharingEvent
from earwitness.records.message import Message, Participant, SettledMessage
from earwitness.records.moment import Segment
from earwitness.testing.scripted import ByScript, Retold

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]

BOTH = "Welcome. {thinks: I poisoned his wine.}"
THOUGHT = "{thinks: I poisoned his wine.}"


class Tells:
    """A sharing rule: Alice tells Charlie, with these further fields. Keeps the events it was asked about."""

    def __init__(self, **share: object) -> None:
        self.share_ = Share.model_validate({"character": "charlie", "shared_from": "alice", **share})
        self.asked: list[SharingEvent] = []

    def share(self, event: SharingEvent) -> Iterable[Share]:
        self.asked.append(event)
        return [self.share_]


class InPieces:
    """A detector that everybody named perceives a message in these pieces."""

    def __init__(self, *segments: Segment, there: Iterable[str] = ("alice", "bob")) -> None:
        self.segments, self.there = segments, there

    def detect(self, moment: Moment) -> Presence:
        present = Perceived(probability=1, role="present")
        return Presence(characters=dict.fromkeys(self.there, present), segments=self.segments)


async def texts(memories: Memories, story: Session, owner: str) -> list[str]:
    await story.delivered()
    return [
        each.content.split("Message: Alice: ")[1].rpartition(" GameDay")[0] for each in await memories(story, owner)
    ]


@pytest.mark.parametrize("teller", ["alice", None])
async def test_a_thought_is_not_told_with_the_rest(begin: Begin, memories: Memories, teller: str | None) -> None:
    rule = Tells(shared_from=teller)
    story = await begin(present=["alice", "bob"], detector=ByScript(), sharing_rules=[rule])
    await story.say("alice", BOTH)
    assert await texts(memories, story, "charlie") == ["Welcome."]
    assert await texts(memories, story, "alice") == [BOTH]


async def test_a_rule_is_shown_what_may_be_told(begin: Begin) -> None:
    rule = Tells()
    story = await begin(present=["alice", "bob"], detector=ByScript(), sharing_rules=[rule])
    settled = await (await story.say("alice", BOTH)).settled()
    (asked,) = rule.asked
    assert asked.moment is not None
    assert {asked.message.content, asked.message.heard_by("alice"), asked.moment.message.content} == {"Welcome."}
    assert settled.plan.message is not None
    assert settled.plan.message.content == BOTH


async def test_a_message_of_nothing_but_thoughts_is_told_to_nobody(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice", "bob"], detector=ByScript(), sharing_rules=[Tells(), Tells(content="Psst.")])
    await story.say("alice", THOUGHT)
    assert await texts(memories, story, "charlie") == []
    assert (await story.backstage().preview("alice", THOUGHT)).tellings == ()


async def test_a_rule_with_words_of_its_own_tells_those(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice", "bob"], detector=ByScript(), sharing_rules=[Tells(content="She greeted us.")])
    await story.say("alice", BOTH)
    assert await texts(memories, story, "charlie") == ["She greeted us."]


async def test_a_thought_that_an_edit_adds_is_not_told(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice", "bob"], detector=ByScript(), sharing_rules=[Tells()])
    await story.say("alice", "Good day.", key="m")
    await story.edit("m", BOTH)
    assert await texts(memories, story, "charlie") == ["Welcome."]


async def test_a_whisper_that_the_teller_knows_is_told(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice", "bob"], detector=ByScript(), sharing_rules=[Tells()])
    await story.say("alice", "Welcome. {to bob: The wine is bad.}")
    assert await texts(memories, story, "charlie") == ["Welcome. {to bob: The wine is bad.}"]


@pytest.mark.parametrize(
    ("kind", "audience", "told"),
    [
        ("aside", (), "Welcome."),
        ("aside", ("bob",), "Welcome. Hm."),
        ("ooc", None, "Welcome."),
        ("thought", None, "Welcome. Hm."),
    ],
)
async def test_what_is_told_is_what_others_could_perceive(
    begin: Begin, memories: Memories, kind: str, audience: tuple[str, ...] | None, told: str
) -> None:
    pieces = (
        Segment(text="Welcome.", kind="spoken"),
        Segment.model_validate({"text": "Hm.", "kind": kind, "audience": audience}),
    )
    story = await begin(detector=InPieces(*pieces), sharing_rules=[Tells(shared_from=None)])
    await story.say("alice", "Welcome. Hm.")
    assert await texts(memories, story, "charlie") == [told]


async def test_whoever_a_narrator_says_is_thinking_does_not_tell_it(begin: Begin, memories: Memories) -> None:
    pieces = Segment(text="It rains.", kind="action"), Segment(text="Bob is afraid.", kind="thought", audience=("bob",))
    rule = Retold(Share(character="charlie", shared_from="bob"))
    story = await begin(detector=InPieces(*pieces), sharing_rules=[rule])
    await story.say("alice", "It rains. Bob is afraid.")
    assert await texts(memories, story, "bob") == ["It rains. Bob is afraid."]
    assert await texts(memories, story, "charlie") == ["It rains."]


async def test_nobody_tells_a_thought_when_a_rumour_arrives(begin: Begin, memories: Memories) -> None:
    """The rule is asked again on that day, and may name the speaker as the teller."""

    class Late:
        def share(self, event: SharingEvent) -> Iterable[Share]:
            if event.arrived:
                assert event.message.content == "Welcome."
                return [Share(character="charlie", shared_from="alice")]
            return [Share(character="bob", shared_from="alice", due=2)]

    story = await begin(present=["alice"], detector=ByScript(), sharing_rules=[Late()])
    await story.say("alice", BOTH)
    await story.change(game_day=2)
    assert await texts(memories, story, "bob") == ["Welcome."]
    assert await texts(memories, story, "charlie") == ["Welcome."]


async def test_telling_a_memory_leaves_thoughts_out(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice"], detector=ByScript())
    await story.say("alice", BOTH, key="both")
    await story.say("alice", THOUGHT, key="thought")
    await story.tell("alice", "bob", "both")
    settled = await (await story.tell("alice", "bob", "thought")).settled()
    assert "it was only thought" in str(settled.failures)
    assert await texts(memories, story, "bob") == ["Welcome."]
    await story.tell("alice", "charlie", "thought", content="I did it.")
    assert await texts(memories, story, "charlie") == ["I did it."]


def test_what_was_settled_before_thoughts_were_kept_is_told_as_it_was() -> None:
    message = Message(
        key="m", sequence=1, speaker="alice", content="Hm.", game_day=1, scene="", timestamp="2026-01-01T00:00:00Z"
    )
    there = {id: Participant(role="present", confidence=1) for id in ("alice", "bob")}
    settled = SettledMessage(message=message, participants=there, heard={"bob": ""})
    assert settled.as_tellable() is settled
    assert (settled.tellable_by("alice"), settled.tellable_by("bob")) == ("Hm.", "")
