"""Words: folding, stemming, stop words, unspaced scripts, and our own furniture."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earwitness.formats import character_memory, message_line, recall_query, update_line, with_knowledge
from earwitness.words import STOP_WORDS, coverage, plain, query_terms, query_words, terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Sword", "swords"),
        ("city", "CITIES"),
        ("agreed", "agrees"),
        ("hop", "hopping"),
        ("hope", "hoping"),
        ("leave", "leaves"),
        ("leaving", "leave"),
        ("make", "making"),
        ("pass", "passes"),
        ("study", "studied"),
        ("party", "parties"),
        ("box", "boxed"),
        ("need", "needed"),
    ],
)
def test_forms_of_a_word_are_one_term(one: str, other: str) -> None:
    assert terms(one) == terms(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("hop", "hope"), ("his", "hi"), ("focus", "focu"), ("glass", "glas"), ("thing", "the"), ("feed", "fe")],
)
def test_words_that_only_look_alike_stay_apart(one: str, other: str) -> None:
    assert terms(one) != terms(other)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Zoë NAÏVE Ångström", ["zoe", "naiv", "angstrom"]),
        ("e\u0301te\u0301", ["ete"]),
        ("Straße Łukasz Ærø þorn", ["strass", "lukasz", "aero", "thorn"]),
        ("br\u200bave\u00ad ly", ["brave", "ly"]),
        ("\uff46\uff55\uff4c\uff4c ① ﬁsh", ["full", "1", "fish"]),
        ("ΌΔΟΣ οδος", ["οδοσ", "οδοσ"]),
        ("Ёлка Елка", ["елка", "елка"]),
        ("नमस्ते दुनिया। क़िला किला", ["नमस्ते", "दुनिया", "क़िला", "किला"]),
        ("snake_case don't O'Neill 3.5", ["snake", "case", "don", "t", "o", "neill", "3", "5"]),
        ("☀️🗡 …—!", []),
        ("", []),
    ],
)
def test_case_accents_and_invisible_signs_are_folded(text: str, folded: list[str]) -> None:
    assert terms(text) == folded


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("圣剑在山", ["圣", "剑", "在", "山", "圣剑", "剑在", "在山"]),
        ("Alice的剑", ["alic", "的", "剑", "的剑"]),
        ("か が", ["か", "が"]),
        ("안녕", ["안", "녕", "안녕"]),
        ("ﾃｽﾄ", ["テ", "ス", "ト", "テス", "スト"]),
        ("剑", ["剑"]),
    ],
)
def test_unspaced_scripts_are_single_characters_and_pairs(text: str, found: list[str]) -> None:
    assert terms(text) == found


def test_terms_keep_their_order_and_repeats() -> None:
    assert terms("the sword, the stone, the sword") == ["the", "sword", "the", "stone", "the", "sword"]


def test_a_question_is_asked_without_stop_words_each_term_once() -> None:
    assert query_terms("What did Alice tell Bob about the swords, and who has the sword?") == [
        "alic",
        "tell",
        "bob",
        "sword",
    ]


@pytest.mark.parametrize("text", ["Who are you?", "to be or not to be"])
def test_a_question_in_stop_words_only_keeps_them(text: str) -> None:
    assert query_terms(text) == list(dict.fromkeys(terms(text)))


def test_names_that_look_like_function_words_are_asked_for() -> None:
    assert STOP_WORDS.isdisjoint({"will", "may", "us", "mark"})


def test_a_question_remembers_how_its_words_were_written() -> None:
    assert query_words("Where are the hidden cities?") == {"hidden": "hidden", "cities": "citi"}


def test_a_recall_query_asks_for_names_and_contents_only() -> None:
    recent = [message_line("Eve", "Who stole the crown?", 3), message_line("Bob", "The current king!", 3.5)]
    assert query_terms(recall_query(3.5, recent, "Charlie")) == ["eve", "stole", "crown", "bob", "current", "king"]


def test_a_memory_is_its_names_contents_and_knowledge_without_furniture() -> None:
    told = with_knowledge(character_memory("Bob", "My boots!", 3, 4), [update_line("The king is ill", 2)])
    assert terms(plain(told)) == ["bob", "my", "boot", "the", "king", "is", "ill"]


@pytest.mark.parametrize("text", ["###Message###", "Game Day: 3", "Message: ", "nothing of ours"])
def test_a_text_that_is_all_furniture_or_none_stays_whole(text: str) -> None:
    assert plain(text) == text


def test_what_somebody_said_about_messages_and_days_stays() -> None:
    assert plain("The message: come on game day 3, ###now###.") == "The message: come on game day 3, ###now###."


@pytest.mark.parametrize(
    ("query", "text", "share"),
    [
        ("the Sacred Sword", "Alice found the sacred swords.", 1),
        ("the Sacred Sword", "A rusty sword.", 0.5),
        ("Sword sword", "A rusty sword.", 1),
        ("the Sacred Sword", "Soup.", 0),
        ("", "Soup.", 0),
        ("message", message_line("Bob", "Soup.", 1), 0),
        ("圣剑", "他有圣剑", 1),
    ],
)
def test_coverage_is_the_share_of_a_querys_terms_that_a_text_has(query: str, text: str, share: float) -> None:
    assert coverage(query, text) == share


def test_an_endless_word_is_cut() -> None:
    assert terms("x" * 5000) == ["x" * 60]


@given(st.text(max_size=60))
def test_any_text_has_terms_without_spaces_the_same_in_any_case(text: str) -> None:
    assert all(term and not any(sign.isspace() for sign in term) for term in terms(text))
    assert set(query_terms(text)) <= set(terms(plain(text)))
    assert coverage(text, text) in {0.0, 1.0}


@given(st.text(max_size=40), st.text(max_size=40))
def test_words_of_two_lines_are_the_words_of_each(one: str, other: str) -> None:
    assert terms(f"{one}\n{other}") == terms(one) + terms(other)
