"""A folder of one's own adds words to a language, or a whole language: `own_languages` is one for Dutch."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from earwitness.errors import SettingsError
from earwitness_plugins.detectors.acts.inventory import inventory
from earwitness_plugins.detectors.acts.signs import signs
from earwitness_plugins.detectors.language_files import VARIABLE, check_own_languages, language_files
from earwitness_plugins.detectors.rules import RulesDetector

DUTCH = Path(__file__).parent / "own_languages"
Stories = dict[str, list[tuple[str, str]]]
STORIES: Stories = {
    "leave-taking": [("bob", "Ik moet ervandoor, doei!"), ("alice", "Het goud ligt in de put.")],
    "whisper": [("alice", '*fluistert tegen Charlie* "Het goud ligt in de put."')],
    "thought": [("alice", 'Hallo. *vraagt zich af of Bob liegt* "Goed."')],
    "journey": [("narrator", "Bob loopt naar de keuken."), ("alice", "Het goud ligt in de put.")],
    "line of a chat program": [("narrator", "Bob heeft de groep verlaten"), ("alice", "Het goud ligt in de put.")],
}
PROGRAM = """
import asyncio, json, sys
from earwitness import Character, Earwitness
from earwitness_plugins.detectors.text.headings import heading

async def main(stories):
    cast = ["alice", "bob", "charlie", Character(id="narrator", name="Narrator", kind="narrator")]
    found = {}
    async with Earwitness.open(":memory:", embedder="none") as ew:
        for number, (name, lines) in enumerate(stories.items()):
            story = await ew.session(f"s{number}", cast=cast, present=["alice", "bob", "charlie"])
            for speaker, text in lines:
                heard = await (await story.say(speaker, text)).settled()
            hits = await story.backstage().search("bob", "Bob liegt")
            found[name] = [sorted(heard.participants), any("liegt" in hit.memory.content for hit in hits)]
    found["heading"] = heading("Intussen, in de kelder: het goud.", told=True) is not None
    print(json.dumps(found))

