"""A channel says where something was heard: on messages, turns, reads and in memories; a guard may go by it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence

import pytest

from earwitness import (
    Channel,
    Character,
    Memory,
    Moment,
    Participant,
    PlanEvent,
    Presence,
    ReadAnswer,
    ReadEvent,
    Session,
    Strike,
    WorldAgentEvent,
    WorldAnswer,
)
from earwitness.errors import InputError
from earwitness.filters import equals

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]
GUILD = Channel(context="public_channel", channel_id="c1", guild_id="g1", persona_id="nomad")


class Discreet:
    """In public, what was said in a direct message is known but not sayable."""

    def __init__(self) -> None:
        self.events: list[ReadEvent] = []

    def filter(self, event: ReadEvent) -> ReadAnswer:
        self.events.append(event)
        if event.channel.context != "public_channel":
            return ReadAnswer()
        return ReadAnswer(unsayable=equals("contextType", "dm"), reason="it was said in confidence")

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        return ()


async def test_a_channel_stands_in_the_metadata_of_every_copy(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.say("alice", "Hello.", present=["bob"], channel=GUILD)
    for owner in ("alice", "bob", "world"):
        (memory,) = await memories(story, owner)
        named = {key: memory.metadata.get(key) for key in ("contextType", "channelId", "guildId", "personaId")}
        assert named == {"contextType": "public_channel", "channelId": "c1", "guildId": "g1", "personaId": "nomad"}


async def test_ids_that_the_host_does_not_give_stand_nowhere(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.say("alice", "Hello.", context="dm")
    (memory,) = await memories(story, "alice")
    assert memory.metadata["contextType"] == "dm"
    assert not {"channelId", "guildId", "personaId"} & set(memory.metadata)


async def test_a_turn_is_said_where_it_was_begun(begin: Begin, memories: Memories) -> None:
    story = await begin()
    turn = await story.turn("alice", channel=GUILD)
    await turn.say("Hello.")
    await turn.say("In confidence.", context="dm")
    first, second = await memories(story, "alice")
    assert (first.metadata["channelId"], first.metadata["contextType"]) == ("c1", "public_channel")
    assert (second.metadata.get("channelId"), second.metadata["contextType"]) == (None, "dm")


async def test_everybody_who_is_asked_is_told_the_channel(begin: Begin) -> None:
    seen: list[Channel] = []

    class Ears:
        def detect(self, moment: Moment) -> Presence:
            seen.append(moment.channel)
            return Presence.only(moment.message.speaker)

    class Agent:
        def propose(self, event: WorldAgentEvent) -> WorldAnswer:
            seen.append(event.channel)
            assert (event.session, event.day) == ("s1", 1)
            return WorldAnswer()

    story = await begin(detector=Ears(), world_agent=Agent(), guards=[guard := Discreet()])
    await (await story.say("alice", "Hello.", channel=GUILD)).settled()
    await story.turn("alice", channel=GUILD)
    assert seen == [GUILD, GUILD]
    assert [event.channel for event in guard.events] == [GUILD]


async def test_what_is_known_but_not_sayable_here_is_recalled_and_marked(begin: Begin) -> None:
    story = await begin(guards=[Discreet()])
    await story.say("alice", "The sword is mine.", key="m1", present=["bob"], context="dm")
    await story.say("alice", "The weather is fine.", key="m2", present=["bob"], context="public_channel")
    public = await story.turn("bob", query="sword weather", in_prompt=[], context="public_channel")
    marks = {each.memory.message_keys[0]: (each.sayable, each.unsayable) for each in public.memories}
    assert marks == {"m1": (False, "it was said in confidence"), "m2": (True, None)}
    private = await story.turn("bob", query="sword weather", in_prompt=[], context="dm")
    assert all(each.sayable for each in private.memories)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"channel": "dm"}, r"channel 'dm' must be a Channel\("),
        ({"context": "pub"}, "context 'pub' must be one of dm, private_channel, public_channel"),
        ({"channel": GUILD, "context": "dm"}, "context 'dm' contradicts the channel's 'public_channel'"),
    ],
)
async def test_a_channel_that_is_none_is_refused(begin: Begin, given: dict[str, object], said: str) -> None:
    story = await begin()
    with pytest.raises(InputError, match=said):
        await story.say("alice", "Hello.", **given)  # type: ignore[arg-type]


async def test_a_world_agent_narrows_and_names_only_who_could_have_perceived_it(begin: Begin) -> None:
    class Agent:
        def propose(self, event: WorldAgentEvent) -> WorldAnswer:
            part = Participant(role="present", confidence=1)
            return WorldAnswer(participants=dict.fromkeys(("alice", "Bob", "charlie", "dana", "nobody"), part))

    cast = ["alice", Character("bob", aliases=["Robert"]), "charlie", "dana"]
    story = await begin(cast=cast, world_agent=Agent(), detector="none", strict=False, present=["alice", "bob"])
    await story.move("charlie", "cellar")
    settled = await (await story.say("alice", "Hello.")).settled()
    assert list(settled.participants) == ["alice", "bob", "dana"]
    (failure,) = settled.failures
    assert failure.failure == "named 'nobody', who are not in the cast; ignored"


def test_a_character_is_the_same_personality_across_sessions_by_its_id() -> None:
    assert Character("alice").personality_id == "alice"
    nomad = Character("nomad", kind="persona", user_id="u1", persona_id="p1", personality_id="wanderer")
    assert (nomad.user_id, nomad.persona_id, nomad.personality_id) == ("u1", "p1", "wanderer")
