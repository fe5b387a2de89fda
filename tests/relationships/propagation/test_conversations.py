"""Rules with `when: conversation` tell one summary once a conversation is closed."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Channel, Character, Earwitness, Session
from earwitness.errors import InputError, StorageError, UnknownName
from earwitness_relationships.model import RelationshipsModel

RULES = """
hotel:
  rules: {share_all_direct_user_interactions: true, share_with: [vaggie], when: conversation, delay: 1}
  members: [charlie, vaggie]
"""
LOBBY = Channel(channel_id="lobby")


@pytest.fixture
async def hotel(open_app: Callable[..., Awaitable[Earwitness]], tmp_path: Path) -> Session:
    (tmp_path / "rules.yaml").write_text(RULES)
    graph = {"name": "networkx", "path": str(tmp_path / "graph.db")}
    ew = await open_app(relationships={"rules": str(tmp_path / "rules.yaml"), "graph": graph})
    cast = [Character("charlie"), Character("vaggie"), Character("sam", kind="persona", user_id="u1")]
    return await ew.session("s1", cast=cast)


async def texts(story: Session, who: str) -> list[str]:
    await story.delivered()
    return [each.content for each in (await story.backstage().inspect(who)).memories]


async def said(story: Session, *lines: str) -> None:
    for line in lines:
        await story.say("sam", line, audience=["charlie"], channel=LOBBY)


async def test_one_summary_is_told_when_the_conversation_is_over(hotel: Any) -> None:
    await said(hotel, "I lost my job.", "And my flat.")
    assert await texts(hotel, "vaggie") == []
    closed = await hotel.close_conversation("lobby")
    assert closed.told == {"vaggie": "Sam: I lost my job.\nSam: And my flat."}
    await hotel.change(game_day=2)
    (told,) = await texts(hotel, "vaggie")
    assert "I lost my job." in told
    assert "And my flat." in told
    turn = await hotel.turn("vaggie", query="job", in_prompt=[], channel=LOBBY)
    assert "Charlie told you (day 2): " in turn.text()


async def test_only_what_was_said_since_is_told_when_it_is_closed_again(hotel: Any) -> None:
    await said(hotel, "I lost my job.")
    await hotel.close_conversation("lobby")
    assert (await hotel.close_conversation("lobby")).told == {}
    await said(hotel, "I found a new one.")
    closed = await hotel.close_conversation("lobby")
    assert closed.told == {"vaggie": "Sam: I found a new one."}


async def test_a_retraction_takes_the_summary_along(hotel: Any) -> None:
    await hotel.say("sam", "I lost my job.", audience=["charlie"], channel=LOBBY, key="m1")
    await hotel.close_conversation("lobby")
    await hotel.change(game_day=2)
    assert len(await texts(hotel, "vaggie")) == 1
    await hotel.retract("m1")
    assert await texts(hotel, "vaggie") == []


NARROW = """
hotel:
  members: [charlie, vaggie, angel]
  relationships:
    - {from: charlie, to: angel, type: friend, rules: {share_direct_interactions: true, when: conversation}}
    - from: charlie
      to: vaggie
      type: friend
      rules: {share_direct_interactions: true, when: conversation, only_about: [alastor]}
"""
TWO_TELLERS = """
hotel:
  rules: {share_direct_interactions: true, share_with: [vaggie], when: conversation}
  members: [charlie, angel, vaggie]
"""


def write(folder: Path, rules: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "rules.yaml").write_text(rules)


async def begun(open_app: Any, tmp_path: Path, rules: str, **strategies: Any) -> Any:
    write(tmp_path, rules)
    graph = {"name": "networkx", "path": str(tmp_path / "graph.db")}
    table = {"rules": str(tmp_path / "rules.yaml"), "graph": graph, **strategies}
    ew = await open_app(relationships=table, path=str(tmp_path / "story.db"), strict=not strategies)
    people = [Character(id) for id in ("charlie", "vaggie", "angel", "alastor")]
    return await ew.session("s1", cast=[*people, Character("sam", kind="persona", user_id="u1")])


async def test_nobody_is_told_what_the_teller_may_tell_to_others_only(open_app: Any, tmp_path: Path) -> None:
    hotel = await begun(open_app, tmp_path, NARROW)
    await said(hotel, "I lost my job.", "Alastor is rude.")
    closed = await hotel.close_conversation("lobby")
    assert closed.told == {"angel": "Sam: I lost my job.\nSam: Alastor is rude.", "vaggie": "Sam: Alastor is rude."}
    assert await texts(hotel, "vaggie") == ["Sam: Alastor is rude."]


async def test_what_another_teller_knows_is_told_as_well(open_app: Any, tmp_path: Path) -> None:
    hotel = await begun(open_app, tmp_path, TWO_TELLERS)
    await hotel.say("sam", "I lost my job.", audience=["charlie"], channel=LOBBY)
    await hotel.say("sam", "My cat is ill.", audience=["angel"], channel=LOBBY)
    await hotel.close_conversation("lobby")
    assert sorted(await texts(hotel, "vaggie")) == ["Sam: I lost my job.", "Sam: My cat is ill."]


ONWARD = """
hotel:
  rules: {when: conversation, delay: 1}
  members: [charlie, vaggie, angel]
  relationships:
    - {from: charlie, to: vaggie, type: friend, rules: {share_direct_interactions: true, max_hops: 3}}
    - {from: vaggie, to: angel, type: friend, rules: {gossip_about_others: true, max_hops: 3}}
