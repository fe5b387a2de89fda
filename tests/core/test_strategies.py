"""Strategies by name: found, made from checked settings, and refused with what there is instead."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Literal

import pytest

from earwitness import Earwitness, MessageEvent, Moment, Plugin, Presence, Session, Settings, sync
from earwitness.errors import EarwitnessError, SettingsError, StrategyError, UnknownName
from earwitness.loading.strategies import Strategies
from earwitness.loading.strategy_spec import StrategySpec
from earwitness.protocols import Detector

NOBODY = {"embedder": "none", "detector": "none", "world_agent": "none"}


class Ears:
    """A detector with settings of every sort."""

    def __init__(self, *, reach: float, walls: Literal["thin", "thick"] = "thick", exits: tuple[str, ...] = ()) -> None:
        self.reach, self.walls, self.exits = reach, walls, exits

    def detect(self, moment: Moment) -> Presence:
        return Presence.only(moment.message.speaker)


@dataclass
class Both:
    """A detector made of a detector."""

    detector: Detector
    share: float = 0.5

    def detect(self, moment: Moment) -> Presence:
        return Presence.only(moment.message.speaker)


@dataclass
class Called:
    """A detector with a setting that is called as a kind is, and is plain text."""

    graph: str
    model: str | None = None

    def detect(self, moment: Moment) -> Presence:
        return Presence.only(moment.message.speaker)


@dataclass
class Most:
    """A detector made of several."""

    detectors: Sequence[Detector]

    def detect(self, moment: Moment) -> Presence:
        return Presence.only(moment.message.speaker)


@dataclass
class Filed:
    """A detector that asks core for the story's path."""

    path: str
    size: int = 1

    def detect(self, moment: Moment) -> Presence:
        return Presence.only(moment.message.speaker)


@pytest.fixture
def strategies() -> Strategies:
    known = Strategies()
    for name, factory in {"ears": Ears, "both": Both, "most": Most, "filed": Filed}.items():
        known.register("detector", name, factory)
    return known


def made(strategies: Strategies, name: str, **settings: object) -> object:
    return strategies.make("detector", StrategySpec(name=name, settings=settings))


def refused(strategies: Strategies, name: str, **settings: object) -> str:
    with pytest.raises(SettingsError) as caught:
        made(strategies, name, **settings)
    return str(caught.value)


# ── names ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_is_registered_in_code_is_listed_with_what_is_installed(strategies: Strategies) -> None:
    assert {"both", "ears", "rules"} <= set(strategies.names("detector"))
    assert list(strategies.names("detector")) == sorted(strategies.names("detector"))


def test_an_unknown_name_is_quoted_with_the_known_ones_and_the_likeliest(strategies: Strategies) -> None:
    with pytest.raises(UnknownName) as caught:
        strategies.make("detector", "eras")
    assert str(caught.value).startswith("unknown detector 'eras'. Known: ")
    assert " both, ears, " in str(caught.value)
    assert str(caught.value).endswith("Did you mean 'ears'?")
    with pytest.raises(UnknownName, match=r"unknown detector 'none'\. Known: (?!.*none)"):  # there is nothing to ask
        Earwitness.open(detector={"name": "vote", "detectors": ["none", "rules"]})


def test_a_kind_of_strategy_nobody_knows_is_refused(strategies: Strategies) -> None:
    with pytest.raises(UnknownName, match="unknown kind of strategy 'detectors'"):
        strategies.register("detectors", "ears", Ears)
    with pytest.raises(UnknownName, match=r"unknown kind of strategy 'detectr'.*Did you mean 'detector'"):
        strategies.make("detectr", "rules")


def test_code_wins_over_an_entry_point_of_the_same_name(strategies: Strategies) -> None:
    strategies.register("detector", "rules", Ears)
    assert isinstance(made(strategies, "rules", reach=1), Ears)


def test_two_registries_share_nothing(strategies: Strategies) -> None:
    assert "ears" not in Strategies().names("detector")


