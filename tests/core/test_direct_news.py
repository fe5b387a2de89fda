"""What happens in a direct message is no news anywhere else, and a channel with its id is another channel."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from earwitness import Channel, Session

Begin = Callable[..., Awaitable[Session]]
DM = Channel(context="dm", channel_id="42")
PUBLIC = Channel(context="public_channel", channel_id="42")


async def test_what_is_done_in_a_direct_message_is_no_news_in_public(begin: Begin) -> None:
    story = await begin(world_agent={"name": "rules"}, plugins=[])
    await story.say("alice", "*slaps Bob*", channel=DM, audience=["bob"])
    await story.say("charlie", "Nice weather.", channel=PUBLIC, audience=["alice", "bob"])
    await story.delivered()
    for who in ("alice", "bob"):
        memories = (await story.backstage().inspect(who)).memories
        public = [each.content for each in memories if each.metadata["contextType"] == "public_channel"]
        assert len(public) == 1
        assert "slap" not in public[0]


async def test_it_is_news_in_the_same_direct_message(begin: Begin) -> None:
    story = await begin(world_agent={"name": "rules"})
    await story.say("alice", "*slaps Bob*", channel=DM, audience=["bob"])
    outcome = await (await story.say("alice", "You know why.", channel=DM, audience=["bob"])).settled()
    assert any("slap" in line for line in outcome.knowledge.get("bob", ()))


async def test_a_public_channel_with_a_direct_messages_id_does_not_replace_its_members(begin: Begin) -> None:
    story = await begin()
    await story.channel(DM, ["alice", "bob"])
    await story.channel(PUBLIC, ["alice", "bob", "charlie"])
    outcome = await (await story.say("bob", "Between us: the code is XYLO.", channel=DM)).settled()
    assert "charlie" not in outcome.participants
    assert sorted(story.state.channels) == ["42", "dm/42"]
