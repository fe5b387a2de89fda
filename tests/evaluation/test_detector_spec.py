"""Detectors are named on a command line as briefly as can be, and a run keeps what it takes to make them again."""

from pathlib import Path

import pytest

from earwitness.errors import InputError, SettingsError, UnknownName
from earwitness.loading.end_settings import EndSettings
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
from earwitness.records.moment import Moment, Presence
from earwitness_plugins.applications.evaluation.detector_spec import detector_specs, make_detector, requested

pytestmark = pytest.mark.usefixtures("folder")


class Seeded:
    def __init__(self, *, seed: int, n: int = 1) -> None:
        self.seed, self.n = seed, n

    def detect(self, moment: Moment) -> Presence:
        return Presence.only(moment.message.speaker)


class Panel(Seeded):
    def __init__(self, *, members: list[str], weights: dict[str, object]) -> None:
        super().__init__(seed=0)


@pytest.fixture
def strategies() -> Strategies:
    made = Strategies()
    made.register("detector", "seeded", Seeded)
    return made


def test_commas_part_detectors_but_not_their_settings(strategies: Strategies) -> None:
    found = detector_specs("everyone, seeded(n=2, seed=5),mine.LastFew(n=3)", strategies, EndSettings())
    assert [each.label for each in found] == ["everyone", "seeded(n=2, seed=5)", "mine.LastFew(n=3)"]
    assert [each.settings for each in found] == [{}, {"n": 2, "seed": 5}, {"n": 3}]


def test_settings_may_be_lists_and_tables(strategies: Strategies) -> None:
    strategies.register("detector", "panel", Panel)
    text = 'panel(members=["everyone", "seeded,"], weights={a=1, b=[2, 3]}),everyone'
    panel, other = detector_specs(text, strategies, EndSettings())
    assert panel.settings == {"members": ["everyone", "seeded,"], "weights": {"a": 1, "b": [2, 3]}}
    assert other.label == "everyone"


def test_the_same_detector_twice_is_one(strategies: Strategies) -> None:
    assert len(detector_specs("everyone,everyone", strategies, EndSettings())) == 1


def test_a_settings_file_gives_settings_and_the_threshold(strategies: Strategies) -> None:
    Path("fitted.toml").write_text('[detector]\nname = "seeded"\nn = 4\n[end]\nthreshold = 0.3\n')
    named, bare, changed = detector_specs(
        "seeded@fitted.toml,@fitted.toml,seeded(n=9)@fitted.toml", strategies, EndSettings()
    )
    assert named.name == bare.name == "seeded"
    assert named.settings == {"n": 4}
    assert named.end.threshold == 0.3
    assert changed.settings == {"n": 9}


def test_a_file_that_says_nothing_of_end_leaves_it(strategies: Strategies) -> None:
    Path("fitted.toml").write_text('detector = "everyone"\n')
    (found,) = detector_specs("@fitted.toml", strategies, EndSettings(threshold=0.7))
    assert found.end.threshold == 0.7


def test_a_detector_that_asks_for_the_seed_is_given_it(strategies: Strategies) -> None:
    asked, told = detector_specs("seeded,seeded(seed=1)", strategies, EndSettings())
    assert [getattr(make_detector(each, strategies, 42), "seed", None) for each in (asked, told)] == [42, 1]


def test_without_a_name_it_is_the_settings_detector_with_its_settings(strategies: Strategies) -> None:
    settings = Settings.of(detector={"name": "seeded", "n": 3}, end={"threshold": 0.4})
    (found,) = requested(None, "participants", settings, strategies)
    assert (found.name, found.settings, found.end.threshold) == ("seeded", {"n": 3}, 0.4)
    (found,) = requested(None, "participants", settings, strategies, threshold=0.9)
    assert found.end.threshold == 0.9


def test_a_task_may_have_a_detector_of_its_own(strategies: Strategies) -> None:
    settings = Settings.of(detector="everyone")
    assert [each.name for each in requested(None, "addressees", settings, strategies)] == ["addressees"]
    assert [each.name for each in requested("rules", "addressees", settings, strategies)] == ["rules"]


def test_code_of_ones_own_is_known_again_by_its_digest(strategies: Strategies) -> None:
    (before,) = detector_specs("mine.LastFew", strategies, EndSettings())
    Path("mine.py").write_text(Path("mine.py").read_text() + "# changed\n")
    (after,) = detector_specs("mine.LastFew", strategies, EndSettings())
    assert before.code is not None
    assert before.code != after.code


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("nope", UnknownName, "unknown detector 'nope'. Known: "),
        ("mine.Nope", SettingsError, "cannot be imported"),
        (" , ", InputError, "names no detector. Known detectors: "),
        ("seeded(n=)", InputError, "write setting=value as in TOML: text in quotes, a table as"),
        ("a b", InputError, "cannot read the detector 'a b'"),
        ("everyone@none.toml", SettingsError, "no such file"),
        ("everyone@empty.toml", SettingsError, "has no detector"),
        ("everyone@other.toml", SettingsError, "is for the detector 'seeded', not 'everyone'"),
    ],
)
def test_what_cannot_be_used_is_said_in_words(
    text: str, error: type[Exception], said: str, strategies: Strategies
) -> None:
    Path("empty.toml").write_text("")
    Path("other.toml").write_text('detector = "seeded"\n')
    with pytest.raises(error) as caught:
        detector_specs(text, strategies, EndSettings())
    assert said in str(caught.value)


def test_what_is_no_detector_is_refused(strategies: Strategies) -> None:
    strategies.register("detector", "wrong", object)
    (spec,) = detector_specs("wrong", strategies, EndSettings())
    with pytest.raises(SettingsError, match="no method"):
        make_detector(spec, strategies, 0)
