"""The detector `rules`: thoughts and whispers between marks, and behind words, that are nobody's convention."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Begin = Callable[..., Any]
HERE = ("alice", "bob", "charlie")
SECRET = "the well is poisoned"
INNER = f"I can't tell them that {SECRET}."
ELSE = '"Good day, Bob."'


@pytest.mark.parametrize("mark", ["/", "\\", "~", "~~", "%", "=", "-", "|", "+", "::", ":: ", "//"])
def test_a_thought_between_odd_marks_is_nobody_elses(story: Begin, mark: str) -> None:
    heard = story(here=HERE).hears("alice", f"{mark}{INNER}{mark[::-1]} {ELSE}")
    assert all(SECRET not in heard[id] and "Good day" in heard[id] for id in ("bob", "charlie"))


@pytest.mark.parametrize(
    "thought",
    [
        f"oO({SECRET}) {ELSE}",
        f".oO({SECRET}) {ELSE}",
        f"/* {SECRET} */ {ELSE}",
        f"{{thinking}} {SECRET} {{/thinking}} {ELSE}",
        f"{ELSE} '{INNER}'",
        f"“Good day, Bob.” ‘{INNER}’",
        f"[sotto voce] {SECRET}. {ELSE}",
        f"Alice (internally): {SECRET}.",
        f"Private note: {SECRET}.",
        f"*makes a mental note: {SECRET}* {ELSE}",
        f"Inside, Alice was screaming that {SECRET}. {ELSE}",
        f"*Her mind raced. {SECRET.capitalize()}, she was certain.* {ELSE}",
        f"*remembers Bob whispering that {SECRET}* {ELSE}",
        f"Inner Alice: {SECRET}!",
        f"*a memory flashes: {SECRET}* {ELSE}",
        f"*flashback to when {SECRET}* {ELSE}",
        f"<aside>{SECRET}</aside> Good day, Bob.",
        f"She kept the truth about it, that {SECRET}, to herself. {ELSE}",
        f"*She can't believe that {SECRET}.* {ELSE}",
    ],
)
def test_an_odd_form_of_a_thought_or_an_aside_is_nobody_elses(story: Begin, thought: str) -> None:
    heard = story(here=HERE).hears("alice", thought)
    assert not [id for id in ("bob", "charlie") if SECRET in heard.get(id, "").lower()]


@pytest.mark.parametrize(
    "whisper",
    [
        f'"{SECRET.capitalize()}," she confided to Bob, low enough that the others didn\'t catch it.',
        f'"{SECRET.capitalize()}" - whispered to Bob',
        f"{SECRET.capitalize()}, I whisper to Bob.",
    ],
)
def test_a_whisper_told_behind_it_is_for_one(story: Begin, whisper: str) -> None:
    heard = story(here=HERE).hears("alice", whisper)
    assert SECRET in heard["bob"].lower()
    assert SECRET not in heard.get("charlie", "").lower()


@pytest.mark.parametrize(
    "said",
    [
        f"Well, /I/ must say -and I mean it- that {SECRET}.",
        f"I must go now - {SECRET} - see you!",
        f"oO {SECRET}!",
        f"=) {SECRET} =)",
        f"I'm sure {SECRET}, Bob.",
        f"The room is quiet enough that you can hear it: {SECRET}.",
        f"Turn /left/right/ and see that {SECRET}.",
    ],
)
def test_ordinary_signs_set_off_nothing(story: Begin, said: str) -> None:
    heard = story(here=HERE).hears("alice", said)
    assert all(SECRET in heard[id] for id in ("bob", "charlie"))


@pytest.mark.parametrize(
    "direction",
    [
        "(PM Bob)",
        "@bob whisper:",
        "to bob only:",
        "Leaning in, Alice told Bob under her breath that",
        "*gestures to Bob behind the others' backs:*",
    ],
)
def test_a_direction_before_the_words_says_for_whom_they_are(story: Begin, direction: str) -> None:
    heard = story(here=HERE).hears("alice", f"{direction} {SECRET}.")
    assert SECRET not in heard.get("charlie", "")
