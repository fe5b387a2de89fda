"""Whatever is handed in, errors are ours, valid text, and below 2 KB; and nothing is kept that cannot be read again."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness, Plugin, RecallEvent, Session, Settings, filters
from earwitness.errors import EarwitnessError, InputError, InvalidFilter, SettingsError, StoryError
from earwitness.loading.files import read_toml, read_yaml, yaml_text
from earwitness.story_export import StoryExport

Begin = Callable[..., Awaitable[Session]]
OpenApp = Callable[..., Awaitable[Earwitness]]
LONGEST = 2_048
HUGE = 10**5_000


def bomb(indent: str = "") -> str:
    """Nine lists of nine aliases each: some 500 bytes that stand for 400 million words."""
    lines = [f"{indent}a: &a [x,x,x,x,x,x,x,x,x]"]
    lines += [
        f"{indent}{to}: &{to} [{','.join([f'*{of}'] * 9)}]" for of, to in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    return "\n".join(lines) + "\n"


YAML = {
    "an alias bomb": bomb(),
    "an alias bomb in a state": f"story: s\ncast: [alice]\nstate:\n  weather:\n{bomb('    ')}steps: []\n",
    "an alias bomb in a change": f"story: s\ncast: [alice]\nsteps:\n- change:\n    weather:\n{bomb('      ')}",
    "an alias within what it names": "a: &a [*a]",
    "a table within itself": "a: &a {b: *a}",
    "a boolean that is none": "a: !!bool maybe",
    "a number of 4,300 digits": f"a: 0x{'f' * 4_300}",
    "a day of 4,300 digits": f"steps: [{{change: {{game_day: 0x{'f' * 4_300}}}}}]",
    "a list as a key": "? [a, b]\n: 1",
    "a set": "a: !!set {b}",
    "bytes": "a: !!binary aGk=",
    "deep lists": "a: " + "[" * 5_000,
    "lists nested 200 deep": "a: " + "[" * 200 + "]" * 200,
    "a long tag": f"a: !<{'x' * 5_000}> b",
}
TOML = {
    "deep lists": "a = " + "[" * 100_000,
    "deep keys": "a." * 5_000 + "b = 1",
    "a number of 5,000 digits": f"a = {'9' * 5_000}",
    "a hex number of 5,000 digits": f"[detector]\nname = 'rules'\nx = 0x{'f' * 5_000}",
    "half an emoji": 'a = "\\ud800"',
    "a long key": f"{'x' * 100_000} = 1",
}


def check(error: EarwitnessError) -> None:
    """Errors are valid text, and short."""
    assert len(str(error).encode()) < LONGEST


@pytest.mark.parametrize("text", YAML.values(), ids=YAML)
def test_no_story_file_takes_more_than_a_person_could_read(text: str) -> None:
    with pytest.raises(StoryError) as refused:
        yaml_text(text, "story.yaml", StoryError)
    check(refused.value)


def test_aliases_that_repeat_little_are_read() -> None:
    assert yaml_text("a: &a [1, 2]\nb: [*a, *a]", "story.yaml", StoryError).value == {"a": [1, 2], "b": [[1, 2]] * 2}


@pytest.mark.parametrize("text", TOML.values(), ids=TOML)
def test_no_settings_file_takes_more_than_a_person_could_read(tmp_path: Path, text: str) -> None:
    file = tmp_path / "earwitness.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(SettingsError) as refused:
        Settings.load(file)
    check(refused.value)


@pytest.mark.parametrize("path", ["a\x00b", "x" * 5_000, "x/" * 3_000 + "a", "a\ud800"])
async def test_a_path_that_no_system_takes_is_refused_in_our_words(path: str, tmp_path: Path) -> None:
    for read in (
        lambda: read_yaml(tmp_path / path, StoryError),
        lambda: read_toml(tmp_path / path, SettingsError),
        lambda: Settings.load(tmp_path / path),
    ):
        with pytest.raises(EarwitnessError) as refused:
            read()
        check(refused.value)
    with pytest.raises(EarwitnessError) as unopened:
        async with Earwitness.open(tmp_path / path, embedder="none"):
            pass
    check(unopened.value)


@pytest.mark.parametrize(
    "text", ["a" + " " * 100_000, "[" * 100_000, "x" * 50_000, "a==" + "[" * 100_000, "a\ud800==1"]
)
def test_a_filter_that_is_too_long_or_no_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidFilter) as refused:
        filters.parse(text)
    check(refused.value)


def test_brackets_in_a_filter_are_text() -> None:
    assert filters.parse("a==" + "[" * 9_000) == filters.Compare("a", "==", "[" * 9_000)


@pytest.mark.parametrize(
    "make",
    [
        lambda: filters.Compare("a\ud800", "==", 1),
        lambda: filters.Compare(5, "==", 1),  # type: ignore[arg-type]
        lambda: filters.Compare("a", [], 1),  # type: ignore[arg-type]
        lambda: filters.Compare("a", "==", [HUGE]),  # type: ignore[arg-type]
        lambda: filters.In("a", 5),  # type: ignore[arg-type]
        lambda: filters.In("a", "x" * 10**6),  # type: ignore[arg-type]
        lambda: filters.as_filter(["x" * 10**6]),
    ],
)
def test_a_filter_of_the_wrong_kinds_is_refused(make: Callable[[], object]) -> None:
    with pytest.raises(InvalidFilter) as refused:
        make()
    check(refused.value)


async def test_an_export_that_was_tampered_with_is_refused(begin: Begin) -> None:
    story = await begin()
    await (await story.say("alice", "Hello.", key="m1")).settled()
    whole = json.dumps([line async for line in story.backstage().export()])
    for broken in (
        whole.replace('"id": "alice"', '"no": "alice"'),
        re.sub(r'"confidence": [0-9.]+', '"confidence": NaN', whole),
    ):
        assert broken != whole
        with pytest.raises(InputError) as refused:
            StoryExport.read(json.loads(broken))
        check(refused.value)


class Writes(Plugin):
    """Writes into its data, past every check."""

    name = "writes"

    def __init__(self, value: Any) -> None:
        self.value = value

    def on_recall(self, event: RecallEvent) -> None:
        event.data.changes["a"] = self.value


@pytest.mark.parametrize(
    "value", [math.nan, [{"b": math.inf}], HUGE, "\ud800", object()], ids=lambda each: str(type(each))
)
async def test_data_that_json_does_not_hold_is_the_plugin_s_failure_and_is_not_kept(begin: Begin, value: Any) -> None:
    story = await begin(plugins=[Writes(value)], strict=False)
    (failure,) = (await story.turn("alice")).failures
    assert failure.startswith("plugin:writes: wrote what cannot be kept: data['a'] = ")
    assert len(failure.encode()) < LONGEST
    assert (await story.turn("alice")).failures
    assert [line async for line in story.backstage().export()]


@pytest.mark.parametrize(
    "call",
    [
        lambda story: story.say("alice", HUGE),
        lambda story: story.say("x" * 10**6, "Hello."),
        lambda story: story.say("alice", "Hello.", key="x" * 10**6),
        lambda story: story.change(**{"\ud800": 1}),
        lambda story: story.change(game_day=HUGE),
        lambda story: story.fork("\ud800"),
        lambda story: story.fork("s2", at=HUGE),
        lambda story: story.edit("\ud800", "Hello."),
        lambda story: story.turn("\ud800"),
    ],
)
async def test_a_call_with_what_nobody_can_keep_raises_our_error(
    begin: Begin, call: Callable[[Session], Awaitable[object]]
) -> None:
    story = await begin()
    with pytest.raises(EarwitnessError) as refused:
        await call(story)
    check(refused.value)


async def test_a_state_s_keys_are_text(open_app: OpenApp) -> None:
    with pytest.raises(InputError, match="state key = 5 cannot be used: it must be text"):
        await (await open_app()).session("s1", cast=["alice"], state={5: 5})  # type: ignore[dict-item]


def test_a_long_message_keeps_its_beginning_and_what_to_do() -> None:
    error = InputError(f"begins {'é' * 5_000}\ud800 ends")
    check(error)
    assert str(error).startswith("begins é")
    assert str(error).endswith("\\ud800 ends")
