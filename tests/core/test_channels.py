"""A channel says where something was heard: on messages, turns, reads and in memories; a guard may go by it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from earwitness import (
    Channel,
    Character,
    Earwitness,
    Memory,
    Moment,
    Participant,
    PlanEvent,
    Presence,
    ReadAnswer,
    ReadEvent,
    Session,
    Strike,
    Turn,
    WorldAgentEvent,
    WorldAnswer,
)
from earwitness.errors import InputError, InvalidId, SettingsError
from earwitness.filters import EVERYTHING, equals
from earwitness.records.channel import StandingChannel

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]
GUILD = Channel(context="public_channel", channel_id="c1", guild_id="g1", persona_id="nomad")
PROMPT = "###SUPERMEMORY###"


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
    await story.say("alice", "Hello.", audience=["bob"], channel=GUILD)
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
    await story.say("alice", "The sword is mine.", key="m1", audience=["bob"], context="dm")
    await story.say("alice", "The weather is fine.", key="m2", audience=["bob"], context="public_channel")
    public = await story.turn("bob", query="sword weather", in_prompt=[], context="public_channel")
    marks = {each.memory.message_keys[0]: (each.sayable, each.unsayable) for each in public.memories}
    assert marks == {"m1": (False, "it was said in confidence"), "m2": (True, None)}
    private = await story.turn("bob", query="sword weather", in_prompt=[], context="dm")
    assert all(each.sayable for each in private.memories)


async def test_a_guard_says_how_it_was_learned_and_adds_a_note_above_what_it_has_marked(begin: Begin) -> None:
    class Noting(Discreet):
        def filter(self, event: ReadEvent) -> ReadAnswer:
            how = "said in a {contextType}, on {gameDay}"
            return super().filter(event).model_copy(update={"reason": how, "note": "Bob is listening."})

    story = await begin(guards=[Noting()])
    await story.say("alice", "The sword is mine.", audience=["bob"], context="dm")
    await story.say("alice", "The shield is mine, too.", audience=["bob"], context="dm")
    await story.say("alice", "The weather is fine.", audience=["bob"], context="public_channel")
    turn = await story.turn("bob", query="sword", in_prompt=[], context="public_channel")
    assert [each.unsayable for each in turn.memories if not each.sayable] == ["said in a dm, on {gameDay}"] * 2
    assert turn.notes == ("Bob is listening.",)
    assert "Bob is listening.\n1. " in turn.text()
    weather = await story.turn("bob", query="weather", in_prompt=[], context="public_channel", memories=1)
    assert ([each.sayable for each in weather.memories], weather.notes) == ([True], ())


MARK = "(Not to be said here: it was said in confidence)"


async def in_public(begin: Begin, **given: Any) -> Turn:
    """Bob's turn in public; he remembers a message that was said in confidence, and one that was not."""
    story = await begin(guards=[Discreet()], **given)
    await story.say("alice", "The sword is mine.", audience=["bob"], context="dm")
    await story.say("alice", "The weather is fine.", audience=["bob"], context="public_channel")
    return await story.turn("bob", query="sword weather", in_prompt=[], context="public_channel")


@pytest.mark.parametrize("format", ["numbered", "plain", "json"])
async def test_a_memory_that_must_not_be_said_here_is_marked_in_the_prompt(begin: Begin, format: str) -> None:
    turn = await in_public(begin)
    for block in (turn.text(format=format), turn.text("memories", format=format), turn.fill(PROMPT, format=format)):
        assert block.index("sword is mine") < block.index(MARK) < block.index("weather is fine")
        assert block.count(MARK) == 1
    assert f"The sword is mine.\n   {MARK}\n2." in turn.text()
    assert f"GameDay: 1\n   {MARK}\n2." in turn.text(style="stored")


@pytest.mark.parametrize("format", ["numbered", "plain", "json"])
async def test_or_it_is_left_out(begin: Begin, format: str) -> None:
    turn = await in_public(begin, fill={"unsayable": "leave_out", "format": format})
    for block in (turn.text(), turn.text("memories"), turn.fill(PROMPT)):
        assert ("sword" in block, "Not to be said" in block, "weather is fine" in block) == (False, False, True)
    assert [each.sayable for each in turn.memories] == [False, True]


async def test_where_everything_is_left_out_there_is_no_block(begin: Begin) -> None:
    turn = await in_public(begin)
    secret = [each for each in turn.memories if not each.sayable]
    assert turn.fill(PROMPT, secret, unsayable="leave_out") == ""


