"""Settings: the same from a file or from code, and errors that name the line and what is allowed."""

import re
from pathlib import Path

import pytest

from earwitness.errors import SettingsError
from earwitness.loading.end_settings import EndSettings
from earwitness.loading.settings import RecallSettings, Settings
from earwitness.loading.strategy_spec import StrategySpec


def written(folder: Path, text: str) -> Path:
    """A settings file with this text."""
    file = folder / "earwitness.toml"
    file.write_text(text, "utf-8")
    return file


def complaint(folder: Path, text: str) -> str:
    """What is said about a settings file with this text, without the folder."""
    with pytest.raises(SettingsError) as caught:
        Settings.load(written(folder, text))
    return str(caught.value).replace(f"{folder}/", "")


def test_without_a_word_everything_is_embedded() -> None:
    settings = Settings()
    assert [settings.ledger.name, settings.store.name] == ["sqlite", "sqlite"]
    assert settings.detector == StrategySpec(name="rules")
    assert settings.recall.recent == 3
    assert not settings.strict


def test_what_becomes_of_the_unsure_is_said_in_a_word_or_a_table() -> None:
    assert Settings().end.unsure.policy == "withhold"
    assert Settings.of(end={"unsure": "ask"}).end.unsure.policy == "ask"
    end = Settings.of(end={"threshold": 0.8, "unsure": {"policy": "ask", "least": 0.5}}).end
    assert [end.asks(probability) for probability in (0.49, 0.5, 0.79, 0.8)] == [False, True, True, False]
    assert [end.enough, Settings.of(end={"unsure": "deliver"}).end.enough] == [0.8, 0.25]


def test_nobody_is_unsure_of_whom_everybody_is_sure() -> None:
    with pytest.raises(SettingsError, match=r"unsure\.least 0\.7 is above threshold 0\.5.*make it 0\.5 or less"):
        Settings.of(end={"unsure": {"least": 0.7}})
    assert Settings.of(end={"threshold": 0.1, "unsure": "deliver"}).end.enough == 0.1


def test_caution_decides_from_which_probability_on_somebody_remembers() -> None:
    assert [EndSettings().threshold, EndSettings().least] == [0.5, 0.25]
    assert [EndSettings(caution=caution).threshold for caution in (0, 0.5, 0.75, 1)] == [0, 0.188, 0.5, 1]
    careful = Settings.of(end={"caution": 0.9, "unsure": "deliver"}).end
    assert [careful.threshold, careful.least, careful.enough] == [0.776, 0.388, 0.388]


def test_what_is_given_beside_caution_stands() -> None:
    end = Settings.of(end={"caution": 0.9, "threshold": 0.3, "unsure": {"policy": "deliver", "least": 0.1}}).end
    assert [end.threshold, end.least, end.enough] == [0.3, 0.1, 0.1]
    with pytest.raises(SettingsError, match=r"caution.*1\.5"):
        Settings.of(end={"caution": 1.5})


def test_a_file_and_code_say_the_same(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        """
        detector = "everyone"
        guards = ["privacy", { name = "hours", until = 22 }]
        block = ["chronicle"]
        [world_agent]
        name = "rules"
        most = 5
        [recall]
        recent = 2
        recency = { weight = 0.5, half_life = 3 }
        [plugin_settings.keepsake]
        size = 3
        """,
    )
    code = Settings.of(
        detector="everyone",
        guards=["privacy", StrategySpec(name="hours", settings={"until": 22})],
        block=["chronicle"],
        world_agent={"name": "rules", "most": 5},
        recall={"recent": 2, "recency": {"weight": 0.5, "half_life": 3}},
        plugin_settings={"keepsake": {"size": 3}},
    )
    assert Settings.load(file).model_dump() == code.model_dump()


def test_a_strategy_may_keep_its_settings_in_a_table_of_their_own() -> None:
    assert StrategySpec.model_validate({"name": "x", "settings": {"a": 1}, "b": 2}).settings == {"a": 1, "b": 2}


