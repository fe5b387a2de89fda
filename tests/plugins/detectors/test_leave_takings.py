"""Plain leave-takings and look-alikes in eight languages, listed by hand before any phrase was written."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from earwitness.errors import SettingsError
from earwitness.rehearsal import Rehearsal
from earwitness_plugins.detectors.acts.inventory import inventory
from earwitness_plugins.detectors.acts.phrases import Phrases, set_of
from earwitness_plugins.detectors.acts.signs import signs
from earwitness_plugins.detectors.acts.tokens import tokenised, words_in
from earwitness_plugins.detectors.rules import RulesDetector

FOLDER = Path(__file__).parent / "leave_takings"
LANGUAGES = ("de", "en", "es", "fr", "ja", "pt", "ru", "zh")
BEFORE = [("Ben", "Hello everybody."), ("Tom", "Hi Ben."), ("Eve", "Hi."), ("Ann", "Good to see you all.")]


def lines(language: str) -> list[tuple[str, bool]]:
    """Each line, and whether Ann is gone once she has said it."""
    written = (FOLDER / f"{language}.txt").read_text("utf-8").splitlines()
    return [(line[2:], line[0] == "+") for line in written if line[:2] in ("+ ", "- ")]


def is_held_out(text: str) -> bool:
    """The half that was only scored, never looked at: chosen by hash."""
    return hashlib.sha256(text.encode()).digest()[0] % 2 == 1


async def is_gone_after(text: str, detector: RulesDetector) -> bool:
    rehearsal = Rehearsal(detector, ["Ann", "Ben", "Tom", "Eve"])
    for speaker, said in [*BEFORE, ("Ann", text)]:
        await rehearsal.tell(speaker, said)
    after = await rehearsal.tell("Ben", "The key is under the third barrel.")
    return "Ann" not in after.settled.participants


@pytest.mark.parametrize("language", LANGUAGES)
async def test_most_leave_takings_are_read_and_few_others(language: str) -> None:
    detector = RulesDetector()
    found = [(text, gone, await is_gone_after(text, detector)) for text, gone in lines(language)]
    leaving, staying = [x for x in found if x[1]], [x for x in found if not x[1]]
    assert sum(read for _, _, read in leaving) >= 0.85 * len(leaving), [x for x, _, read in leaving if not read]
    assert sum(read for _, _, read in staying) <= 0.15 * len(staying), [x for x, _, read in staying if read]


def test_the_list_is_long_and_no_line_stands_in_it_twice() -> None:
    every = [line for language in LANGUAGES for line in lines(language)]
    assert sum(gone for _, gone in every) >= 300
    assert sum(not gone for _, gone in every) >= 300
    assert len({text for text, _ in every}) == len(every)
    assert 0.4 < sum(is_held_out(text) for text, _ in every) / len(every) < 0.6


async def test_a_host_adds_phrases_of_its_own() -> None:
    assert not await is_gone_after("Ich mach die Fliege.", RulesDetector())
    assert await is_gone_after("Ich mach die Fliege.", RulesDetector(phrases={"leaves": ["ich mach die fliege"]}))


def test_an_unknown_act_among_the_phrases_is_named() -> None:
    with pytest.raises(SettingsError, match=r"no act 'departs'.*leaves, perhaps"):
        RulesDetector(phrases={"departs": ["off we go"]})


def found_in(text: str, *phrases: str) -> list[str]:
    made = Phrases()
    made.add("act", phrases, {}, frozenset())
    words = tokenised(text, frozenset()).words
    return [" ".join(words[hit.first : hit.behind]) for hit in made.find(words)]


@pytest.mark.parametrize(
    ("phrase", "text", "found"),
    [
        ("i (have|need) to go", "Well, I need to go now", "i need to go"),
        ("bye [bye]", "Bye bye!", "bye bye"),
        ("i’m off", "I'm off, love", "im off"),
        ("put my … on", "I put my big old hat on", "put my big old hat on"),
        ("我先走", "我先走了", "我 先 走"),
    ],
)
def test_a_phrase_is_words_choices_and_gaps(phrase: str, text: str, found: str) -> None:
    assert found in found_in(text, phrase)


@pytest.mark.parametrize(
    "text",
    [
        "I'm off, Bob's here - byeee!",
        "I’m off — “bye”",
        "Bob: 我先走了, bye",
        "l’école d'été; ciao_ciao",
        "It's 5:30…",
        "",
    ],
)
def test_words_alone_are_those_of_the_text_in_clauses(text: str) -> None:
    fillers = frozenset({"here"})
    assert words_in(text, fillers) == tokenised(text, fillers).words


def test_a_phrase_goes_on_behind_the_set_that_it_begins_with() -> None:
    sets: dict[str, Any] = {"who": set_of(["i", "i myself", "we two"], {}, frozenset())}
    made = Phrases()
    made.add("act", ["<who> leave", "<who> … go", "so long"], sets, frozenset())
    for text in ("i leave", "i myself leave", "we two leave", "we two must go", "so long"):
        assert [hit.behind for hit in made.find(tuple(text.split()))] == [len(text.split())], text
    for text in ("we leave", "i myself", "so we", "so", "we two"):
        assert made.find(tuple(text.split())) == [], text


def test_a_phrase_without_words_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"has no words"):
        found_in("bye", "[bye]")


def test_what_a_phrase_is_for_is_found_by_every_thread_that_reads_at_once() -> None:
    made = Phrases()
    made.add("act", [f"off to town number {count}" for count in range(200)], {}, frozenset())
    words = tokenised("I am off to town number 199", frozenset()).words
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(made.find, [words] * 16))
    assert [[hit.act for hit in each] for each in found] == [["act"]] * 16


def test_a_set_may_hold_phrases_that_begin_with_another_set() -> None:
    sets: dict[str, Any] = {}
    for name, phrases in {"when": ["now", "at once"], "going": ["<when> leaving", "gone"]}.items():
        sets[name] = set_of(phrases, sets, frozenset())
    made = Phrases()
    made.add("act", ["i am <going>"], sets, frozenset())
    words = tokenised("I am at once leaving, I am gone, I am leaving", frozenset()).words
    assert [" ".join(words[hit.first : hit.behind]) for hit in made.find(words)] == [
        "i am at once leaving",
        "i am gone",
    ]


def test_a_phrase_with_an_unknown_set_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"<going>"):
        found_in("bye", "i am <going>")


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("If it rains, I'm going home.", "if"),
        ("Tomorrow I'm going home.", "later"),
        ("So, am I to believe you, I'm going home?", "asked"),
        ("It was a last goodbye.", "told"),
        ("I'm not going home.", "not"),
    ],
)
def test_what_speaks_against_a_phrase_is_noted_with_it(text: str, doubt: str) -> None:
    found = signs([(text, ())], inventory()).found
    assert not [act for act, doubts in found if act in ("leaves", "farewell") and not doubts]
    assert doubt == "not" or any(doubt in doubts for _, doubts in found)


async def test_a_greeting_that_sounds_like_a_farewell_moves_nobody() -> None:
    assert not await is_gone_after("Nice to see you all again!", RulesDetector())


@pytest.mark.parametrize(
    "text",
    [
        "Muting this for tonight, exam in the morning.",
        "Going silent until Thursday.",
        "The taxi's here, thanks for the soup!",
        "My phone is nearly dead, for a bit I'm in the cellar.",
        "I'll be in the garden if anybody asks.",
    ],
)
async def test_until_when_is_no_other_day(text: str) -> None:
    assert await is_gone_after(text, RulesDetector())


@pytest.mark.parametrize(
    "text",
    [
        "I have to say goodbye to my bicycle in June.",
        "A good night's rest is all he needs.",
        "See you soon was the last thing she wrote.",
        "Time to go over the list.",
    ],
)
async def test_a_farewell_that_is_talked_about_moves_nobody(text: str) -> None:
    assert not await is_gone_after(text, RulesDetector())
