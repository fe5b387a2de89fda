"""What people say of themselves becomes a memory of those who heard it, of nobody else, and goes with the message."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from earwitness import Channel, Character, Earwitness, Memory, Session, Settings, Strike
from earwitness.errors import SettingsError
from earwitness.events import PlanEvent, ReadEvent
from earwitness.filters import EVERYTHING, Filter
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_plugins.read_providers.memberships import Memberships

from .fact_stories import KIM

PRIVATELY = {"channel": Channel(context="dm", channel_id="7"), "audience": ["bob"]}

CAST = ("alice", "bob", "charlie")
READS: dict[str, Any] = {"read_providers": ["memberships"]}


def opened(path: Path | None = None, **given: Any) -> Any:
    guards = {"guards": given.pop("guards")} if "guards" in given else {}
    settings = Settings.of(**{"facts": {}, "embedder": "none", "world_agent": "none", "strict": True, **given})
    if path is not None:
        return Earwitness.open(path, settings=settings)
    return Earwitness.open(settings=settings, store=MemoryStore(), ledger=MemoryLedger(), **guards)


async def facts(story: Session, owner: str) -> list[Memory]:
    await story.delivered()
    return [each for each in (await story.backstage().inspect(owner)).memories if each.type == "fact"]


async def texts(story: Session, owner: str) -> list[str]:
    return sorted(each.content for each in await facts(story, owner))


async def shared(ew: Earwitness, container: str) -> Sequence[str]:
    return sorted(each.content for each in await ew.engine.store.list(container) if each.type == "fact")


async def test_those_who_heard_it_remember_the_fact_with_its_source_and_day() -> None:
    async with opened() as ew:
        story = await ew.session("s1", cast=CAST, present=["alice", "bob"], state={"game_day": 3})
        await (await story.say("alice", "I live in Rome.", key="k")).settled()
        (fact,) = await facts(story, "bob")
        assert fact.content == "Alice lives in Rome."
        assert fact.metadata["gameDay"] == 3
        assert fact.metadata["confidence"] == 0.9
        (source,) = [each for each in (await story.backstage().inspect("bob")).memories if each.type == "message"]
        assert fact.metadata["restsOn"] == [source.id]
        assert await texts(story, "charlie") == await texts(story, "world") == []


async def test_without_the_table_nothing_is_kept() -> None:
    settings = Settings.of(embedder="none", world_agent="none")
    async with Earwitness.open(settings=settings, store=MemoryStore(), ledger=MemoryLedger()) as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        await story.say("alice", "I live in Rome.")
        assert await texts(story, "bob") == []


@pytest.mark.parametrize(
    ("text", "given", "knows"),
    [
        ('*whispers to Bob* "I live in Rome."', {}, ["bob"]),
        ("I live in Rome.", {"audience": ["bob"]}, ["bob"]),
        ("I live in Rome.", PRIVATELY, ["bob"]),
        ("*I live in Rome, she thinks.* Hello.", {}, []),
        ("(I live in Rome.) Hello.", {}, []),
    ],
)
async def test_a_fact_stays_with_those_who_heard_it(text: str, given: dict[str, Any], knows: list[str]) -> None:
    async with opened() as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        await story.say("alice", text, **given)
        assert [id for id in CAST if await texts(story, id)] == knows


class Deaf:
    """A guard that lets Bob have no message."""

    def filter(self, event: ReadEvent) -> Filter:
        return EVERYTHING

    def strike(self, event: PlanEvent) -> list[Strike]:
        found = [each for each in event.plan.deliveries if each.owner == "bob" and each.part == "message"]
        return [Strike(delivery_id=each.id, reason="deaf") for each in found]


async def test_whoever_is_kept_from_the_message_by_a_guard_is_kept_from_the_fact() -> None:
    async with opened(guards=[Deaf()]) as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        await story.say("alice", "I live in Rome.")
        assert await texts(story, "bob") == []
        assert await texts(story, "charlie") == ["Alice lives in Rome."]


@pytest.mark.parametrize("deaf", [False, True])
async def test_of_a_user_it_is_kept_with_those_whom_no_guard_keeps_from_it(deaf: bool) -> None:
    kim = Character("kim", kind="persona", user_id="u1", persona_id="p1")
    cast = [kim, "alice", "bob"]
    guards = [Deaf()] if deaf else []
    async with opened(facts={"scope": "user"}, guards=guards, read_providers=["memberships"]) as ew:
        story = await ew.session("s1", cast=cast, present=["kim", "alice", "bob"])
        await story.say("kim", "I live in Rome.", key="rome")
        await story.delivered()
        places = ["user-u1", "persona-p1-alice", "persona-p1-bob", "s1-bob"]
        held = {each: [one.content for one in await ew.engine.store.list(each)] for each in places}
        fact = "Kim lives in Rome."
        assert [each for each in places if fact in held[each]] == (["persona-p1-alice"] if deaf else ["user-u1"])
        other = await ew.session("s2", cast=cast, present=["kim", "alice", "bob"])
        turns = {who: (await other.turn(who, query="Where does Kim live?")).text() for who in ("alice", "bob")}
        assert ["Rome" in turns[who] for who in ("alice", "bob")] == [True, not deaf]
        await story.retract("rome")
        await story.delivered()
        assert "Rome" not in (await other.turn("alice", query="Where does Kim live?")).text()


async def test_nothing_is_kept_of_somebody_in_disguise() -> None:
    async with opened() as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        await story.say("alice", "I live in Rome.", speak_as="The Stranger")
        assert await texts(story, "bob") == []


async def test_a_narrator_speaks_of_others() -> None:
    async with opened() as ew:
        story = await ew.session("s1", cast=[Character("teller", kind="narrator"), *CAST], present=CAST)
        await story.say("teller", '*Alice looks up.* "I live in Rome."', audience=["bob"])
        assert await texts(story, "bob") == []


async def test_a_change_is_a_new_version_and_the_old_one_stays() -> None:
    async with opened() as ew:
        story = await ew.session("s1", cast=CAST, present=["alice", "bob"])
        await story.say("alice", "I live in Rome.", audience=["bob"])
        await story.say("alice", "I live in Rome!", audience=["bob"])
        assert await texts(story, "bob") == ["Alice lives in Rome."]
        await story.say("alice", "I moved to Paris.", audience=["bob", "charlie"], key="paris")
        assert await texts(story, "bob") == ["Alice lives in Rome.", "Alice now lives in Paris."]
        assert await texts(story, "charlie") == ["Alice lives in Paris."]
        await story.say("alice", "I moved to Rome.", audience=["bob"])
        versions = {each.metadata["version"]: each.content for each in await facts(story, "bob")}
        assert versions == {1: "Alice lives in Rome.", 2: "Alice now lives in Paris.", 3: "Alice now lives in Rome."}


async def test_no_version_that_still_stands_is_given_again_after_a_retraction() -> None:
    async with opened() as ew:
        story = await ew.session("s1", cast=CAST, present=["alice", "bob"])
        for place in ("Rome", "Paris", "Oslo"):
            await story.say("alice", f"I live in {place}.", key=place)
        await story.retract("Paris")
        await story.say("alice", "I live in Bonn.")
        await story.retract("Rome")
        await story.say("alice", "I live in Bonn.")
        await story.say("alice", "I live in Lima.")
        versions = {each.content.split()[-1]: each.metadata["version"] for each in await facts(story, "bob")}
        assert versions == {"Oslo.": 3, "Bonn.": 4, "Lima.": 5}


async def test_a_retracted_message_takes_its_fact_away_but_not_that_of_another() -> None:
    async with opened() as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        await story.say("alice", "I live in Rome.", key="one")
        await story.say("alice", "I live in Rome. I love cheese.", key="two")
        await story.retract("one")
        assert await texts(story, "bob") == ["Alice lives in Rome.", "Alice loves cheese."]
        await story.retract("two")
        assert await texts(story, "bob") == []


async def test_an_edited_message_has_the_facts_of_its_new_words() -> None:
    async with opened() as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        await story.say("alice", "I live in Rome.", key="k")
        await story.edit("k", "I live in Paris.")
        assert await texts(story, "bob") == ["Alice lives in Paris."]
        await story.edit("k", "Never mind.")
        assert await texts(story, "bob") == []


async def test_a_block_of_memories_that_comes_back_is_no_new_fact() -> None:
    async with opened() as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        await (await story.say("alice", "I live in Rome.")).settled()
        turn = await story.turn("bob")
        await turn.say(f"{turn.fill('###SUPERMEMORY###')}\n\nHello, Alice.")
        assert await texts(story, "charlie") == ["Alice lives in Rome."]
        assert await texts(story, "alice") == []


async def test_after_a_restart_it_is_known_what_was_said_before(tmp_path: Path) -> None:
    async with opened(tmp_path / "facts.db") as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        await (await story.say("alice", "I live in Rome.")).settled()
    async with opened(tmp_path / "facts.db") as ew:
        story = await ew.session("s1")
        await story.say("alice", "I live in Rome.")
        await story.say("alice", "I moved to Paris.")
        assert await texts(story, "bob") == ["Alice lives in Rome.", "Alice now lives in Paris."]


@pytest.mark.parametrize(
    ("scope", "text", "given", "where"),
    [
        ("session", "I live in Rome.", {}, ["s1-bob"]),
        ("personal", "I live in Rome.", {}, ["persona-p1-bob"]),
        ("user", "I live in Rome.", {}, ["user-u1"]),
        ("user", '*whispers to Bob* "I live in Rome."', {}, ["persona-p1-bob"]),
        ("user", "I live in Rome.", {"audience": ["bob"]}, ["persona-p1-bob"]),
        ("user", "I live in Rome.", PRIVATELY, ["persona-p1-bob"]),
    ],
)
async def test_a_users_facts_are_kept_where_the_scope_says_and_no_wider_than_they_were_heard(
    scope: str, text: str, given: dict[str, Any], where: list[str]
) -> None:
    async with opened(facts={"scope": scope}, **READS) as ew:
        story = await ew.session("s1", cast=[KIM, "bob"], present=["kim", "bob"])
        await story.say("kim", text, **given)
        await story.delivered()
        found = ["s1-bob", "s1-kim", "persona-p1-bob", "user-u1"]
        assert [each for each in found if await shared(ew, each)] == where


async def test_a_fact_that_one_of_the_cast_did_not_hear_is_not_for_all_who_meet_the_user() -> None:
    async with opened(facts={"scope": "user"}, **READS) as ew:
        story = await ew.session("s1", cast=[KIM, "bob", "charlie"], present=["kim", "bob"])
        await story.say("kim", "I live in Rome.", key="k")
        await story.delivered()
        assert await shared(ew, "user-u1") == []
        assert await shared(ew, "persona-p1-bob") == ["Kim lives in Rome."]
        assert await shared(ew, "persona-p1-charlie") == []
        await story.retract("k")
        await story.delivered()
        assert await shared(ew, "persona-p1-bob") == []


@pytest.mark.parametrize(
    ("scope", "kept"),
    [("session", ["s1-charlie"]), ("personal", ["persona-p1-charlie"]), ("user", ["persona-p1-charlie"])],
)
async def test_a_fact_beyond_the_story_goes_no_further_than_its_message_either(scope: str, kept: list[str]) -> None:
    async with opened(facts={"scope": scope}, guards=[Deaf()], **READS) as ew:
        story = await ew.session("s1", cast=[KIM, "bob", "charlie"], present=["kim", "bob", "charlie"])
        await story.say("kim", "I live in Rome.")
        await story.delivered()
        found = [f"{place}-{id}" for place in ("s1", "persona-p1") for id in ("bob", "charlie")]
        assert [each for each in (*found, "user-u1") if await shared(ew, each)] == kept


@pytest.mark.parametrize(("scope", "where"), [("personal", "persona-p1-bob"), ("user", "user-u1")])
async def test_a_fact_beyond_the_story_goes_with_the_copy_of_one_who_has_it(scope: str, where: str) -> None:
    async with opened(facts={"scope": scope}, **READS) as ew:
        story = await ew.session("s1", cast=[KIM, "bob", "charlie"], present=["kim", "bob", "charlie"])
        await story.say("kim", "I live in Rome.")
        await story.delivered()
        (fact,) = [each for each in await ew.engine.store.list(where) if each.type == "fact"]
        assert fact.metadata["contextType"] == "private_channel"
        (his,) = (await story.backstage().inspect("bob", filter='type = "message"')).memories
        await story.retract(his.id)
        await story.delivered()
        assert await shared(ew, where) == []
        assert await shared(ew, "persona-p1-charlie") == (["Kim lives in Rome."] if scope == "personal" else [])


@pytest.mark.parametrize("scope", ["personal", "user"])
async def test_facts_that_no_recall_would_read_are_refused_at_open(tmp_path: Path, scope: str) -> None:
    with pytest.raises(
        SettingsError, match=rf"facts\.scope '{scope}' keeps facts beyond the story, and no recall would"
    ):
        async with opened(facts={"scope": scope}):
            pass
    (tmp_path / "e.toml").write_text(f'embedder = "none"\n\n[facts]\nscope = "{scope}"\n', "utf-8")
    with pytest.raises(SettingsError, match=r'e\.toml:4:1: .* Add read_providers = \["memberships"\], or the table'):
        async with Earwitness.open(settings=Settings.load(tmp_path / "e.toml")):
            pass
    for read in ({"read_providers": ["memberships"]}, {"relationships": {}}):
        async with opened(facts={"scope": scope}, **read):
            pass
    settings = Settings.of(facts={"scope": scope}, embedder="none")
    async with Earwitness.open(tmp_path / "s.db", settings=settings, read_providers=[Memberships()]):
        pass


async def test_who_hates_what_they_loved_has_changed_their_mind_and_the_old_fact_stays() -> None:
    async with opened() as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        for key, said in enumerate(("I love cats.", "I love dogs.", "I hate Cats.", "I hate cats.", "I love cats.")):
            await (await story.say("alice", said, key=f"k{key}")).settled()
        found = {each.content: each.metadata["version"] for each in await facts(story, "bob")}
        assert found == {
            "Alice loves cats.": 1,
            "Alice loves dogs.": 1,
            "Alice now hates Cats.": 2,
            "Alice now loves cats.": 3,
        }
        for key in ("k4", "k2", "k3"):
            await story.retract(key)
        assert await texts(story, "bob") == ["Alice loves cats.", "Alice loves dogs."]


async def test_what_is_hated_from_the_beginning_is_no_change() -> None:
    async with opened() as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        await (await story.say("alice", "Ich hasse Katzen.", key="a")).settled()
        await (await story.say("alice", "Ich liebe Katzen.", key="b")).settled()
        await (await story.say("charlie", "I love Katzen.", key="c")).settled()
        assert await texts(story, "bob") == [
            "Alice hasst Katzen.",
            "Alice liebt jetzt Katzen.",
            "Charlie loves Katzen.",
        ]
