"""Ids: what they may hold, how they derive, and the names of containers."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from earwitness import Character, Earwitness, Session, ids
from earwitness.containers import (
    Container,
    character_container,
    decode,
    encode,
    pantheon_container,
    world_container,
)
from earwitness.errors import InvalidId
from earwitness.ids import (
    RESERVED_SESSION_PREFIXES,
    check_character_id,
    check_key,
    check_new_session_id,
    check_session_id,
    derive,
    memory_id,
    own_key,
)
from earwitness.records import character
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness.testing.samples import ODD_NAMES
from earwitness_plugins.applications.replay import roles

Check = Callable[[str], str]
CHECKS: tuple[Check, ...] = (check_session_id, check_character_id, check_key)
USABLE = (
    "alice",
    "s1",
    "x-world",
    "shadow_fox",
    "Zoë",
    "空",
    "🗡",
    "a b",
    "a'b",
    'a"b',
    "a/b",
    "..",
    "%",
    "'; DROP TABLE x; --",
)
INVISIBLE = (
    "",
    " ",
    " a",
    "a ",
    "a\n",
    "\ta",
    "a\nb",
    "a\x00b",
    "a\u200bb",
    "a\u202eb",
    "a\u2028b",
    "\ud800",
    "\ufeffa",
)
INVISIBLE_CHARACTERS = (
    *"\ufe0f\u3164\u2800\u034f\u115f\u1160\uffa0\u17b4\u180b\u180f\u2065\ufff0",
    *"\U0001d159\U000e0100\u00a0\u2003\u3000",
)
parts = st.one_of(st.none(), st.text(max_size=5), st.integers())


# ── what an id may hold ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("id", USABLE)
def test_any_visible_text_is_an_id(check: Check, id: str) -> None:
    assert check(id) == id


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("id", INVISIBLE)
def test_an_id_with_anything_invisible_is_refused_and_quoted(check: Check, id: str) -> None:
    with pytest.raises(InvalidId) as refused:
        check(id)
    assert repr(id) in str(refused.value)


@pytest.mark.parametrize("character", INVISIBLE_CHARACTERS, ids=lambda each: f"U+{ord(each):04X}")
async def test_a_new_id_that_looks_like_another_is_refused_and_says_where_it_differs(
    begin: Callable[..., Awaitable[Session]], open_app: Callable[..., Awaitable[Earwitness]], character: str
) -> None:
    odd, seen = f"b{character}ob", f"U+{ord(character):04X}, which is invisible"
    with pytest.raises(InvalidId, match=re.escape(seen)):
        check_new_session_id(odd)
    for member in (Character(odd), Character("x", personality_id=odd), Character("x", kind="persona", user_id=odd)):
        with pytest.raises(InvalidId, match=re.escape(seen)):
            await (await open_app()).session("s1", cast=[member])
    story = await begin(cast=["bob"])
    with pytest.raises(InvalidId, match=re.escape(seen)):
        await story.join(odd)
    with pytest.raises(InvalidId, match=re.escape(seen)):
        await story.say("bob", "Hello.", key=odd)
    app = await open_app()
    with pytest.raises(InvalidId, match=re.escape(seen)):
        await app.register(pantheon_container(odd))


async def test_a_story_of_an_older_version_opens_with_the_invisible_characters_it_has(
    open_app: Callable[..., Awaitable[Earwitness]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, store, odd = MemoryLedger(), MemoryStore(), "bob\ufe0f"
    with monkeypatch.context() as older:
        older.setattr(ids, "invisible", lambda id: None)
        older.setattr(character, "invisible", lambda id: None)
        app = await open_app(ledger=ledger, store=store)
        await app.register(pantheon_container(odd))
        story = await app.session(odd, cast=["bob", odd])
        await (await story.say(odd, "Hello.", key=odd)).settled()
    again = await open_app(ledger=ledger, store=store)
    story = await again.session(odd, cast=["bob", Character(odd, aliases=["Robert"])])
    assert (await (await story.say(odd, "Hello.", key=odd)).settled()).participants.keys() == {odd}
    await again.register(pantheon_container(odd))
    await again.session("s1", cast=["bob"])
    assert await again.invisible_ids() == {odd: (odd, odd)}


def test_an_id_made_of_a_name_has_no_invisible_character() -> None:
    assert roles.character_id("Lady\u3164Capulet") == "lady_capulet"
    assert roles.session_id("Act\u3164One") == "Act-One"


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("id", [None, 3, b"a", ["a"]])
def test_an_id_is_text(check: Check, id: Any) -> None:
    with pytest.raises(InvalidId, match="must be text"):
        check(id)


def test_an_id_has_a_longest_length() -> None:
    assert check_session_id("a" * 100) == check_character_id("a" * 100) == "a" * 100
    assert check_key("a" * 200) == "a" * 200
    for check, longest in ((check_session_id, 100), (check_character_id, 100), (check_key, 200)):
        with pytest.raises(InvalidId, match=f"1 to {longest} characters"):
            check("a" * (longest + 1))


@pytest.mark.parametrize("id", ["world", "World", "WORLD"])
def test_no_character_is_the_world(id: str) -> None:
    with pytest.raises(InvalidId, match="reserved for the world container"):
        check_character_id(id)


def test_a_session_may_be_called_world() -> None:
    assert check_session_id("world") == "world"
    assert check_character_id("worldly") == "worldly"


@pytest.mark.parametrize("prefix", RESERVED_SESSION_PREFIXES)
def test_no_new_session_begins_like_a_shared_container(prefix: str) -> None:
    for id in (prefix, f"{prefix}x", f"{prefix.upper()}x", f"{prefix.title()}x"):
        with pytest.raises(InvalidId, match="names shared containers"):
            check_new_session_id(id)
        assert check_session_id(id) == id
    assert check_new_session_id(f"x{prefix}x") == f"x{prefix}x"
    assert check_character_id(f"{prefix}x") == f"{prefix}x"


def test_prefixes_of_every_kind_beyond_sessions_are_reserved() -> None:
    named = {"persona-", "user-", "global-canon-", "pantheon-", "conversation-"}
    assert named <= set(RESERVED_SESSION_PREFIXES)


def test_keys_that_earwitness_makes_are_its_own() -> None:
    for key in ("#1", "#", "#x"):
        with pytest.raises(InvalidId, match="marks the keys Earwitness makes"):
            check_key(key)
    assert check_key("1#") == "1#"


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_a_key_of_our_own_names_one_entry_and_no_host_can_give_it(one: int, other: int) -> None:
    assert (own_key(one) == own_key(other)) is (one == other)
    with pytest.raises(InvalidId):
        check_key(own_key(one))


# ── how ids derive ──────────────────────────────────────────────────────────────────────────────────────────────────


@given(st.lists(parts, max_size=4), st.lists(parts, max_size=4))
@example(["a", "bc"], ["ab", "c"])
@example([None], ["None"])
@example([None], [""])
@example(["1:a"], ["1", "a"])
@example(["-"], [None])
@example([], [""])
def test_other_parts_give_another_id(one: list[object], other: list[object]) -> None:
    same = [None if part is None else str(part) for part in one] == [
        None if part is None else str(part) for part in other
    ]
    assert (derive(*one) == derive(*other)) is same


@given(st.lists(parts, max_size=4))
def test_an_id_is_short_and_plain_everywhere(given_parts: list[object]) -> None:
    assert re.fullmatch("[a-z0-9]{26}", derive(*given_parts))


def test_an_id_is_the_same_in_every_process_and_version() -> None:
    assert derive("memory", "s1", "#1", 0, "s1-alice", "message") == memory_id("s1", "#1", 0, "s1-alice", "message")
    assert memory_id("s1", "#1", 0, "s1-alice", "message") == "32c31853bad86dd58bce7e26c3"


@pytest.mark.parametrize("changed", range(5))
def test_everything_that_makes_a_memory_makes_its_id(changed: int) -> None:
    made: list[object] = ["s1", "#1", 0, "s1-alice", "message"]
    other = [*made]
    other[changed] = 1 if changed == 2 else "other"
    assert memory_id(*made) != memory_id(*other)  # type: ignore[arg-type]


def test_an_id_derives_from_text_that_no_file_could_hold() -> None:
    assert derive("\ud800") != derive("\udfff")


# ── containers ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_containers_are_named_after_session_and_owner() -> None:
    assert character_container("s1", "alice") == Container(
        name="s1-alice", kind="character", owner="alice", session="s1"
    )
    assert world_container("s1") == Container(name="s1-world", kind="world", owner="world", session="s1")


def test_some_names_are_ambiguous_which_is_why_there_is_a_register() -> None:
    assert character_container("s1", "x-world").name == world_container("s1-x").name


names = st.one_of(st.sampled_from(ODD_NAMES), st.text(st.characters(exclude_categories=["Cs"]), max_size=20))


@given(names, st.sampled_from("_.~%="))
@example("_", "_")
@example("a_20b", "_")
@example("%5F", "_")
@example("..", ".")
def test_an_encoded_name_comes_back(name: str, escape: str) -> None:
    assert decode(encode(name, escape=escape), escape=escape) == name


@given(names, names)
@example("a b", "a_20b")
@example("á", "a\u0301")
def test_two_names_are_never_encoded_alike(one: str, other: str) -> None:
    assume(one != other)
    assert encode(one) != encode(other)


@given(names, st.sampled_from("_.~="))
def test_an_encoded_name_keeps_to_a_narrow_alphabet(name: str, escape: str) -> None:
    assert set(encode(name, escape=escape)) <= set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-" + escape
    )


def test_an_ordinary_name_stays_readable() -> None:
    assert encode("s1-alice") == "s1-alice"
    assert encode("s1-shadow_fox") == "s1-shadow_5Ffox"
