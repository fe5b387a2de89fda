"""Files that people write by hand are read as they meant them, and know their lines."""

from itertools import pairwise
from pathlib import Path
from time import process_time

import pytest

from earwitness.errors import StoryError
from earwitness.loading.files import json_text, read_toml, read_yaml, yaml_text
from earwitness.loading.located import Located
from earwitness.loading.problems import Problem
from earwitness.records.refusal import path_text

TOML = """\
# a comment
path = "s.db"
text = \"\"\"
two
lines\"\"\"
plugins = [
  "a",
  "b",
]
inline = { name = "x", most = 3 }

[recall] # a header
recent = 2
[recall.recency]
weight = 0.5
[empty]
["quoted key"]
a = 1
[[rule]]
name = "one"
[[rule]]
name = "two"
"""


def yaml(text: str) -> Located:
    """This text as a YAML file."""
    return yaml_text(text, "s.yaml", StoryError)


@pytest.mark.parametrize(
    ("loc", "line"),
    [
        ((), 1),
        (("path",), 2),
        (("text",), 3),
        (("plugins",), 6),
        (("plugins", 1), 8),
        (("inline", "most"), 10),
        (("recall",), 12),
        (("recall", "recent"), 13),
        (("recall", "recency"), 14),
        (("recall", "recency", "weight"), 15),
        (("empty",), 16),
        (("quoted key", "a"), 18),
        (("rule", 1, "name"), 22),
        (("recall", "not there"), 12),
        (("nowhere", 3), 1),
    ],
)
def test_everything_in_a_toml_file_has_its_line(tmp_path: Path, loc: tuple[str | int, ...], line: int) -> None:
    (tmp_path / "x.toml").write_text(TOML, "utf-8")
    assert read_toml(tmp_path / "x.toml", StoryError).line_of(loc) == line


@pytest.mark.parametrize(
    ("loc", "line"),
    [((), 1), (("a",), 2), (("a", 1), 4), (("a", 1, "c"), 5), (("d",), 6), (("d", "inner"), 7), (("a", 9), 2)],
)
def test_everything_in_a_yaml_file_has_its_line(loc: tuple[str | int, ...], line: int) -> None:
    assert yaml("# first\na:\n- one\n- b: two\n  c: three\nd:\n  inner: x\n").line_of(loc) == line


def test_what_people_say_stays_text() -> None:
    said = yaml("- No\n- yes\n- on\n- 2026-11-21\n- 12:30\n- 1_000\n- =\n").value
    assert said == ["No", "yes", "on", "2026-11-21", "12:30", "1_000", "="]


def test_numbers_booleans_and_nothing_are_what_they_are() -> None:
    assert yaml("- 08\n- -3\n- 0x10\n- 0o17\n- 2.5\n- 1e3\n- true\n- ~\n-\n").value == [
        8,
        -3,
        16,
        15,
        2.5,
        1000.0,
        True,
        None,
        None,
    ]


def test_a_key_that_stands_twice_is_refused_with_the_second_line() -> None:
    with pytest.raises(StoryError, match=r'^s\.yaml:3:\d+: duplicate key "bob"'):
        yaml("a: 1\nbob: x\nbob: y\n")


@pytest.mark.parametrize(
    ("text", "at", "key"),
    [
        ('{"a": 1,\n "a": 2}', "2:2", "a"),
        ('{"a": [{},\n{"b": 1, "b": 2}]}', "2:10", "b"),
        ('{"a": {"b": 1, "b": 2},\n"a": 3}', "2:1", "a"),
        ('{"a": 1,\n"a": {"b": 1, "b": 2}}', "2:15", "b"),
    ],
)
def test_a_key_that_stands_twice_in_json_is_refused_with_the_second_place(text: str, at: str, key: str) -> None:
    with pytest.raises(StoryError, match=rf'^s\.json:{at}: duplicate key "{key}"'):
        json_text(text, "s.json", StoryError)


@pytest.mark.parametrize(
    "text", ["a: [1\n", "a: b: c\n", "\tx: 1\n", "--- a\n--- b\n", "!!python/object:os.system x\n", "&a [*a, *b]\n"]
)
def test_what_is_not_plain_yaml_is_refused(text: str) -> None:
    with pytest.raises(StoryError, match=r"^s\.yaml:\d+:\d+: not YAML"):
        yaml(text)


@pytest.mark.parametrize("text", ["- " * 3000 + "x", "[" * 3000, "a: \x00"])
def test_what_breaks_the_parser_is_refused_in_words(text: str) -> None:
    with pytest.raises(StoryError, match=r"^s\.yaml(:1:4)?: (not|this) YAML") as refused:
        yaml(text)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("!!bool maybe", "'maybe' is not what its tag !!bool says"),
        ("!!int ''", "'' is not what its tag !!int says"),
        ("!!float x", "'x' is not what its tag !!float says"),
        ("!!binary abcd", "!!binary is not plain data"),
        ("!!set {b}", "!!set is not plain data"),
    ],
)
def test_a_value_that_its_tag_does_not_fit_is_refused_with_its_line(value: str, said: str) -> None:
    with pytest.raises(StoryError, match=rf"^s\.yaml:2:\d+: not YAML: {said}"):
        yaml(f"a: 1\nb: {value}\n")


def test_aliases_that_are_named_again_are_looked_at_once() -> None:
    names = "abcdefghijklmnop"
    bomb = "a: &a [x]\n" + "".join(f"{n}: &{n} [{', '.join([f'*{m}'] * 9)}]\n" for m, n in pairwise(names))
    assert yaml("\n".join(bomb.splitlines()[:6])).line_of(("f",)) == 6
    with pytest.raises(StoryError, match=r"its aliases \(\*name\) expand to more than 1,000,000 characters"):
        yaml(bomb)


def test_merged_keys_have_the_line_of_what_holds_them() -> None:
    assert yaml("base: &b\n  x: 1\nother:\n  <<: *b\n  y: 2\n").line_of(("other", "x")) == 3


def test_a_file_that_cannot_be_read_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    for path, said in {
        tmp_path / "none": "no such file",
        tmp_path / "bytes": "not UTF-8",
        tmp_path: "cannot be read",
    }.items():
        with pytest.raises(StoryError, match=said):
            read_yaml(path, StoryError)


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_thousands_of_problems_are_found_in_one_reading(suffix: str) -> None:
    """Looked up one by one from the beginning, 20,000 took minutes."""
    number = 3000
    read = json_text if suffix == "json" else yaml_text
    lines = "\n".join(f'  {{"id": "m{each}", "bad": {each}}},' for each in range(number)).rstrip(",")
    file = read(f'{{"members": [\n{lines}\n]}}', f"many.{suffix}", StoryError)
    began = process_time()
    refused = str(file.refusal(Problem(("members", each, "bad"), "bad.") for each in reversed(range(number))))
    assert process_time() - began < 5
    assert refused.startswith(
        f"many.{suffix}: {number} problems.\n  many.{suffix}:2:16: bad.\n  many.{suffix}:3:16: bad."
    )
    assert refused.endswith(f"many.{suffix}:21:17: bad.\n  and {number - 20} more.")
    assert file.position_of(("members", number - 1, "bad")) == (number + 1, 19)


def test_a_key_with_a_line_break_is_quoted() -> None:
    assert path_text(("g", "a\n}) x", 3, "b")) == "g.'a\\n}) x'[3].b"
