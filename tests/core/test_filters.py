"""The filter grammar: what it refuses, what it means, how it is written on the command line."""

import json
import math
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earwitness import Session
from earwitness.errors import InvalidFilter
from earwitness.events import PlanEvent, ReadAnswer, ReadEvent, Strike
from earwitness.filters import (
    EVERYTHING,
    NOTHING,
    OPERATORS,
    And,
    Compare,
    Filter,
    In,
    Not,
    Or,
    Scalar,
    all_of,
    equals,
    matches,
    parse,
)
from earwitness.testing.strategies import filters, metadata, scalars

# ── what it means ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("stored", "op", "value", "holds"),
    [
        ("bob", "==", "bob", True),
        ("bob", "==", "Bob", False),
        ("bob", "!=", "alice", True),
        ("bob", "!=", "bob", False),
        (3, "==", 3.0, True),
        (2.5, ">", 2, True),
        (2, ">=", 2, True),
        (2, "<", 2, False),
        (2, "<=", 2, True),
        (3, "!=", 4, True),
        (True, "==", True, True),
        (True, "!=", False, True),
        (2**53 + 1, "==", 2**53, False),
        (2**53 + 1, ">", 2**53, True),
    ],
)
def test_a_comparison_of_the_same_type(stored: Any, op: Any, value: Scalar, holds: bool) -> None:
    assert matches(Compare("field", op, value), {"field": stored}) is holds


@pytest.mark.parametrize("op", ["==", "!="])
@pytest.mark.parametrize(
    ("stored", "value"),
    [("3", 3), (3, "3"), (True, 1), (1, True), (False, 0), ("true", True), (True, "true"), (1.0, True), ("", False)],
)
def test_a_comparison_with_another_type_is_false_either_way(stored: Any, op: Any, value: Scalar) -> None:
    assert not matches(Compare("field", op, value), {"field": stored})


@pytest.mark.parametrize("op", OPERATORS)
def test_a_comparison_with_a_missing_field_is_false(op: Any) -> None:
    assert not matches(Compare("field", op, 0), {"other": 0})
    assert not matches(Compare("field", op, 0), {})


@pytest.mark.parametrize("op", [">", ">=", "<", "<="])
@pytest.mark.parametrize("stored", ["3", True, ["3"], []])
def test_only_numbers_have_an_order(op: Any, stored: Any) -> None:
    assert not matches(Compare("field", op, 2), {"field": stored})


def test_a_list_equals_each_of_its_elements_and_differs_from_all_others() -> None:
    stored = {"participants": ["alice", "bob"], "nobody": []}
    assert matches(equals("participants", "bob"), stored)
    assert not matches(equals("participants", "charlie"), stored)
    assert matches(Compare("participants", "!=", "charlie"), stored)
    assert not matches(Compare("participants", "!=", "bob"), stored)
    assert matches(Compare("nobody", "!=", "bob"), stored)
    assert not matches(equals("nobody", "bob"), stored)


def test_in_holds_for_any_of_its_texts() -> None:
    assert matches(In("speaker", ("alice", "bob")), {"speaker": "bob"})
    assert matches(In("participants", ("alice", "zoe")), {"participants": ["bob", "alice"]})
    assert not matches(In("speaker", ("alice",)), {"speaker": "bob"})
    assert not matches(In("speaker", ("3",)), {"speaker": 3})
    assert not matches(In("speaker", ()), {"speaker": "bob"})
    assert not matches(In("speaker", ("bob",)), {})


def test_not_holds_where_a_field_is_missing() -> None:
    assert matches(Not(equals("speaker", "bob")), {})
    assert matches(Not(Compare("game_day", ">", 3)), {"gameDay": "5"})
    assert not matches(Not(equals("speaker", "bob")), {"speaker": "bob"})


def test_an_empty_and_holds_for_everything_and_an_empty_or_for_nothing() -> None:
    assert matches(EVERYTHING, {})
    assert not matches(NOTHING, {"speaker": "bob"})
    assert not matches(Not(EVERYTHING), {})
    assert matches(Not(NOTHING), {})


@given(filters, filters, metadata)
def test_the_tree_follows_the_laws_of_logic(one: Filter, other: Filter, stored: dict[str, Any]) -> None:
    assert matches(Not(And((one, other))), stored) is matches(Or((Not(one), Not(other))), stored)
    assert matches(Not(Not(one)), stored) is matches(one, stored)
    assert matches(And((one, EVERYTHING)), stored) is matches(Or((one, NOTHING)), stored) is matches(one, stored)
    assert not matches(And((one, NOTHING)), stored)


@given(st.sampled_from(("bob", "3", "")), st.lists(st.sampled_from(("bob", "3", "")), max_size=3), metadata)
def test_in_is_an_or_of_equalities(field: str, wanted: list[str], stored: dict[str, Any]) -> None:
    parts = tuple(equals("speaker", value) for value in wanted)
    assert matches(In("speaker", tuple(wanted)), stored) is matches(Or(parts), stored)


