"""What happens in a direct message or a private channel is not news anywhere else, and waits there to be told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

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


CELLAR = Channel(channel_id="cellar", guild_id="g1")
KIM, LEE = (Channel(context="dm", persona_id=name) for name in ("kim", "lee"))
SQUARE = Channel(context="public_channel", channel_id="square", guild_id="g1")
ELSEWHERE = {
    DM: [PUBLIC, CELLAR, Channel(context="dm", channel_id="43"), Channel(context="dm")],
    KIM: [LEE, DM, PUBLIC],
    CELLAR: [PUBLIC, DM, Channel(channel_id="cellar"), Channel()],
    Channel(): [CELLAR, PUBLIC, DM],
    SQUARE: [PUBLIC, DM, Channel(context="public_channel", channel_id="square", guild_id="g2")],
}


async def test_news_of_a_guild_is_told_in_all_its_channels(begin: Begin) -> None:
    story = await begin(world_agent={"name": "rules"})
    await story.say("alice", "*picks up the Sacred Sword*", channel=SQUARE, audience=["bob", "charlie"])
    market = SQUARE.model_copy(update={"channel_id": "market"})
    for who, channel in (("bob", market), ("charlie", CELLAR)):
        await story.say("alice", "Nice.", channel=PUBLIC, audience=[who])
        outcome = await (await story.say("alice", "Nice.", channel=channel, audience=[who])).settled()
        assert any("Sword" in line for line in outcome.knowledge[who])


@pytest.mark.parametrize("where", ELSEWHERE, ids=str)
async def test_news_of_a_channel_waits_for_the_next_message_there(begin: Begin, where: Channel) -> None:
    story = await begin(world_agent={"name": "rules"})
    told = {"channel": where, "audience": ["bob"]}
    await story.say("alice", "*picks up the Sacred Sword*", **told)
    for other in ELSEWHERE[where]:
        outcome = await (await story.say("charlie", "Nice.", channel=other, audience=["alice", "bob"])).settled()
        assert not any("Sword" in line for who in ("alice", "bob") for line in outcome.knowledge.get(who, ())), other
    outcome = await (await story.say("alice", "You know why.", **told)).settled()
    assert outcome.knowledge["bob"] == ("Alice picked up the Sacred Sword. GameDay: 1",)
    again = await (await story.say("alice", "Do you?", **told)).settled()
    assert not again.knowledge.get("bob")


async def test_news_of_a_public_channel_is_told_anywhere(begin: Begin) -> None:
    story = await begin(world_agent={"name": "rules"})
    await story.say("alice", "*picks up the Sacred Sword*", channel=PUBLIC, audience=["bob"])
    outcome = await (await story.say("charlie", "Nice.", channel=CELLAR, audience=["bob"])).settled()
    assert any("Sword" in line for line in outcome.knowledge["bob"])


async def test_a_public_channel_with_a_direct_messages_id_does_not_replace_its_members(begin: Begin) -> None:
    story = await begin()
    await story.channel(DM, ["alice", "bob"])
    await story.channel(PUBLIC, ["alice", "bob", "charlie"])
    outcome = await (await story.say("bob", "Between us: the code is XYLO.", channel=DM)).settled()
    assert "charlie" not in outcome.participants
    assert sorted(story.state.channels) == ["dm/42", "public/42"]


async def test_news_told_first_in_a_direct_message_is_told_once_more_outside_it(begin: Begin) -> None:
    story = await begin(world_agent={"name": "rules"})
    await story.update("The mill burned down", audience="public")

    async def told(channel: Channel | None) -> bool:
        outcome = await (await story.say("alice", "Hello.", channel=channel, audience=["bob"])).settled()
        return bool(outcome.knowledge.get("bob"))

    assert [await told(channel) for channel in (DM, KIM, DM, CELLAR, PUBLIC, KIM, SQUARE, CELLAR, DM)] == [
        True,
        True,
        False,
        True,
        True,
        False,
        False,
        False,
        False,
    ]


async def test_news_whose_message_was_retracted_is_told_again_where_it_was_told(begin: Begin) -> None:
    story = await begin(world_agent={"name": "rules"})
    await story.update("The mill burned down", audience="public")
    await story.say("alice", "Hello.", key="m1", channel=DM, audience=["bob"])
    await story.retract("m1")
    outcome = await (await story.say("alice", "Hello again.", channel=DM, audience=["bob"])).settled()
    assert outcome.knowledge["bob"] == ("The mill burned down. GameDay: 1",)