"""
"""Whoever is told tells it on a day later."""


async def test_hops_that_take_days_are_told_on_each_on_its_day(open_app: Any, tmp_path: Path) -> None:
    hotel = await begun(open_app, tmp_path, ONWARD)
    await said(hotel, "I lost my job.", "And my flat.")
    await hotel.close_conversation("lobby")
    known: list[list[str]] = []
    for day in (2, 3):
        await hotel.change(game_day=day)
        known.append([who for who in ("vaggie", "angel") if await texts(hotel, who)])
    assert known == [["vaggie"], ["vaggie", "angel"]]
    (memory,) = (await hotel.backstage().inspect("angel")).memories
    assert memory.metadata["sharedFrom"] == "vaggie"
    assert memory.metadata["learnedDay"] == 3


async def test_who_may_hear_of_a_part_is_told_that_part_at_second_hand(open_app: Any, tmp_path: Path) -> None:
    rules = ONWARD.replace("gossip_about_others: true", "gossip_about_others: true, only_about: [alastor]")
    hotel = await begun(open_app, tmp_path, rules)
    await said(hotel, "I lost my job.", "Alastor is rude.")
    await hotel.close_conversation("lobby")
    for day in (2, 3):
        await hotel.change(game_day=day)
    assert await texts(hotel, "angel") == ["Sam: Alastor is rude."]


async def test_what_was_told_on_falls_with_its_message(open_app: Any, tmp_path: Path) -> None:
    rules = ONWARD.replace("gossip_about_others: true", "gossip_about_others: true, only_about: [alastor]")
    hotel = await begun(open_app, tmp_path, rules)
    await said(hotel, "Alastor is rude.")
    await hotel.say("sam", "Alastor sings.", audience=["charlie"], channel=LOBBY, key="m2")
    await said(hotel, "I lost my job.")
    await hotel.close_conversation("lobby")
    for day in (2, 3):
        await hotel.change(game_day=day)
    assert len(await texts(hotel, "angel")) == 1
    await hotel.retract("m2")
    assert await texts(hotel, "angel") == ["Sam: Alastor is rude."]


def dm(persona: str) -> Channel:
    """The unnamed direct message of a persona."""
    return Channel(context="dm", persona_id=persona)


TWO_CHANNELS = [
    (Channel(context="public_channel", channel_id="lobby", guild_id="g1"), Channel(channel_id="lobby", guild_id="g2")),
    (dm("p1"), dm("p2")),
    (dm("p1"), Channel()),
]


@pytest.mark.parametrize(("one", "other"), TWO_CHANNELS)
async def test_an_id_of_several_channels_closes_none(hotel: Any, one: Channel, other: Channel) -> None:
    await hotel.say("sam", "I lost my job.", audience=["charlie"], channel=one)
    await hotel.say("sam", "I lost my flat.", audience=["charlie"], channel=other)
    with pytest.raises(InputError, match="several channels") as raised:
        await hotel.close_conversation(one.channel_id)
    assert str(one) in str(raised.value)
    assert str(other) in str(raised.value)
    assert await texts(hotel, "charlie") == await heard(hotel)


async def heard(story: Any) -> list[str]:
    """The texts of Charlie's memories of messages."""
    found = (await story.backstage().inspect("charlie")).memories
    return [each.content for each in found if each.metadata["type"] == "message"]


@pytest.mark.parametrize(("one", "other"), TWO_CHANNELS)
async def test_a_channel_is_closed_by_itself(hotel: Any, one: Channel, other: Channel) -> None:
    await hotel.say("sam", "I lost my job.", audience=["charlie"], channel=one)
    await hotel.say("sam", "I lost my flat.", audience=["charlie"], channel=other)
    assert (await hotel.close_conversation(one)).told == {"vaggie": "Sam: I lost my job."}
    assert (await hotel.close_conversation(one.channel_id)).told == {"vaggie": "Sam: I lost my flat."}
    await hotel.change(game_day=2)
    for channel, text in ((one, "Sam: I lost my job."), (other, "Sam: I lost my flat.")):
        (found,) = (each for each in (await hotel.backstage().inspect("vaggie")).memories if each.content == text)
        assert found.metadata["contextType"] == channel.context
        assert found.metadata.get("guildId") == channel.guild_id
        assert found.metadata.get("personaId") == channel.persona_id