@given(scalars, metadata)
def test_a_field_is_never_both_equal_and_different(value: Scalar, stored: dict[str, Any]) -> None:
    for field in stored:
        assert not (matches(Compare(field, "==", value), stored) and matches(Compare(field, "!=", value), stored))


@given(filters, metadata)
def test_metadata_means_the_same_after_a_round_trip_through_json(filter: Filter, stored: dict[str, Any]) -> None:
    assert matches(filter, json.loads(json.dumps(stored))) is matches(filter, stored)


# ── two spellings ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_field_may_be_written_either_way() -> None:
    assert Compare("game_day", "<=", 3) == Compare("gameDay", "<=", 3)
    assert In("shared_from", ("bob",)) == In("sharedFrom", ("bob",))
    assert matches(equals("is_speaker", True), {"isSpeaker": True})
    assert parse("learned_day<=3") == Compare("learnedDay", "<=", 3)


@pytest.mark.parametrize("name", ["game_day", "game_time", "gameTime", "GameTime", "GameDay"])
def test_every_name_of_the_game_day_is_the_game_day(name: str) -> None:
    assert Compare(name, "<=", 3) == parse(f"{name} <= 3") == Compare("gameDay", "<=", 3)


def test_metadata_is_matched_as_stored() -> None:
    assert not matches(equals("game_day", 3), {"game_day": 3})


# ── what it refuses ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("op", OPERATORS)
def test_only_finite_numbers(op: Any, value: float) -> None:
    with pytest.raises(InvalidFilter, match=r"'gameDay' must be a finite number"):
        Compare("gameDay", op, value)


@pytest.mark.parametrize("op", [">", ">=", "<", "<="])
@pytest.mark.parametrize("value", ["3", True, False])
def test_only_numbers_are_compared_by_order(op: Any, value: Scalar) -> None:
    with pytest.raises(InvalidFilter, match="order comparisons take numbers"):
        Compare("gameDay", op, value)


@pytest.mark.parametrize(
    "text",
    [
        'gameDay<=7 and speaker="alice"',
        'speaker="alice" AND gameDay<=7',
        "type=lore or type=plot",
        "a=1 && b=2",
        "a='b' and c='d'",
    ],
)
def test_a_text_filter_is_one_comparison(text: str) -> None:
    with pytest.raises(InvalidFilter, match=r"must be one comparison.*Several: --filter once for each.* And\(\(…\)\)"):
        parse(text)


@pytest.mark.parametrize("text", ["gameDay==", "gameDay ==  ", "location=", "gameDay<="])
def test_a_comparison_without_a_value_is_refused(text: str) -> None:
    with pytest.raises(InvalidFilter, match=r'has no value\. For an empty text, write .*""'):
        parse(text)
    assert parse('location=""') == equals("location", "")


@pytest.mark.parametrize("title", ["bread and butter", '"x and y=3"', "sand or=2"])
def test_a_value_may_hold_the_words_that_join(title: str) -> None:
    assert parse(f"title={title}") == equals("title", title.strip('"'))


def test_an_unknown_operator_is_refused_with_those_there_are() -> None:
    with pytest.raises(InvalidFilter, match=r"'~=' is not one of == != > >= < <="):
        Compare("speaker", "~=", "bob")  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [None, ["bob"], {"a": 1}, b"bob", object()])
def test_a_value_is_text_a_number_or_a_boolean(value: Any) -> None:
    with pytest.raises(InvalidFilter, match="must be text, a number or a boolean"):
        Compare("speaker", "==", value)


@pytest.mark.parametrize("value", [3, True, None, ["bob"]])
def test_in_takes_texts_only(value: Any) -> None:
    with pytest.raises(InvalidFilter, match="`in` takes strings"):
        In("speaker", ("bob", value))


def test_one_text_is_not_taken_for_its_letters() -> None:
    with pytest.raises(InvalidFilter, match=r"'bob'.*as in \('bob',\)"):
        In("speaker", "bob")  # type: ignore[arg-type]


@pytest.mark.parametrize("garbage", [None, True, "speaker==bob", {}, (), Compare])
def test_what_is_no_filter_holds_for_nothing_not_even_under_not(garbage: Any) -> None:
    for filter in (garbage, Not(garbage), Or((garbage,)), And((EVERYTHING, garbage))):
        with pytest.raises(InvalidFilter, match="is not a filter"):
            matches(filter, {"speaker": "bob"})


# ── putting together ────────────────────────────────────────────────────────────────────────────────────────────────


def test_all_of_leaves_out_what_is_not_there() -> None:
    bob, day = equals("speaker", "bob"), Compare("game_day", "<=", 3)
    assert all_of() == all_of(None) == all_of(EVERYTHING, None) == EVERYTHING
    assert all_of(None, bob, EVERYTHING) == bob
    assert all_of(bob, None, day) == And((bob, day))
    assert all_of(NOTHING, None) == NOTHING