def test_an_unknown_name_in_the_settings_of_an_instance_is_refused_before_anything_is_opened() -> None:
    with pytest.raises(UnknownName, match="unknown sharing rule 'gosip'"):
        Earwitness.open(settings=Settings.of(sharing_rules=["gosip"], **NOBODY))


# ── settings ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_settings_are_turned_into_what_the_factory_asks_for(strategies: Strategies) -> None:
    ears = made(strategies, "ears", reach=3, walls="thin", exits=["door"])
    assert isinstance(ears, Ears)
    assert (ears.reach, ears.walls, ears.exits) == (3.0, "thin", ("door",))


def test_an_unknown_setting_is_quoted_with_those_there_are(strategies: Strategies) -> None:
    assert (
        refused(strategies, "ears", reech=3)
        == "detector 'ears' has no setting 'reech'. Its settings: exits, reach, walls. Did you mean 'reach'?"
    )


def test_a_wrong_value_is_quoted_with_the_setting_and_what_is_expected(strategies: Strategies) -> None:
    said = refused(strategies, "ears", reach=1, walls="paper")
    assert "detector 'ears'" in said
    assert "walls = 'paper'" in said
    assert "'thin' or 'thick'" in said


def test_a_setting_that_must_be_given_is_asked_for_by_name(strategies: Strategies) -> None:
    said = refused(strategies, "ears", walls="thin")
    assert "detector 'ears' needs reach" in said
    assert "exits, reach, walls" in said


def test_a_strategy_without_settings_says_so(strategies: Strategies) -> None:
    strategies.register("detector", "plain", object)
    assert refused(strategies, "plain", size=3) == "detector 'plain' has no setting 'size'. Its settings: none."


def test_what_core_hands_to_factories_that_ask_is_no_setting(strategies: Strategies) -> None:
    filed = strategies.make("detector", "filed", path="story.db", embedder=None)
    assert filed.path == "story.db"
    with pytest.raises(SettingsError, match=r"Its settings: size\. Did you mean 'size'\?$"):
        strategies.make("detector", StrategySpec(name="filed", settings={"syze": 2}), path="story.db")


def test_a_setting_wins_over_what_core_would_hand_in(strategies: Strategies) -> None:
    own = strategies.make("detector", StrategySpec(name="filed", settings={"path": "own.db"}), path="story.db")
    assert own.path == "own.db"


# ── strategies inside strategies ────────────────────────────────────────────────────────────────────────────────────


def test_a_strategy_may_be_made_of_another_by_name_or_table(strategies: Strategies) -> None:
    both = made(strategies, "both", detector={"name": "ears", "reach": 2}, share=1)
    assert isinstance(both, Both)
    assert isinstance(both.detector, Ears)
    assert (both.detector.reach, both.share) == (2.0, 1.0)


def test_a_strategy_may_be_made_of_several_and_those_of_others(strategies: Strategies) -> None:
    inner = {"name": "both", "detector": {"name": "ears", "reach": 1}}
    most = made(strategies, "most", detectors=[inner, {"name": "ears", "reach": 2}])
    assert isinstance(most, Most)
    assert [type(each).__name__ for each in most.detectors] == ["Both", "Ears"]


def test_a_setting_that_is_text_names_no_strategy_although_it_is_called_as_a_kind_is(strategies: Strategies) -> None:
    strategies.register("detector", "called", Called)
    called = made(strategies, "called", graph="of friends", model="small")
    assert isinstance(called, Called)
    assert (called.graph, called.model) == ("of friends", "small")


def test_a_wrong_setting_deep_inside_names_the_strategy_it_is_of(strategies: Strategies) -> None:
    said = refused(strategies, "most", detectors=[{"name": "both", "detector": {"name": "ears", "reach": "far"}}])
    where = "detectors of detector 'most': detector of detector 'both'"
    assert said.startswith(f"{where}: detector 'ears': setting reach = 'far' cannot be used: a number is needed.")


def test_a_nested_strategy_without_a_name_is_refused_in_words(strategies: Strategies) -> None:
    assert "detector" in refused(strategies, "both", detector={"reach": 1})