@pytest.mark.parametrize("fate", ["edited", "retracted"])
async def test_what_still_stands_is_told_anew(hotel: Any, fate: str) -> None:
    await hotel.say("sam", "I lost my jop.", audience=["charlie"], channel=LOBBY, key="m1")
    await said(hotel, "And my flat.")
    await hotel.close_conversation("lobby")
    await (hotel.edit("m1", "I lost my job.") if fate == "edited" else hotel.retract("m1"))
    new = "Sam: I lost my job.\nSam: And my flat." if fate == "edited" else "Sam: And my flat."
    assert (await hotel.close_conversation("lobby")).told == {}
    await hotel.change(game_day=2)
    assert await texts(hotel, "vaggie") == [new]


@pytest.mark.parametrize("fate", ["edited", "retracted"])
async def test_whoever_knew_it_knows_at_once_what_still_stands(hotel: Any, fate: str) -> None:
    await hotel.say("sam", "I lost my jop.", audience=["charlie"], channel=LOBBY, key="m1")
    await said(hotel, "And my flat.")
    await hotel.close_conversation("lobby")
    await hotel.change(game_day=5)
    await (hotel.edit("m1", "I lost my job.") if fate == "edited" else hotel.retract("m1"))
    new = "Sam: I lost my job.\nSam: And my flat." if fate == "edited" else "Sam: And my flat."
    assert await texts(hotel, "vaggie") == [new]