@given(st.lists(st.one_of(st.none(), filters), max_size=4), metadata)
def test_all_of_holds_where_all_parts_do(parts: list[Filter | None], stored: dict[str, Any]) -> None:
    given_parts = [part for part in parts if part is not None]
    assert matches(all_of(*parts), stored) is all(matches(part, stored) for part in given_parts)


def test_a_text_is_looked_up_among_many_not_compared_with_each() -> None:
    class Counted(str):
        compared = 0

        def __eq__(self, other: object) -> bool:
            Counted.compared += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    many = In("speaker", tuple(Counted(f"v{n}") for n in range(1000)))
    assert matches(many, {"speaker": "v7"})
    assert not matches(many, {"speaker": "w"})
    assert matches(many, {"speaker": ["w", "v9"]})
    assert Counted.compared < 100


# ── fields that nobody has ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ('locaton = "tavern"', ("filter: no memory here has 'locaton'. Did you mean 'location'?",)),
        (Not(Compare("gameday", "==", 9)), ("filter: no memory here has 'gameday'. Did you mean 'gameDay'?",)),
        (And((In("speker", ("alice",)), Compare("xyz", "==", 1))), ("speker", "xyz")),
        ('location = "attic"', ()),
        ("mood == grim", ()),
        (Compare("mood", "!=", "grim"), ()),
    ],
)
async def test_a_field_that_no_memory_has_is_reported_with_what_may_be_meant(
    begin: Callable[..., Awaitable[Session]], asked: Filter | str, said: tuple[str, ...]
) -> None:
    story = await begin(present=["alice"])
    assert (await story.turn("alice", filter=asked)).failures == ()  # nothing is remembered yet
    await story.say("alice", "Tea!")
    await story.remember("alice", "She is tired.", metadata={"mood": "tired"})
    failures = (await story.turn("alice", filter=asked)).failures
    assert len(failures) == len(said)
    assert all(part in failure for part, failure in zip(said, failures, strict=True))


class Guarding:
    """Lets through what its filter says."""

    def __init__(self, filter: Filter, unsayable: Filter = NOTHING, fields: tuple[str, ...] = ()) -> None:
        self._answer = ReadAnswer(filter=filter, unsayable=unsayable, fields=fields)

    def filter(self, event: ReadEvent) -> ReadAnswer:
        return self._answer

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        return ()


@pytest.mark.parametrize(
    ("guard", "said", "seen"),
    [
        (Guarding(Compare("contextTyp", "==", "dm")), "'contextTyp'. Did you mean 'contextType'?", 0),
        (Guarding(Not(equals("gameday", 9))), "'gameday'. Did you mean 'gameDay'?", 0),
        (Guarding(Or((Not(equals("speaekr", "x")), EVERYTHING))), "'speaekr'. Did you mean 'speaker'?", 0),
        (Guarding(EVERYTHING, equals("speeker", "bob")), "'speeker'. Did you mean 'speaker'?", 0),
        (Guarding(Not(equals("word", "bob")), fields=("word",)), None, 1),
        (Guarding(Not(equals("secrecy_of_mine", 3))), None, 1),
        (Guarding(Not(equals("sharedWith", "bob"))), "'sharedWith'. Did you mean 'sharedFrom'?", 1),
        (Guarding(Not(equals("sharedWith", "bob")), fields=("sharedWith",)), None, 1),
        (Guarding(equals("contextType", "private_channel")), None, 1),
    ],
)
async def test_a_guard_whose_filter_misspells_a_field_withholds_everything_and_is_named(
    begin: Callable[..., Awaitable[Session]], guard: Guarding, said: str | None, seen: int
) -> None:
    story = await begin(present=["alice"], guards=[guard], strict=False)
    await (await story.say("alice", "Tea!")).settled()
    turn = await story.turn("alice", query="tea", in_prompt=[])
    assert len(turn.memories) == seen
    assert len(turn.failures) == (said is not None)
    assert said is None or said in turn.failures[0]


async def test_inspecting_with_a_filter_that_matches_nothing_says_why(
    begin: Callable[..., Awaitable[Session]],
) -> None:
    story = await begin(present=["alice"], state={"current_scene": "tavern"})
    await story.say("alice", "Tea!")
    back = story.backstage()
    (why,) = (await back.inspect("alice", filter='locaton = "tavern"')).warnings
    assert why.startswith("no memory here has 'locaton'. Did you mean 'location'? They have: contextType, ")
    (why,) = (await back.inspect("alice", filter='location = "tavren"')).warnings
    assert why == "location is never 'tavren' here. Did you mean 'tavern'? It is: tavern"
    assert (await back.inspect("alice", filter="gameDay>3")).warnings == ()
    assert (await back.inspect("alice", filter='location = "tavern"')).warnings == ()