# ── paths ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def mine(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("mine")
    (folder / "mine_of_the_tests.py").write_text(
        "class LastTwo:\n    def __init__(self, *, most: int = 2): self.most = most\n"
        "    def detect(self, moment): return None\n\n"
        "class LastOne:\n    def detct(self, moment): return None\n"
    )
    (folder / "broken_of_the_tests.py").write_text("raise RuntimeError('the clasp is broken')\n")
    monkeypatch.syspath_prepend(str(folder))


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize("path", ["mine_of_the_tests.LastTwo", "mine_of_the_tests:LastTwo"])
def test_a_class_of_one_s_own_is_named_by_its_path(strategies: Strategies, path: str) -> None:
    assert strategies.make("detector", StrategySpec(name=path, settings={"most": 3})).most == 3


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize(
    ("path", "advice"),
    [
        ("mine_of_the_tests.LastTow", "Write module.Class, importable here. Did you mean 'LastTwo'?"),
        ("not_of_the_tests.LastTwo", "Write module.Class"),
        (
            "broken_of_the_tests.A",
            "That failed in the module 'broken_of_the_tests': mend it there.",
        ),
    ],
)
def test_a_path_that_leads_nowhere_is_quoted_with_the_reason(strategies: Strategies, path: str, advice: str) -> None:
    said = refused(strategies, path)
    assert f"detector {path!r} cannot be imported: " in said
    assert advice in said


@pytest.mark.usefixtures("mine")
def test_what_is_not_what_its_kind_asks_for_is_refused_with_what_it_lacks(strategies: Strategies) -> None:
    said = refused(strategies, "mine_of_the_tests.LastOne")
    assert "detector 'mine_of_the_tests.LastOne' (LastOne) has no method detect" in said
    with pytest.raises(SettingsError, match=r"'mine_of_the_tests\.LastOne'"):  # also as a part of another
        made(strategies, "both", detector="mine_of_the_tests.LastOne")


