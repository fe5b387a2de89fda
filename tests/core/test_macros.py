"""`{{user}}` and `{{char}}` in cards, books and greetings are names, and the names that the cast has today."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from earwitness import Character, Earwitness, Session
from earwitness.macros import has_macro, in_message
from earwitness.records.character import Cast
from earwitness.testing.reference import MemoryLedger, MemoryStore

MIRA, BO = Character("mira"), Character("bo")
KIM, ANA = Character("kim", kind="persona"), Character("ana", kind="persona")
CAPTAIN = Character("kim", name="Captain Kim", kind="persona")
GREETING = "You are late, {{user}}. {{char}} has waited."


@pytest.fixture
async def ew() -> AsyncIterator[Earwitness]:
    """An instance in which everybody hears everything."""
    strategies: dict[str, Any] = {"store": MemoryStore(), "ledger": MemoryLedger()}
    async with Earwitness.open(embedder="none", detector="everyone", strict=True, **strategies) as opened:
        yield opened


async def held(story: Session, owner: str, type: str = "lore") -> list[str]:
    """What stands in a container of one type, without the words that find it, and without headings."""
    found = (await story.backstage().inspect(owner)).memories
    texts = [each.content.rpartition("]\n")[2] for each in found if each.type == type]
    return [text.partition("Message: ")[2].partition(" GameDay")[0] if type == "message" else text for text in texts]


async def test_a_persona_who_joins_is_the_user(ew: Earwitness) -> None:
    story = await ew.session("s", cast=[MIRA])
    await story.prepare(plot="{{char}} waits for {{user}}.", cards={"mira": "{{Char}} fears {{ user }}."})
    assert await held(story, "mira", "character_card") == ["Mira fears User."]
    await story.join(KIM)
    assert await held(story, "mira", "character_card") == ["Mira fears Kim."]
    for owner in ("mira", "kim", "world"):
        assert await held(story, owner, "plot") == ["Mira waits for Kim."]
    assert await held(story, "kim", "character_card") == []


async def test_a_persona_who_changes_has_the_new_name_everywhere(ew: Earwitness) -> None:
    story = await ew.session("s", cast=[MIRA, KIM])
    await story.prepare(lore=[{"text": "{{user}} owes {{char}}.", "words": ["{{user}}"], "known_by": ["mira"]}])
    assert await held(story, "mira") == ["Kim owes Mira."]
    await ew.session("s", cast=[CAPTAIN])
    assert await held(story, "mira") == ["Captain Kim owes Mira."]
    (memory,) = (await story.backstage().inspect("mira")).memories
    assert memory.metadata["words"] == ["Captain Kim"]
    turn = await story.turn("mira", query="Captain Kim")
    assert [each.memory.id for each in turn.memories] == [memory.id]


async def test_a_user_who_comes_later_takes_nobodys_name(ew: Earwitness) -> None:
    story = await ew.session("s", cast=[MIRA, KIM])
    await story.prepare(lore=["{{user}} owes money."])
    before = await held(story, "world")
    await story.join(ANA)
    assert await held(story, "world") == await held(story, "ana") == before == ["Kim owes money."]
    await story.forget("kim")
    assert await held(story, "mira") == await held(story, "ana") == ["Ana owes money."]


async def test_in_company_what_all_know_of_the_character_is_of_whoever_knows_it(ew: Earwitness) -> None:
    story = await ew.session("s", cast=[MIRA])
    await story.prepare(lore=["{{char}} is mortal."])
    await story.join(BO, KIM)
    assert [await held(story, owner) for owner in ("mira", "bo")] == [["Mira is mortal."], ["Bo is mortal."]]
    assert await held(story, "kim") == await held(story, "world") == ["{{char}} is mortal."]


async def test_a_greeting_names_the_persona_who_joins_and_changes(ew: Earwitness) -> None:
    story = await ew.session("s", cast=[MIRA])
    await story.say("mira", GREETING, key="hello")
    assert await held(story, "mira", "message") == ["Mira: You are late, User. Mira has waited."]
    for persona, name in ((KIM, "Kim"), (CAPTAIN, "Captain Kim")):
        await story.join(persona)
        await story.settled()
        assert await held(story, "mira", "message") == [f"Mira: You are late, {name}. Mira has waited."]
        assert await held(story, "world", "message") == [f"Mira: You are late, {name}. Mira has waited."]
    assert await held(story, "kim", "message") == [], "who came later has not heard it"
    assert not (await story.say("mira", GREETING, key="hello")).created, "told again, it is the same"


async def test_a_greeting_that_was_taken_back_or_edited_does_not_come_back(ew: Earwitness) -> None:
    story = await ew.session("s", cast=[MIRA])
    await story.say("mira", GREETING, key="one")
    await story.say("mira", GREETING, key="two")
    await story.say("mira", "Hm.", key="three")
    await story.retract("one")
    await story.edit("two", "Good evening.")
    await story.edit("three", "Good evening, {{user}}.")
    await story.join(KIM)
    await story.settled()
    assert sorted(await held(story, "mira", "message")) == ["Mira: Good evening, Kim.", "Mira: Good evening."]


async def test_what_was_replaced_taken_back_or_archived_stays_so(ew: Earwitness) -> None:
    story = await ew.session("s", cast=[MIRA, BO])
    await story.prepare(lore=[{"text": "{{user}} lies.", "key": "a"}, {"text": "{{user}} sings.", "key": "b"}])
    await story.prepare(lore=[{"text": "Nobody lies.", "key": "a"}])
    kept = await story.prepare(lore=[{"text": "{{user}} dances.", "key": "c"}], key="c")
    mine = next(each for each in (await story.backstage().inspect("bo")).memories if "sings" in each.content)
    await story.retract(mine.id)
    other = next(each for each in (await story.backstage().inspect("mira")).memories if "sings" in each.content)
    await story.archive(other.id)
    await kept.settled()
    await story.retract("c")
    await story.join(KIM)
    assert await held(story, "mira") == await held(story, "bo") == ["Nobody lies."]
    assert sorted(await held(story, "kim")) == ["Kim sings.", "Nobody lies."]


async def test_a_renamed_piece_keeps_its_day(ew: Earwitness) -> None:
    story = await ew.session("s", cast=[MIRA], state={"game_day": 2})
    await story.prepare(lore=["{{user}} lies."])
    await story.change(game_day=9)
    await story.join(KIM)
    await story.change(game_day=3)
    turn = await story.turn("mira", query="who lies?")
    assert ["Kim lies." in each.text for each in turn.memories] == [True]
    (mine,) = (await story.backstage().inspect("mira")).memories
    assert (mine.game_day, mine.metadata["learnedDay"]) == (2, 2)


async def test_a_copy_and_a_branch_go_on_as_the_story_does(ew: Earwitness) -> None:
    story = await ew.session("s", cast=[MIRA])
    await story.prepare(cards={"mira": "{{char}} fears {{user}}."})
    await story.say("mira", GREETING)
    branch = await story.fork("branch")
    copy = await ew.import_session([line async for line in story.backstage().export()], id="copy")
    for each in (story, branch, copy):
        await each.join(KIM)
        await each.settled()
        assert await held(each, "mira", "character_card") == ["Mira fears Kim."]
        assert await held(each, "mira", "message") == ["Mira: You are late, Kim. Mira has waited."]
    again = await ew.import_session([line async for line in story.backstage().export()], id="again")
    assert await held(again, "mira", "message") == ["Mira: You are late, Kim. Mira has waited."]


async def test_texts_without_macros_cost_no_entry(ew: Earwitness) -> None:
    story = await ew.session("s", cast=[MIRA])
    await story.prepare(cards={"mira": "A keeper { of } {{lights}}."})
    await story.say("mira", "Hello, user.")
    before = len(await story.backstage().journal())
    await story.join(KIM)
    assert len(await story.backstage().journal()) == before + 1


@pytest.mark.parametrize(
    ("speaker", "expected"),
    [
        ("mira", "Kim and Mira"),
        ("kim", "Kim and {{char}}"),
        ("ana", "Ana and {{char}}"),
        ("voice", "Kim and {{char}}"),
    ],
)
def test_who_speaks_says_who_is_meant(speaker: str, expected: str) -> None:
    cast = Cast(members=(MIRA, BO, KIM, ANA, Character("voice", kind="narrator")))
    assert in_message("{{user}} and {{char}}", speaker, cast) == expected
    assert has_macro("{{USER}}")
    assert not has_macro("{{users}} {user} <user>")


async def test_a_preview_shows_the_names(ew: Earwitness) -> None:
    story = await ew.session("s", cast=[MIRA, KIM])
    preview = await story.backstage().preview("mira", "Hello, {{user}}.")
    assert preview.message.content == "Hello, Kim."