async def test_the_reason_is_one_line_that_neither_ends_the_block_nor_is_filled(begin: Begin) -> None:
    class Shouting(Discreet):
        def filter(self, event: ReadEvent) -> ReadAnswer:
            return ReadAnswer(unsayable=EVERYTHING, reason="hush\n</earwitness-memories> {{mine}}")

    story = await begin(guards=[Shouting()])
    await story.say("alice", "The sword is mine.", audience=["bob"])
    block = (await story.turn("bob", query="sword", in_prompt=[])).text(placeholders=["{{mine}}"])
    assert "(Not to be said here: hush &lt;/earwitness-memories> {\\{mine}})" in block
    assert (block.count("</earwitness-memories>"), block.count("{{mine}}")) == (1, 0)


async def test_how_unsayable_memories_are_shown_is_one_of_two(begin: Begin) -> None:
    turn = await in_public(begin)
    with pytest.raises(SettingsError, match="unsayable"):
        turn.fill(PROMPT, unsayable="hide")


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
    story = await begin(cast=cast, world_agent=Agent(), detector="none", strict=False)
    await story.enter("alice", "bob")
    await story.move("charlie", "cellar")
    settled = await (await story.say("alice", "Hello.")).settled()
    assert list(settled.participants) == ["alice", "bob", "dana"]
    (failure,) = settled.failures
    assert failure.failure == "named 'nobody', who are not in the cast; ignored"


class NamesAll:
    """A World Agent that takes everybody to be there."""

    def propose(self, event: WorldAgentEvent) -> WorldAnswer:
        return WorldAnswer(participants=dict.fromkeys(event.cast.ids, Participant(role="present", confidence=1)))


@pytest.mark.parametrize(
    ("said", "given", "heard"),
    [
        ('*whispers to Bob* "Trust nobody."', {}, ["alice", "bob"]),
        ("[Bob must not know.]", {}, ["alice"]),
        ("Trust nobody.", {"context": "dm"}, ["alice"]),
        ("Good evening.", {}, ["alice", "bob", "charlie"]),
    ],
)
async def test_a_world_agent_adds_nobody_to_a_whisper_a_thought_or_a_direct_message(
    begin: Begin, said: str, given: dict[str, Any], heard: list[str]
) -> None:
    story = await begin(cast=["alice", "bob", "charlie", "dana"], world_agent=NamesAll(), detector="rules")
    await story.move("dana", "cellar")
    for each in ("bob", "charlie"):
        await story.say(each, "Hello.")
    assert list((await (await story.say("alice", said, **given)).settled()).participants) == heard


async def test_where_the_detector_fails_a_world_agent_adds_nobody(begin: Begin) -> None:
    class Fails:
        def detect(self, moment: Moment) -> Presence:
            raise RuntimeError

    story = await begin(world_agent=NamesAll(), detector=Fails(), strict=False)
    assert list((await (await story.say("alice", "Hello.")).settled()).participants) == ["alice"]


def test_a_character_is_the_same_personality_across_sessions_by_its_id() -> None:
    assert Character("alice").personality_id == "alice"
    nomad = Character("nomad", kind="persona", user_id="u1", persona_id="p1", personality_id="wanderer")
    assert (nomad.user_id, nomad.persona_id, nomad.personality_id) == ("u1", "p1", "wanderer")


@pytest.mark.parametrize("given", ["*", Character("eve", personality_id="*")])
async def test_nobody_is_everybody(begin: Begin, given: Character | str) -> None:
    story = await begin()
    with pytest.raises(InvalidId, match=r"personality id '\*' stands for everybody in memberships"):
        await story.join(given)
    await story.join(Character("*", personality_id="star"))


LETTERS = Channel(context="dm", channel_id="d1")


@pytest.mark.parametrize("where", [Channel(), GUILD, Channel(context="dm", channel_id="d2")], ids=str)
async def test_a_host_is_told_once_that_nothing_withholds_direct_messages(
    begin: Begin, caplog: pytest.LogCaptureFixture, where: Channel
) -> None:
    story = await begin()
    await story.say("alice", "The code is XYLO.", audience=["bob"], channel=LETTERS)
    await story.say("alice", "The soup is cold.", audience=["bob"], channel=LETTERS)
    await story.turn("bob", query="What is the code?", in_prompt=[], channel=LETTERS)
    assert not caplog.records
    for _ in range(2):
        assert "XYLO" in (await story.turn("bob", query="What is the code?", in_prompt=[], channel=where)).text()
    (told,) = caplog.records
    assert "no guard withholds it" in told.getMessage()
    assert "relationships={}" in told.getMessage()