def test_none_means_without(tmp_path: Path) -> None:
    settings = Settings.load(written(tmp_path, 'detector = "none"\nembedder = "none"\n'))
    assert settings.detector is None
    assert settings.embedder is None
    assert Settings.load(written(tmp_path, '[embedder]\nname = "none"\n')).embedder is None
    with pytest.raises(SettingsError, match=r"toml:1:2: embedder: 'none' takes no settings. Leave out 'threads'"):
        Settings.load(written(tmp_path, '[embedder]\nname = "none"\nthreads = 2\n'))


def test_the_story_file_is_looked_for_beside_the_settings_file(tmp_path: Path) -> None:
    assert Settings.load(written(tmp_path, 'path = "story.db"')).path == str(tmp_path / "story.db")


def test_settings_can_be_changed_and_are_checked_again() -> None:
    settings = Settings.of(detector="everyone").changed(strict=True)
    assert settings.strict
    assert settings.detector == StrategySpec(name="everyone")
    with pytest.raises(SettingsError, match="threshold"):
        settings.changed(end={"threshold": 2})


def test_records_serve_as_settings_too() -> None:
    assert Settings.of(recall=RecallSettings(recent=1), end=EndSettings(threshold=0.7)).end.threshold == 0.7


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("# ours\n\nstrikt = true\n", 3, ["unknown key 'strikt'", "Did you mean 'strict'?", "block, calendar"]),
        (
            "[end]\n\ntreshold = 0.3\n",
            3,
            ["'treshold' in end", "detector_timeout, perception, plugin_timeout, store_timeout, threshold"],
        ),
        ("[recall]\nrecent = 7\n", 2, ["recall.recent", "7", "at most 3"]),
        ('[recall]\npermanent = "alway"\n', 2, ["'alway'", "'retrieve' or 'always'", "mean 'always'?"]),
        ('[recall]\nrecent = "3"\n', 2, ["recall.recent: '3'", "a whole number"]),
        ("[recall.recency]\nweight = 1.5\n", 2, ["recall.recency.weight: 1.5"]),
        ("[world_agent]\nmost = 5\n", 1, ["world_agent: the key 'name' is missing"]),
        ('plugins = [\n  "a",\n  3,\n]\n', 3, ["plugins[1]: 3", 'text is needed: "3"']),
        ('[fill]\ntemplate = "what you know"\n', 2, ["'what you know'", "{memories}"]),
        ("detector = 3\n", 1, ["detector: 3"]),
        ('strict = "yes"\n', 1, ["strict: 'yes'", "true or false"]),
        ("[end]\n[recal]\n", 2, ["unknown key 'recal'", "Did you mean 'recall'?"]),
    ],
)
def test_an_error_names_the_line_and_what_is_allowed(tmp_path: Path, text: str, line: int, said: list[str]) -> None:
    message = complaint(tmp_path, text)
    assert re.match(rf"earwitness\.toml:{line}:\d+: ", message)
    assert [part for part in said if part not in message] == []


def test_everything_that_is_wrong_is_said_at_once_by_line(tmp_path: Path) -> None:
    first, *lines = complaint(tmp_path, 'x = """\n\n"""\n[recall]\nrecent = 9\n').splitlines()
    assert first == "earwitness.toml: 2 problems."
    assert lines[0].startswith("  earwitness.toml:1:1: unknown key 'x'. Allowed: block")
    assert lines[1] == "  earwitness.toml:5:1: recall.recent: 9 cannot be used: it must be at most 3."


def test_what_is_not_toml_is_named_with_its_line(tmp_path: Path) -> None:
    assert "not TOML" in (message := complaint(tmp_path, "strict = \n"))
    assert "earwitness.toml:1:10: not TOML: Invalid value." in message


def test_a_file_that_is_not_there_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="there is no such file"):
        Settings.load(tmp_path / "none.toml")


def test_an_error_found_later_still_names_the_line(tmp_path: Path) -> None:
    settings = Settings.load(written(tmp_path, 'strict = true\n[detector]\nname = "rules"\nrecnt = 3\n'))
    assert "earwitness.toml:4:1: no setting" in str(settings.error(("detector", "recnt"), "no setting"))
    assert str(Settings().error(("detector",), "no setting")) == "settings: no setting"


def test_days_are_shown_in_the_storys_own_unit() -> None:
    calendar = Settings.of(calendar={"unit": "night"}).calendar
    assert [calendar.show(day) for day in (6, 2.5, 1234567)] == ["night 6", "night 2.5", "night 1234567"]