async def test_a_graph_that_is_away_keeps_nobody_from_retracting(
    hotel: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await hotel.say("sam", "I lost my job.", audience=["charlie"], channel=LOBBY, key="m1")
    await said(hotel, "And my flat.")
    await hotel.close_conversation("lobby")
    with monkeypatch.context() as patched:
        patched.setattr(RelationshipsModel, "picture", away)
        await hotel.retract("m1")
    assert "could not make anew what rested on the revised text" in caplog.text
    assert "no route to host" in caplog.text
    await hotel.close_conversation("lobby")
    await hotel.change(game_day=2)
    assert await texts(hotel, "vaggie") == ["Sam: And my flat."]


async def away(*_: Any) -> Any:
    raise StorageError("no route to host")


async def test_a_reroll_of_what_is_not_closed_reads_no_conversation(
    hotel: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await said(hotel, "I lost my job.")
    await hotel.close_conversation("lobby")
    await said(hotel, "And my flat.")
    monkeypatch.setattr(Session, "messages", lambda *_, **__: pytest.fail("the story is read"))
    await hotel.reroll("And my house.")


async def test_an_edit_tells_nothing_again_to_whom_it_does_not_concern(open_app: Any, tmp_path: Path) -> None:
    hotel = await begun(open_app, tmp_path, NARROW)
    await hotel.say("sam", "I lost my jop.", audience=["charlie"], channel=LOBBY, key="m1")
    await said(hotel, "Alastor is rude.")
    await hotel.close_conversation("lobby")
    await hotel.edit("m1", "I lost my job.")
    assert await texts(hotel, "vaggie") == ["Sam: Alastor is rude."]
    assert await texts(hotel, "angel") == ["Sam: I lost my job.\nSam: Alastor is rude."]


async def test_a_closing_that_broke_off_is_gone_on_with(
    open_app: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hotel = await begun(open_app, tmp_path, NARROW)
    await said(hotel, "I lost my job.", "Alastor is rude.")
    tell, told = Session.tell, []

    async def once(story: Session, *args: Any, **named: Any) -> Any:
        told.append(args)
        if len(told) == 2:
            raise OSError("the light went out")
        return await tell(story, *args, **named)

    with monkeypatch.context() as patched:
        patched.setattr(Session, "tell", once)
        with pytest.raises(OSError, match="light"):
            await hotel.close_conversation("lobby")
    await said(hotel, "Alastor sings.")
    await hotel.close_conversation("lobby")
    assert await texts(hotel, "angel") == ["Sam: I lost my job.\nSam: Alastor is rude.", "Sam: Alastor sings."]
    assert await texts(hotel, "vaggie") == ["Sam: Alastor is rude.", "Sam: Alastor sings."]


async def test_what_an_earlier_version_closed_is_not_told_again(hotel: Any) -> None:
    await hotel.say("sam", "I lost my job.", audience=["charlie"], channel=LOBBY, key="m1")
    await hotel.change(facts={"conversations": [{"channel": "lobby", "last": "m1"}]})
    await said(hotel, "And my flat.")
    assert (await hotel.close_conversation("lobby")).told == {"vaggie": "Sam: And my flat."}


async def test_an_unknown_channel_is_refused_with_those_there_are(hotel: Any) -> None:
    await said(hotel, "I lost my job.")
    with pytest.raises(UnknownName, match=r"unknown channel 'loby'\. Known: lobby\. Did you mean 'lobby'\?"):
        await hotel.close_conversation("loby")
    await hotel.channel(Channel(channel_id="7"), ["sam", "charlie"])
    for known in ("7", None):
        assert (await hotel.close_conversation(known)).told == {}


async def test_explain_names_the_rule_by_which_a_summary_was_told(hotel: Any) -> None:
    await said(hotel, "I lost my job.")
    await hotel.close_conversation("lobby")
    await hotel.change(game_day=2)
    await hotel.delivered()
    (memory,) = (await hotel.backstage().inspect("vaggie")).memories
    explained = str(await hotel.backstage().explain(memory.id))
    assert "was told by charlie on day 2: hotel:share_all_direct_user_interactions" in explained
    assert ": the conversation was closed" in explained
    assert "closed-note" not in explained


LIKE_MESSAGES = """
hotel:
  rules: {share_direct_interactions: true, when: conversation, OPTIONS}
  members:
    - {id: charlie, rules: {share_with: [vaggie]}}
    - vaggie
    - {id: angel, rules: {share_with: [vaggie]}}
"""


async def told_by(open_app: Any, tmp_path: Path, options: str, **strategies: Any) -> Any:
    """The hotel, in which Charlie and Angel each tell Vaggie of another line."""
    hotel = await begun(open_app, tmp_path, LIKE_MESSAGES.replace("OPTIONS", options), **strategies)
    await hotel.say("sam", "I lost my job.", audience=["charlie"], channel=LOBBY)
    await hotel.say("sam", "My cat is ill.", audience=["angel"], channel=LOBBY)
    await hotel.close_conversation("lobby")
    await hotel.delivered()
    return hotel


async def test_a_summary_is_told_as_the_rules_say(open_app: Any, tmp_path: Path) -> None:
    hotel = await told_by(open_app, tmp_path, "as: witnessed, reliability: 0.5, decay: 0.25")
    for each in (await hotel.backstage().inspect("vaggie")).memories:
        assert each.metadata["interactionType"] == "witnessed"
        assert (each.metadata["hop"], each.metadata["strength"]) == (1, 0.25)
        (support,) = (await hotel.backstage().explain(each.id)).supports
        assert support.trust == 0.5


async def test_a_summary_counts_for_what_somebody_is_told_on_a_day(open_app: Any, tmp_path: Path) -> None:
    for most in range(3):
        hotel = await told_by(open_app, tmp_path / str(most), f"budget: {{listener_day: {most}}}")
        assert len(await texts(hotel, "vaggie")) == most


async def test_a_summary_on_its_way_counts_for_the_day_on_which_it_arrives(open_app: Any, tmp_path: Path) -> None:
    rules = LIKE_MESSAGES.replace("OPTIONS", "delay: 2, budget: {listener_day: 1}")
    hotel = await begun(open_app, tmp_path, rules)
    for channel in ("lobby", "bar"):
        where = Channel(context="public_channel", channel_id=channel)
        await hotel.say("sam", f"I lost my job in the {channel}.", audience=["charlie"], channel=where)
        await hotel.close_conversation(channel)
    await hotel.change(game_day=9)
    await hotel.delivered()
    (memory,) = (await hotel.backstage().inspect("vaggie")).memories
    assert (memory.learned_day, memory.text) == (3, "Sam: I lost my job in the lobby.")


async def test_a_triage_decides_about_summaries(open_app: Any, tmp_path: Path) -> None:
    hotel = await told_by(open_app, tmp_path, "triage: novelty")
    assert len(await texts(hotel, "vaggie")) == 2
    strategies = {"triages": {"strict": {"name": "novelty", "most": 1}}}
    hotel = await told_by(open_app, tmp_path / "strict", "triage: strict", **strategies)
    assert len(await texts(hotel, "vaggie")) == 1
    failing = {"triages": {"broken": f"{__name__}.Broken"}}
    hotel = await told_by(open_app, tmp_path / "broken", "triage: broken", **failing)
    assert await texts(hotel, "vaggie") == []


class Broken:
    """A triage that fails."""

    def triage(self, passing: Any) -> None:
        raise OSError("no model")


async def test_a_summary_is_retold_as_the_rules_say(open_app: Any, tmp_path: Path) -> None:
    hotel = await told_by(open_app, tmp_path, "retell: loud", retellers={"loud": f"{__name__}.Loud"})
    assert sorted(await texts(hotel, "vaggie")) == ["SAM: I LOST MY JOB.", "SAM: MY CAT IS ILL."]


class Loud:
    """A reteller that shouts."""

    def retell(self, text: str, telling: Any) -> str:
        return text.upper()