async def test_a_host_with_a_guard_is_told_nothing(begin: Begin, caplog: pytest.LogCaptureFixture) -> None:
    story = await begin(guards=[Discreet()])
    await story.say("alice", "The code is XYLO.", audience=["bob"], channel=LETTERS)
    assert (await story.turn("bob", query="What is the code?", in_prompt=[], channel=GUILD)).memories
    assert not caplog.records


@pytest.mark.parametrize("name", ["channel_id", "guild_id", "persona_id"])
@pytest.mark.parametrize("id", ["", " ", "a\nb"])
async def test_ids_that_may_be_taken_for_none_or_for_several_are_refused(begin: Begin, name: str, id: str) -> None:
    story = await begin()
    channel = Channel(**{name: id})
    refused = f"channel: {name} = .* must not be empty or hold a line break. `None` = no {name}"
    with pytest.raises(InputError, match=refused):
        await story.say("alice", "Hello.", channel=channel)
    with pytest.raises(InputError, match=refused):
        await story.turn("alice", channel=channel)
    with pytest.raises(InputError, match=refused):
        await story.update("It rains", channel=channel)


ALIKE = [
    (Channel(channel_id="a/b"), Channel(channel_id="b", guild_id="a")),
    (Channel(channel_id="c"), Channel(context="public_channel", channel_id="c")),
    (Channel(channel_id="dm/42"), Channel(context="dm", channel_id="42")),
    (Channel(channel_id="42", guild_id="dm"), Channel(context="dm", channel_id="42")),
    (Channel(channel_id="42", guild_id="public"), Channel(context="public_channel", channel_id="42")),
    (Channel(channel_id="dm/42", guild_id="private"), Channel(channel_id="42", guild_id="dm")),
    (Channel(channel_id="a%2Fb"), Channel(channel_id="a/b")),
    (Channel(context="dm", channel_id="a/b"), Channel(context="dm", channel_id="b", guild_id="a")),
]


@pytest.mark.parametrize(("one", "other"), ALIKE, ids=str)
async def test_channels_that_are_written_alike_keep_their_own_members(
    begin: Begin, one: Channel, other: Channel
) -> None:
    story = await begin(detector="rules")
    for first, second in ((one, other), (other, one)):
        await story.channel(first, ["alice", "bob"])
        await story.channel(second, ["alice", "bob", "charlie"])
        outcome = await (await story.say("alice", "Between us: the code is XYLO.", channel=first)).settled()
        assert {*outcome.participants} == {"alice", "bob"}
        outcome = await (await story.say("alice", "Hello, all.", channel=second)).settled()
        assert {*outcome.participants} == {"alice", "bob", "charlie"}


EARLIER = {
    "a/b": Channel(channel_id="a/b"),
    "g7/hall": Channel(context="public_channel", channel_id="hall", guild_id="g7"),
    "square": Channel(context="public_channel", channel_id="square"),
    "dm/42": Channel(context="dm", channel_id="42"),
    "43": Channel(context="dm", channel_id="43"),
}


@pytest.mark.parametrize("key", EARLIER)
async def test_a_channel_under_the_key_of_an_earlier_version_keeps_its_members_until_they_are_set_or_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    where = EARLIER[key]
    async with Earwitness.open(tmp_path / "s.db", embedder="none") as ew:
        story = await ew.session("s1", cast=["alice", "bob", "charlie"])
        with monkeypatch.context() as earlier:
            earlier.setattr(StandingChannel, "name", key)
            await (await story.channel(where, ["alice", "bob"], key="c1")).settled()
        assert list(story.state.channels) == [key]
    async with Earwitness.open(tmp_path / "s.db", embedder="none") as ew:
        story = await ew.session("s1")
        outcome = await (await story.say("alice", "Hush.", channel=where)).settled()
        assert {*outcome.participants} == {"alice", "bob"}
        await (await story.channel(where, ["alice", "charlie"], key="c2")).settled()
        outcome = await (await story.say("alice", "Hush.", channel=where)).settled()
        assert {*outcome.participants} == {"alice", "charlie"}
        await (await story.retract("c2")).settled()
        outcome = await (await story.say("alice", "Hush.", channel=where)).settled()
        assert {*outcome.participants} == {"alice", "bob"}
        await (await story.retract("c1")).settled()
        assert story.state.channels == {}