asyncio.run(main(json.loads(sys.argv[1])))
"""


GREEK = """
whisper = ["ψιθυρίζ-"]
thought = ["σκέφτεται"]
openly = ["δυνατά"]
"""
POLISH = """
whisper = ["szepcz-"]
thought = ["myśli"]
openly = ["głośno"]
common = ["się", "są", "nie"]
"""


def heard(folder: Path | None, stories: Stories = STORIES) -> dict[str, Any]:
    """Story → who heard its last line, and whether Bob remembers a thought, in a process that reads this folder."""
    environment = {**os.environ, **({VARIABLE: str(folder)} if folder else {})}
    command = [sys.executable, "-c", PROGRAM, json.dumps(stories)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_language_that_we_do_not_have_is_read_from_a_folder_of_ones_own() -> None:
    before, after = heard(None), heard(DUTCH)
    for name in ("leave-taking", "whisper", "journey", "line of a chat program"):
        assert "bob" in before[name][0], name
        assert after[name][0] == ["alice", "charlie"], name
    assert after["thought"] == [["alice", "bob", "charlie"], False]
    assert (before["heading"], after["heading"]) == (False, True)


@pytest.mark.parametrize(
    ("words", "whisper", "deed"),
    [
        (GREEK, "ψιθυρίζει στον Charlie", "ανοίγει την πόρτα"),
        (POLISH, "szepcze Charlie coś miłego", "kręci głową"),
        ('whisper = ["속삭-"]', "Charlie 속삭인다", "문을 열며 웃는다"),
    ],
)
def test_a_language_in_letters_that_we_do_not_have_is_read(tmp_path: Path, words: str, whisper: str, deed: str) -> None:
    """Before, every direction with such letters was taken for one that nobody can read, and withheld."""
    (tmp_path / "manners").mkdir()
    (tmp_path / "manners" / "own.toml").write_text(words, "utf-8")
    stories: Stories = {name: [("alice", f'*{text}* "Gold."')] for name, text in [("whisper", whisper), ("deed", deed)]}
    before, after = heard(None, stories), heard(tmp_path, stories)
    assert before["deed"][0] == ["alice"]
    assert after["deed"][0] == ["alice", "bob", "charlie"]
    assert after["whisper"][0] == ["alice", "charlie"]


@pytest.mark.parametrize(
    ("phrases", "complaint"),
    [
        ({"leaves": ["i go (home|to (bed|sleep))"]}, r"has a bracket that is not closed. Write \(a\|b\)"),
        ({"system.leaves": ["{whom} desynced"]}, r"'{whom} desynced' of 'system.leaves' must hold {who}"),
    ],
)
def test_a_phrase_of_the_settings_that_cannot_be_read_is_refused_at_once(
    phrases: dict[str, list[str]], complaint: str
) -> None:
    with pytest.raises(SettingsError, match=complaint):
        RulesDetector(phrases=phrases)


@pytest.mark.parametrize("text", ["I go to the king.", "I go to the wall.", "I go forth."])
def test_no_bracket_of_ours_swallows_a_phrase(text: str) -> None:
    assert signs([(text, ())], inventory()).clean("leaves") == 1


def test_an_editors_mark_at_the_beginning_of_a_file_is_no_word(own: Path) -> None:
    (own / "nl.toml").write_text('[acts]\nleaves = ["ik ga weg"]\n', "utf-8-sig")
    check_own_languages.cache_clear()
    check_own_languages()
    check_own_languages.cache_clear()


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    return tmp_path


def test_a_file_named_as_one_of_ours_adds_to_it(own: Path) -> None:
    ours = next(each for each in language_files("acts") if each["language"] == "de")
    (own / "de.toml").write_text('[words]\nfly = ["die fliege"]\n[acts]\nleaves = ["ich mach <fly>"]\n')
    both = next(each for each in language_files("acts") if each["language"] == "de")
    assert both["acts"]["leaves"] == [*ours["acts"]["leaves"], "ich mach <fly>"]
    assert both["words"] == {**ours["words"], "fly": ["die fliege"]}
    assert both["acts"]["farewell"] == ours["acts"]["farewell"]


@pytest.mark.parametrize(
    ("path", "written", "complaint"),
    [
        ("nl.toml", "[acts]\nfarewel = []", r"no list 'acts.farewel'. Allowed: away, .*Did you mean 'farewell'"),
        ("nl.toml", "farewell = []", r"no list 'farewell'. Allowed: acts, context, fillers"),
        ("nl.toml", 'acts = ["doei"]', r"'acts' must be a table of lists, under \[acts\]"),
        ("nl.toml", '[acts]\nleaves = "doei"', r"'acts.leaves' must be a list of texts.*not 'doei'"),
        ("nl.toml", '[acts]\nleaves = ["<must> gaan"]', r"nl.toml: .*names the set <must>. Sets here: none"),
        ("nl.toml", '[context]\nbut = ["really"]', r"nl.toml: The phrase 'really' has no words but fillers"),
        ("journeys/nl.toml", 'sleeps = ["<x>"]', r"nl.toml: .*names the set <x>"),
        ("manners/nl.toml", "letters = 1", r"'letters' must be a text, not 1"),
        ("places/nl.toml", "nouns = x", r"nl.toml: .*line 1.*TOML in UTF-8"),
        ("nl.toml", '[acts]\nleaves = ["ik ga (weg|naar (huis|bed))"]', r"has a bracket that is not closed"),
        ("nl.toml", '[system]\nleaves = ["{whom} is weg"]', r"'{whom} is weg' of 'system.leaves' must hold {who}"),
        ("nl.toml", '[system]\ncreates = ["{by} (maakte"]', r"nl.toml: .*must hold {by}.*every bracket closed"),
        ("journeys/nl.toml", 'stays = ["loopt"]', r"'stays' holds 'loopt'. Write a verb and a word"),
        ("manners/nl.toml", 'openly = ["-"]', r"'openly' holds '-', which says nothing"),
        ("manner/nl.toml", 'thought = ["denkt"]', r"from a folder 'manner'. Allowed: .*Did you mean 'manners'"),
        ("nl.txt", "", r"holds no file of a language. Allowed: nl.toml, journeys/nl.toml"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_what_is_allowed(
    own: Path, path: str, written: str, complaint: str
) -> None:
    (own / path).parent.mkdir(exist_ok=True)
    (own / path).write_text(written)
    check_own_languages.cache_clear()
    with pytest.raises(SettingsError, match=f"(?s){complaint}"):
        check_own_languages()


def test_a_folder_that_is_not_there_is_named(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(own / "none"))
    check_own_languages.cache_clear()
    with pytest.raises(SettingsError, match=r"none', which is not a folder"):
        check_own_languages()
    check_own_languages.cache_clear()