def test_a_script_that_names_a_class_of_its_own_by_its_path_runs_once(tmp_path: Path) -> None:
    script = tmp_path / "mine_in_one_file.py"
    script.write_text(
        "from earwitness import Moment, Presence\n"
        "from earwitness.sync import Earwitness\n\n\n"
        "class Alone:\n"
        "    def detect(self, moment: Moment) -> Presence:\n"
        "        return Presence.only(moment.message.speaker)\n\n\n"
        "with Earwitness.open('one.db', detector='mine_in_one_file.Alone', embedder='none') as ew:\n"
        "    story = ew.session('s1', cast=['alice', 'bob'])\n"
        "    print(*story.say('alice', 'Hello, Bob.').settled().participants)\n"
    )
    ran = subprocess.run([sys.executable, script.name], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == ["alice"]


# ── entry points that break ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def a_broken_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside what is installed: a detector and a plugin of a distribution whose modules are gone."""

    def found(*, group: str) -> list[EntryPoint]:
        return [*entry_points(group=group), EntryPoint(name="lost", value="gone_from_here:Lost", group=group)]

    monkeypatch.setattr("earwitness.loading.strategies.entry_points", found)
    monkeypatch.setattr("earwitness.loading.plugins.entry_points", found)


@pytest.mark.usefixtures("a_broken_distribution")
def test_a_broken_entry_point_is_kept_as_a_failure_and_takes_nobody_along(strategies: Strategies) -> None:
    strategies.load_all(["detector"])
    assert {each.name for each in strategies.failures} == {"lost"}
    (failure,) = [each for each in strategies.failures if each.group == "earwitness.detector"]
    assert failure.failure == "ModuleNotFoundError: No module named 'gone_from_here'"
    assert "everyone" in strategies.names("detector")


@pytest.mark.usefixtures("a_broken_distribution")
def test_a_broken_strategy_that_is_asked_for_is_named_with_where_it_should_be(strategies: Strategies) -> None:
    with pytest.raises(StrategyError) as caught:
        strategies.make("detector", "lost")
    assert str(caught.value).startswith("detector 'lost' (gone_from_here:Lost) cannot be loaded: ModuleNotFoundError")


@pytest.mark.usefixtures("a_broken_distribution")
def test_a_broken_plugin_is_kept_as_a_failure_of_the_instance() -> None:
    ew = Earwitness.open(settings=Settings.of(**NOBODY))
    (failure,) = [each for each in ew.failures if each.name == "lost"]
    assert failure.group == "earwitness.plugins"
    assert "gone_from_here" in failure.failure


@pytest.mark.usefixtures("a_broken_distribution")
def test_a_plugin_that_is_blocked_is_not_even_loaded() -> None:
    ew = Earwitness.open(settings=Settings.of(block=["lost"], **NOBODY))
    assert "lost" not in {each.name for each in ew.failures}


def test_an_allowed_plugin_that_is_not_installed_is_refused_with_those_that_are() -> None:
    with pytest.raises(UnknownName, match=r"unknown plugin 'chronical'.*Did you mean 'chronicle'"):
        Earwitness.open(settings=Settings.of(plugins=["chronical"]))


# ── strategies handed over as instances ─────────────────────────────────────────────────────────────────────────────


async def test_what_is_handed_over_is_named_by_its_class_in_the_report(
    begin: Callable[..., Awaitable[Session]],
) -> None:
    story = await begin(detector=Ears(reach=1))
    settled = await (await story.say("alice", "Hello.")).settled()
    assert [answer.by for answer in settled.plan.answers] == ["detector:ears"]


@pytest.mark.parametrize("kind", ["guard", "detectors", "graph"])
def test_a_kind_that_nobody_would_ask_for_is_refused_and_not_left_out(kind: str) -> None:
    with pytest.raises(
        SettingsError, match=f"unknown key '{kind}'. Allowed: .*detector, .*embedder, end, .*fill, guards, .*ledger, "
    ):
        Earwitness.open(settings=Settings.of(**NOBODY), **{kind: object()})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"detector": object()}, "detector 'object' (object) has no method detect; every detector has it"),
        ({"detector": Ears}, "detector 'ears' is a class. Hand over an instance, Ears(…)"),
        ({"guards": [Ears(reach=1)]}, "guard 'ears' (Ears) has no methods filter, strike"),
        ({"embedder": Ears(reach=1)}, "embedder 'ears' (Ears) has no methods identity, embed"),
        ({"store": Ears(reach=1)}, "store 'ears' (Ears) has no methods open, close, put"),
    ],
)
def test_an_instance_that_is_not_what_its_kind_asks_for_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(said)):
        Earwitness.open(settings=Settings.of(**NOBODY), **given)


def test_an_instance_may_stand_in_place_of_a_name_and_a_name_of_an_instance() -> None:
    ears = Ears(reach=1)
    named = Earwitness.open(detector="everyone", embedder="none").engine
    assert named.settings.detector == StrategySpec(name="everyone")
    given = Earwitness.open(detector=ears, embedder="none").engine
    assert given.detector is not None
    assert (given.detector.made, given.settings.detector) == (ears, StrategySpec(name="ears"))


class Silent(Plugin):
    """A plugin with a hook."""

    async def on_message(self, event: MessageEvent) -> None:
        """Nothing to say."""


def test_one_plugin_alone_needs_no_list() -> None:
    assert "silent" in Earwitness.open(plugins=Silent(), embedder="none").engine.plugins.names


@pytest.mark.parametrize(
    ("opening", "said"),
    [
        (lambda: Earwitness("e.db"), "write Earwitness.open('e.db')"),  # type: ignore[arg-type]
        (lambda: sync.Earwitness("e.db"), "write Earwitness.open('e.db')"),  # type: ignore[arg-type]
        (lambda: Earwitness.open(Settings()), "the path must be the name of a file, not Settings"),  # type: ignore[arg-type]
        (lambda: Earwitness.open(settings=3), "settings 3 must be Settings.of(…)"),  # type: ignore[arg-type]
        (lambda: Earwitness.open(plugins="chronicle"), "plugins='chronicle': hand over instances"),
    ],
)
def test_what_opens_nothing_says_what_to_write(opening: Callable[[], object], said: str) -> None:
    with pytest.raises(EarwitnessError, match=re.escape(said)):
        opening()
