"""What each role may see and do backstage."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Channel, Character, Session
from earwitness.backstage.backstage import Backstage
from earwitness.errors import InputError, NotPermitted, UnknownName
from earwitness.events import Share, SharingEvent
from earwitness.testing.scripted import ByScript

Begin = Callable[..., Awaitable[Session]]
CAST = (Character("mira", kind="persona", user_id="u1"), Character("bob"))


async def _exported(back: Backstage) -> list[Any]:
    return [line async for line in back.export()]


READS: tuple[Callable[[Backstage], Awaitable[object]], ...] = (
    lambda back: back.who_knows("the key"),
    lambda back: back.replan("k"),
    lambda back: back.inspect("bob"),
    lambda back: back.inspect("world"),
    lambda back: back.search("bob", "the key"),
    lambda back: back.search("world", "the key"),
    lambda back: back.preview("bob", "Hello."),
    lambda back: back.overview(),
    lambda back: back.before(),
    lambda back: back.journal(),
    lambda back: back.find_memories("a"),
    _exported,
)


async def told(begin: Begin, **more: Any) -> Session:
    story = await begin(cast=CAST, present=["mira", "bob"], detector="everyone", **more)
    await story.say("bob", "The key is under the mat.", key="k")
    await story.settled()
    return story


@pytest.mark.parametrize("call", READS)
async def test_a_player_sees_nothing_of_the_world_or_others(
    begin: Begin, call: Callable[[Backstage], Awaitable[object]]
) -> None:
    story = await told(begin)
    with pytest.raises(NotPermitted, match=r"role 'player' may not .*These roles may: owner, author, designer\."):
        await call(story.backstage(role="player", persona="Mira"))


async def test_a_player_may_retract_nothing(begin: Begin) -> None:
    story = await told(begin)
    with pytest.raises(NotPermitted, match="may not retract anything"):
        await story.backstage(role="player", persona="mira").retract("k")


async def test_a_player_sees_what_their_persona_remembers(begin: Begin) -> None:
    back = (await told(begin)).backstage(role="player", persona="Mira")
    assert (back.role, back.persona) == ("player", "mira")
    assert len((await back.inspect("mira")).memories) == 1
    assert len(await back.search("Mira", "key")) == 1


async def test_a_player_s_persona_may_be_given_by_its_id_across_sessions(begin: Begin) -> None:
    story = await begin(cast=[Character("bob", persona_id="pp"), Character("mira", persona_id="bob")])
    assert story.backstage(role="player", persona="pp").persona == "bob"
    assert story.backstage(role="player", persona="bob").persona == "bob"


async def test_no_error_tells_a_player_who_is_in_the_cast(begin: Begin) -> None:
    story = await begin(cast=["mira", Character("count", name="The Hidden Count", persona_id="pp")])
    player = story.backstage(role="player", persona="mira")
    refused: list[Callable[[], Any]] = [
        lambda: story.backstage(role="player", persona="zoe"),
        lambda: player.inspect("zoe"),
        lambda: player.preview("mira", "Hello.", present=["zoe"]),
    ]
    for call in refused:
        with pytest.raises((UnknownName, NotPermitted)) as caught:
            await call()
        assert not [each for each in ("count", "Count", "pp") if each in str(caught.value)]


@pytest.mark.parametrize("other", [Character("mira", persona_id="pp"), Character("mira", aliases=["PP"])])
async def test_a_persona_that_may_be_two_characters_is_refused(begin: Begin, other: Character) -> None:
    story = await begin(cast=[Character("bob", persona_id="pp"), other])
    with pytest.raises(UnknownName, match="'pp' could mean 2 characters: give the id of the player's own") as caught:
        story.backstage(role="player", persona="pp")
    assert not [each for each in ("bob", "mira") if each in str(caught.value)]


async def test_a_player_previews_what_their_persona_would_remember_and_nothing_of_others(
    begin: Begin, teller: Any
) -> None:
    story = await told(begin, world_agent=teller())
    await story.update("The bridge fell", audience=["bob"])
    found = await story.backstage(role="player", persona="mira").preview("mira", "Good evening.")
    assert found.learners == ("mira",)
    assert str(found).splitlines()[1:] == ["  mira: speaker (1.00: said it)"]
    shown = found.model_dump_json()
    assert "bridge" not in shown
    assert "bob" not in shown
    whole = await story.backstage(role="owner").preview("mira", "Good evening.")
    assert {"mira", "bob"} <= set(whole.learners)
    assert "bridge" in whole.model_dump_json()


async def test_a_players_preview_does_not_say_who_is_behind_a_mask(begin: Begin) -> None:
    story = await told(begin)
    await story.say("bob", "Good evening.", speak_as="the Fox", audience=["mira"])
    found = await story.backstage(role="player", persona="mira").preview("mira", "Who are you?", present=["bob"])
    assert found.learners == ("mira",)
    assert not [word for word in ("bob", "Fox") if word in found.model_dump_json() + str(found)]


USERS = [Character(name, kind="persona", persona_id=id) for name, id in (("kim", "p1"), ("lee", "p2"))]
LETTERS = {name: Channel(context="dm", channel_id=f"bob-{name}") for name in ("kim", "lee")}


async def test_a_player_sees_nothing_of_another_users_direct_message(begin: Begin) -> None:
    story = await begin(cast=[*USERS, "bob"], detector="rules", world_agent={"name": "rules"})
    for name, channel in LETTERS.items():
        await story.channel(channel, ["bob", name])
    await story.say("lee", "The code is XYLO. *picks up the Sacred Sword*", channel=LETTERS["lee"])
    await story.say("bob", "XYLO, then.", channel=LETTERS["lee"])
    await story.update("The XYLO tower fell", channel=LETTERS["lee"])
    await story.say("bob", "Good evening.", channel=LETTERS["kim"])
    player = story.backstage(role="player", persona="p1")
    page = await player.inspect("kim")
    assert [each.text.splitlines()[-1] for each in page.memories] == ["Message: Bob: Good evening. GameDay: 1"]
    seen: list[object] = [page, await player.explain(page.memories[0].id), await player.search("kim", "XYLO Sword")]
    for channel in (*LETTERS.values(), Channel()):
        found = await player.preview("kim", "What is the code?", channel=channel)
        assert (found.message.present, found.learners) == (None, ("kim",))
        seen += [found, found.model_dump_json().replace("bob-lee", "")]
    shown = "".join(map(str, seen))
    assert not [word for word in ("XYLO", "Sword", "lee") if word in shown]
    (secret, *_) = (await story.backstage().inspect("lee")).memories
    with pytest.raises(NotPermitted, match="only if 'kim' has it"):
        await player.explain(secret.id)


async def the_memory(story: Session, owner: str) -> str:
    """The id of the only memory that somebody has."""
    (memory,) = (await story.backstage().inspect(owner)).memories
    return memory.id


class Gossip:
    """What Bob perceives of others, he tells Mira."""

    def share(self, event: SharingEvent) -> list[Share]:
        hears = "bob" in event.message.participants and "mira" not in event.message.participants
        return [Share(character="mira", shared_from="bob", rule="bob cannot keep a secret")] if hears else []


async def test_a_player_has_a_memory_of_their_persona_explained_without_what_others_remember(begin: Begin) -> None:
    story = await begin(cast=(*CAST, Character("count", name="Count Fosco")), sharing_rules=[Gossip()])
    await story.say("count", "The key is under the mat.", key="k", speak_as="Roux", audience=["bob"])
    await story.delivered()
    player = story.backstage(role="player", persona="mira")
    found = await player.explain(await the_memory(story, "mira"))
    assert found.owner == "mira"
    assert [(str(hop.learned), hop.via, hop.rule) for hop in found.supports] == [("was told by bob", None, None)]
    shown = found.model_dump_json() + str(found)
    assert "The key is under the mat." in shown
    whole = (await story.backstage().explain(found.memory_id)).model_dump_json()
    assert "cannot keep" in whole
    for secret in ("cannot keep", '"count"', "Fosco"):
        assert secret not in shown


async def test_a_player_has_no_memory_of_others_explained_nor_learns_whether_there_is_one(begin: Begin) -> None:
    story = await told(begin)
    player = story.backstage(role="player", persona="mira")
    said = []
    for id in (await the_memory(story, "bob"), await the_memory(story, "world"), "no-such-memory"):
        with pytest.raises(NotPermitted, match="may have a memory explained only if 'mira' has it") as refused:
            await player.explain(id)
        said.append(str(refused.value).replace(id, "…"))
    assert len(set(said)) == 1


async def test_what_a_persona_learns_on_a_later_day_is_not_explained_before(begin: Begin) -> None:
    class Later(Gossip):
        def share(self, event: SharingEvent) -> list[Share]:
            return [each.model_copy(update={"due": event.day + 2}) for each in super().share(event)]

    story = await begin(cast=CAST, detector=ByScript(), sharing_rules=[Later()])
    await story.say("bob", "The key is under the mat.", key="k", audience=["bob"])
    await story.delivered()
    (later,) = [each for each in await story._engine.ledger.deliveries("s1", sources=["k"]) if each.owner == "mira"]
    player = story.backstage(role="player", persona="mira")
    with pytest.raises(NotPermitted):
        await player.explain(later.memory_id)
    await (await story.change(game_day=3)).settled()
    await story.delivered()
    assert (await player.explain(later.memory_id)).owner == "mira"


@pytest.mark.parametrize("role", ["owner", "author", "designer"])
async def test_those_who_make_the_story_see_and_change_all_of_it(begin: Begin, role: str) -> None:
    story = await told(begin)
    back = story.backstage(role=role)
    assert len((await back.inspect("world")).memories) == 1
    assert (await back.who_knows("the key under the mat")).knowers["mira"].knows
    await back.retract("k")
    assert (await back.inspect("mira")).memories == ()


async def test_roles_and_personas_that_are_none_are_refused(begin: Begin) -> None:
    story = await told(begin)
    with pytest.raises(UnknownName, match=r"unknown backstage role 'playr'\. Known: author, designer, owner, player"):
        story.backstage(role="playr")
    with pytest.raises(InputError, match="give persona="):
        story.backstage(role="player")
    with pytest.raises(InputError, match="only a player has a persona"):
        story.backstage(role="owner", persona="mira")
    with pytest.raises(UnknownName, match="nobody"):
        story.backstage(role="player", persona="nobody")
