"""START: what is longer than its share of the token budget comes as an excerpt round what was asked, and stays."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import pytest

from earwitness import Session, Turn
from earwitness.errors import SettingsError
from earwitness.events import PlanEvent, ReadAnswer, ReadEvent, Strike
from earwitness.filters import EVERYTHING
from earwitness.formats import CURRENT_TIME, KNOWLEDGE
from earwitness.loading.settings import Settings
from earwitness.sentences import CUT, excerpt, sentences
from earwitness.start.excerpts import shortened
from earwitness.start.rank import fair_share
from earwitness.words import query_terms

from ..durations import grows_at_most

Begin = Callable[..., Awaitable[Session]]
FILLER = "Nothing of note was said about the weather that day. "
LONG = f"{FILLER * 480}The Sacred Sword lies under the old well. {FILLER * 480}".strip()
ASKED = "Where is the Sacred Sword?"


async def long_story(begin: Begin, **given: object) -> Session:
    """Alice has told Bob 50,000 characters, and seven short things."""
    story = await begin(**given)
    await story.say("alice", LONG, key="long", audience=["bob"])
    for number in range(7):
        await story.say("alice", f"I saw sword number {number}.", audience=["bob"])
    return story


def shown(turn: Turn) -> str:
    (line,) = [line for line in turn.text().splitlines() if "weather" in line]
    return line


# ── in a recall ─────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_message_of_50_000_characters_neither_fills_a_prompt_nor_vanishes(begin: Begin) -> None:
    assert len(LONG) > 50_000
    story = await long_story(begin)
    turn = await story.turn("bob", query=ASKED, in_prompt=[])
    assert len(turn.memories) == 8
    assert len(turn.text()) < 4 * 4_000
    assert "The Sacred Sword lies under the old well." in shown(turn)
    assert all(f"I saw sword number {number}." in turn.text() for number in range(7))
    (long,) = [each for each in turn.memories if each.excerpt]
    assert long.text == long.excerpt
    assert len(long.memory.text) > 50_000


async def test_an_excerpt_is_cut_at_sentences_and_marked(begin: Begin) -> None:
    story = await long_story(begin)
    line = shown(await story.turn("bob", query=ASKED, in_prompt=[], token_budget=400))
    assert line.startswith(f"1. Alice, on day 1: {CUT} Nothing of note")
    assert line.endswith(f"that day. {CUT}")
    assert line.count(CUT) == 2


async def test_a_small_budget_is_shared_and_not_exceeded(begin: Begin) -> None:
    story = await long_story(begin)
    for budget in (100, 300, 1_000, 10_000):
        turn = await story.turn("bob", query=ASKED, in_prompt=[], token_budget=budget)
        assert any(each.excerpt for each in turn.memories)
        assert sum(len(each.text) for each in turn.memories) <= 4 * budget


async def test_several_long_ones_have_equal_shares(begin: Begin) -> None:
    story = await begin()
    for number in range(4):
        await story.say("alice", f"The sword has number {number}. {FILLER * 200}", audience=["bob"])
    turn = await story.turn("bob", query="sword number", in_prompt=[], token_budget=1_000)
    lengths = [len(each.text) for each in turn.memories]
    assert len(lengths) == 4
    assert max(lengths) <= 1_000
    assert min(lengths) > 800


@pytest.mark.parametrize("budget", [None, "none"])
async def test_without_a_budget_everything_is_whole(begin: Begin, budget: object) -> None:
    story = await long_story(begin, recall={"token_budget": budget})
    turn = await story.turn("bob", query=ASKED, in_prompt=[])
    assert not any(each.excerpt for each in turn.memories)
    assert LONG in turn.text()


async def test_what_fits_is_left_as_it_is(begin: Begin) -> None:
    story = await begin()
    await story.say("alice", FILLER * 100, audience=["bob"])
    (only,) = (await story.turn("bob", in_prompt=[])).memories
    assert only.excerpt is None


async def test_lore_and_knowledge_are_cut_too(begin: Begin) -> None:
    story = await begin()
    await story.prepare(lore=[LONG])
    turn = await story.turn("bob", query=ASKED, token_budget=200)
    assert turn.text().startswith(f"<earwitness-memories>\n1. Lore: {CUT} ")
    assert "The Sacred Sword lies under the old well." in turn.text()
    content = f"{CURRENT_TIME}\nGame Day: 1\n\n{KNOWLEDGE}\n{LONG} GameDay: 1\nIt rained. GameDay: 1"
    cut = shortened(content, 600, query_terms(ASKED))
    assert len(cut) <= 600
    assert cut.startswith(f"{CURRENT_TIME}\nGame Day: 1\n\n{KNOWLEDGE}\n{CUT} ")
    assert cut.endswith(f"{CUT} GameDay: 1\nIt rained. GameDay: 1")


async def test_an_excerpt_is_shown_in_every_style_and_format(begin: Begin) -> None:
    turn = await (await long_story(begin)).turn("bob", query=ASKED, in_prompt=[])
    for style in ("readable", "stored"):
        for format in ("numbered", "plain", "json"):
            text = turn.text(style=style, format=format)
            assert len(text) < 16_500
            assert f"Alice{', on day 1' if style == 'readable' else ''}: {CUT} Nothing" in text


async def test_what_is_always_included_leaves_room_for_what_was_lived(begin: Begin) -> None:
    story = await begin()
    await story.prepare(lore=[f"Sword {number}. {FILLER * 10}" for number in range(60)])
    await story.say("alice", "The sword is here.", audience=["bob"])
    turn = await story.turn("bob", query="here", in_prompt=[], permanent="always", token_budget=400)
    assert "The sword is here." in turn.text()
    assert sum(each.memory.permanent for each in turn.memories) > 4


async def test_the_line_below_what_must_not_be_said_counts_for_the_budget(begin: Begin) -> None:
    reason = "it was said in confidence, " * 8

    class Confidential:
        def filter(self, event: ReadEvent) -> ReadAnswer:
            return ReadAnswer(unsayable=EVERYTHING, reason=reason)

        def strike(self, event: PlanEvent) -> Sequence[Strike]:
            return []

    for unsayable, number in (("mark", 2), ("leave_out", 4)):
        story = await begin(guards=[Confidential()], fill={"unsayable": unsayable})
        for each in range(4):
            await story.say("alice", f"Sword {each}.", audience=["bob"])
        turn = await story.turn("bob", query="sword", in_prompt=[], token_budget=100)
        assert len(turn.memories) == number


def test_the_default_budget_is_a_setting_like_any_other() -> None:
    assert Settings().recall.token_budget == 4_000
    assert Settings.of(recall={"token_budget": "none"}).recall.token_budget is None
    with pytest.raises(SettingsError, match="token_budget"):
        Settings.of(recall={"token_budget": 0})


# ── the excerpt ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_excerpt_without_what_was_asked_is_the_beginning() -> None:
    assert excerpt("One is here. Two is there. Three is gone.", 36, ["nothing"]) == f"One is here. Two is there. {CUT}"
    found = excerpt(LONG, 300, query_terms("dragon"))
    assert found.startswith(FILLER)
    assert found.endswith(f". {CUT}")


@pytest.mark.parametrize("room", [60, 100, 500, 5_000, 50_000])
@pytest.mark.parametrize(
    "text",
    [LONG, "x" * 60_000, "word " * 12_000, "聖剣は洞窟にある。" * 7_000, "Где же меч? " * 5_000, f"{CUT} " * 20_000],
    ids=["prose", "one word", "no sentences", "Japanese", "Russian", "marks"],
)
def test_an_excerpt_keeps_to_its_room(text: str, room: int) -> None:
    found = excerpt(text, room, query_terms(f"{ASKED} меч 洞窟"))
    assert room / 3 < len(found) <= room
    assert CUT in found


def test_a_mark_of_its_own_is_escaped() -> None:
    assert excerpt(f"One {CUT} two.", 100, []) == f"One \\{CUT} two."


def test_sentences_end_at_the_marks_of_several_scripts() -> None:
    assert list(sentences("Mr. Lee left. Why? 剣はどこ。「ここ。」と言った。\nSo.")) == [
        "Mr. Lee left.",
        "Why?",
        "剣はどこ。",
        "「ここ。」と言った。",
        "So.",
    ]


@pytest.mark.parametrize("piece", ["x", " ", ".", ". ", "\n", "word ", "。", CUT, "Where is the sword? "])
def test_an_excerpt_takes_time_in_proportion_to_the_text(piece: str) -> None:
    def cut(length: int) -> None:
        excerpt(piece * (length // len(piece)), 1_000, ["sword"])

    assert grows_at_most(40, cut, 16_000, 128_000)


@pytest.mark.parametrize(
    ("costs", "budget", "share"), [([1, 2, 3], 6, 3), ([1, 5, 9], 9, 4), ([8, 8], 5, 2), ([], 7, 7), ([4], 9, 4)]
)
def test_a_fair_share_leaves_to_others_what_the_small_do_not_need(costs: list[int], budget: int, share: int) -> None:
    assert fair_share(costs, budget) == share
    assert sum(min(each, share) for each in costs) <= budget
