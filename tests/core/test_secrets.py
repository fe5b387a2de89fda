"""A secret given to a strategy reaches its factory and nothing that is shown, recorded, exported or written."""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from traceback import format_exception
from types import SimpleNamespace
from typing import Any

import apsw
import pytest
from anyio import to_thread
from click.testing import CliRunner
from pydantic import BaseModel, SecretBytes, SecretStr

from earwitness import Earwitness, Moment, Presence, Settings
from earwitness.errors import EarwitnessError, SettingsError
from earwitness.hooks import Plugin
from earwitness.loading.strategies import Strategies
from earwitness.loading.strategy_spec import StrategySpec
from earwitness.redaction import REDACTED, redacted, secret_keys
from earwitness.rehearsal import Rehearsal
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_plugins.sqlite.blobs import DamagedBlob, inflated
from earwitness_plugins.terminal.group import group

PLANTED = "sk-planted-4711"


class Service(BaseModel):
    """Where a model is found."""

    url: str = ""
    passphrase_of_ours: SecretStr = SecretStr("")


class Asking:
    """A detector that asks a service, with secrets of every sort."""

    made: list[Asking] = []

    def __init__(
        self,
        *,
        api_key: str = "",
        dsn: SecretStr | None = None,
        service: Service = Service(),  # noqa: B008 - frozen in effect
        url: str = "",
        detectors: Iterable[object] = (),
    ) -> None:
        self.api_key, self.dsn, self.service, self.url = api_key, dsn, service, url
        Asking.made.append(self)

    def detect(self, moment: Moment) -> Presence:
        return Presence.only(moment.message.speaker)


PLACES: list[dict[str, Any]] = [
    {"api_key": PLANTED},
    {"dsn": PLANTED},
    {"service": {"url": "here", "passphrase_of_ours": PLANTED}},
    {"url": f"https://me:{PLANTED}@example.org/v1"},
    {"detectors": [{"name": "asking", "dsn": PLANTED}]},
    {"api_key": SecretStr(PLANTED)},
]


@pytest.fixture
def strategies() -> Strategies:
    known = Strategies()
    known.register("detector", "asking", Asking)
    return known


@pytest.fixture
def importable(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """`asking_of_the_tests.Asking`, as settings may name it."""
    monkeypatch.setitem(sys.modules, "asking_of_the_tests", SimpleNamespace(Asking=Asking))


# ── what is a secret ────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_names_a_secret_and_what_the_caller_points_at() -> None:
    given = {"a": [{"words": "x", "n": 1}], "password": {"env": "P"}, "held": SecretStr("x")}
    assert redacted(given, also=[("a", "words")]) == {
        "a": [{"words": REDACTED, "n": 1}],
        "password": {"env": "P"},
        "held": REDACTED,
    }


def test_annotations_say_where_else_they_are() -> None:
    @dataclass
    class Inner:
        plain: str
        words: SecretStr

    assert set(secret_keys(Service)) == {("passphrase_of_ours",)}
    assert set(secret_keys(list[Inner] | None)) == {("words",)}
    assert set(secret_keys(SecretStr | None)) == {()}


# ── it reaches the factory ──────────────────────────────────────────────────────────────────────────────────────────


def test_the_factory_is_given_the_secret_as_it_annotates_it(strategies: Strategies) -> None:
    settings = {"api_key": PLANTED, "dsn": PLANTED, "service": {"passphrase_of_ours": PLANTED}}
    made = strategies.make("detector", StrategySpec(name="asking", settings=settings))
    assert made.api_key == PLANTED
    assert made.dsn.get_secret_value() == made.service.passphrase_of_ours.get_secret_value() == PLANTED


def test_a_secret_may_come_from_the_environment(strategies: Strategies, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = StrategySpec(name="asking", settings={"api_key": {"env": "ASKING_KEY"}})
    with pytest.raises(SettingsError, match=r"detector 'asking': setting api_key: .*'ASKING_KEY' is not set"):
        strategies.make("detector", spec)
    monkeypatch.setenv("ASKING_KEY", PLANTED)
    assert strategies.make("detector", spec).api_key == PLANTED
    assert spec.settings == {"api_key": {"env": "ASKING_KEY"}}


def test_a_recorded_secret_must_be_given_again(strategies: Strategies) -> None:
    recorded = StrategySpec(name="asking", settings={"api_key": PLANTED}).model_dump(mode="json")
    assert recorded == {"name": "asking", "settings": {"api_key": REDACTED}}
    with pytest.raises(SettingsError, match="api_key was masked when it was recorded"):
        strategies.make("detector", StrategySpec.model_validate(recorded))


def test_settings_can_be_changed_without_losing_it(strategies: Strategies) -> None:
    settings = Settings.of(detector={"name": "asking", "api_key": PLANTED}, plugin_settings={"p": {"token": PLANTED}})
    changed = settings.changed(strict=True)
    assert changed.detector is not None
    assert strategies.make("detector", changed.detector).api_key == PLANTED
    assert changed.plugin_settings["p"].revealed == {"token": PLANTED}


# ── and nothing else ────────────────────────────────────────────────────────────────────────────────────────────────


def said_of(settings: Settings, strategies: Strategies) -> str:
    assert settings.detector is not None
    spec = strategies.masked("detector", settings.detector)
    return "\n".join([repr(spec), str(spec), repr(spec.model_dump()), spec.model_dump_json(), repr(spec.settings)])


@pytest.mark.parametrize("place", PLACES)
def test_no_secret_is_shown_by_what_names_the_strategy(place: dict[str, Any], strategies: Strategies) -> None:
    settings = Settings.of(detector={"name": "asking", **place}, plugin_settings={"p": {"token": PLANTED}})
    assert PLANTED not in said_of(settings, strategies)
    assert REDACTED in said_of(settings, strategies)
    assert PLANTED not in repr(settings.plugin_settings) + settings.model_dump_json(include={"plugin_settings"})


@pytest.mark.usefixtures("importable")
@pytest.mark.parametrize("place", PLACES)
async def test_no_secret_is_found_in_plans_exports_logs_or_files(
    place: dict[str, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    if "detectors" in place:
        place = {"detectors": [{"name": "asking_of_the_tests.Asking", "dsn": PLANTED}]}
    detector = {"name": "asking_of_the_tests.Asking", **place}
    with caplog.at_level(logging.DEBUG):
        async with Earwitness.open(
            tmp_path / "story.db", detector=detector, world_agent="none", embedder="none", plugins=[Loud()]
        ) as ew:
            story = await ew.session("s1", cast=["alice", "bob"])
            settled = await (await story.say("alice", "Hello.", key="m1")).settled()
            await story.backstage().replan("m1")
            exported = [line async for line in story.backstage().export()]
            shown = [repr(each) for each in (ew, ew.engine, story, settled, settled.plan, await story.turn("bob"))]
    shown += [json.dumps(exported), settled.plan.model_dump_json(), caplog.text, *capsys.readouterr()]
    assert [text for text in shown if PLANTED in text] == []
    assert REDACTED in settled.plan.model_dump_json()
    assert Asking.made
    assert PLANTED.encode() not in b"".join(path.read_bytes() for path in files(tmp_path))
    assert any(REDACTED in cell for cell in cells(tmp_path / "story.db"))
    assert not any(PLANTED in cell for cell in cells(tmp_path / "story.db"))


# ── one look everywhere ─────────────────────────────────────────────────────────────────────────────────────────────

FROM_ENVIRONMENT = "sk-environment-4712"
IN_URL = "hunter-of-4713"
SECRETS = (PLANTED, FROM_ENVIRONMENT, IN_URL)
LEAKY = f"""
plugins = []
world_agent = "none"
embedder = "none"

[detector]
name = "leaky_of_the_tests.Leaky"
words = {{ env = "LEAKY_WORDS" }}
dsn = "{PLANTED}"
url = "https://me:{IN_URL}@example.org/v1"
"""


class Leaky:
    """A detector that quotes all that it was given, in whatever it fails at."""

    def __init__(self, *, dsn: SecretStr, words: str, url: str, fails_at: str = "") -> None:
        self.given = ValueError(f"401 for {dsn.get_secret_value()}, {words} and {url}")
        self.fails_at = fails_at
        self.do("make")

    def do(self, what: str) -> None:
        if what == self.fails_at:
            raise ConnectionError(str(self.given)) from self.given

    def open(self) -> None:
        self.do("open")

    def close(self) -> None:
        self.do("close")

    def detect(self, moment: Moment) -> Presence:
        self.do("detect")
        return Presence.only(moment.message.speaker)


@pytest.fixture
def leaky(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A settings file that chooses `Leaky`."""
    monkeypatch.setitem(sys.modules, "leaky_of_the_tests", SimpleNamespace(Leaky=Leaky))
    monkeypatch.setenv("LEAKY_WORDS", FROM_ENVIRONMENT)
    file = tmp_path / "earwitness.toml"
    file.write_text(LEAKY)
    return file


@pytest.mark.parametrize("strict", [False, True])
async def test_no_secret_is_found_wherever_one_looks(
    leaky: Path, tmp_path: Path, strict: bool, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "stores" / "story.db"
    store.parent.mkdir()
    with caplog.at_level(logging.DEBUG):
        seen = await everything_shown(leaky, store)
        for what in ("make", "open", "detect", "close"):
            seen[f"failing to {what}"] = await failure_of(failing(leaky, what), store, what, strict=strict)
    seen["doctor"] = await to_thread.run_sync(doctor, leaky, store)
    seen["doctor of what cannot be made"] = await to_thread.run_sync(doctor, leaky, store, 'fails_at = "make"')
    seen["log"] = caplog.text + repr([vars(record) for record in caplog.records])
    seen["output"] = "".join(capsys.readouterr())
    seen["rows"] = "".join(cells(store))
    seen["bytes"] = b"".join(path.read_bytes() for path in files(store.parent)).decode("latin-1")
    assert {where: secret for where, text in seen.items() for secret in SECRETS if secret in text} == {}
    assert all(REDACTED in seen[where] for where in ("plan", "export", "strategy", "doctor", "rows", "failing to make"))


async def everything_shown(settings: Path, store: Path) -> dict[str, str]:
    """What an instance shows and records, by where it is seen."""
    async with Earwitness.open(store, settings=settings) as ew:
        story = await ew.session("s1", cast=["alice", "bob"])
        settled = await (await story.say("alice", "Hello.", key="m1")).settled()
        backstage = story.backstage()
        return {
            "plan": settled.plan.model_dump_json() + repr(settled.plan),
            "replan": repr(await backstage.replan("m1")),
            "export": json.dumps([line async for line in backstage.export()]),
            "inspect": repr(await backstage.inspect("alice")),
            "turn": repr(await story.turn("bob")),
            "engine": repr(ew) + repr(ew.engine),
            "strategy": repr(ew.engine.detector),
            "settings": repr(ew.settings) + ew.settings.model_dump_json() + repr(Settings.load(settings)),
            "spec": repr(ew.settings.detector) + str(ew.settings.detector),
        }


def failing(file: Path, what: str) -> Settings:
    """The settings with a detector that fails at this."""
    settings = Settings.load(file)
    assert settings.detector is not None
    return settings.changed(detector=settings.detector.changed({**settings.detector.revealed, "fails_at": what}))


async def failure_of(settings: Settings, store: Path, what: str, *, strict: bool) -> str:
    """All that is told of the failure, and of what caused it."""
    told = ""
    try:
        async with Earwitness.open(store, settings=settings, strict=strict) as ew:
            story = await ew.session("s1")
            settled = await (await story.say("alice", "Hello.", key=f"{what}, {strict}")).settled()
            told = f"{settled.failures} {settled.plan!r}"
    except EarwitnessError as error:
        told = "".join(format_exception(error))
    assert re.search("detector[ :]'?leaky_of_the_tests.Leaky", told)
    assert f"401 for {REDACTED}, {REDACTED} and https://me:{REDACTED}@example.org/v1" in told
    return told


def doctor(settings: Path, store: Path, besides: str = "") -> str:
    settings.write_text(LEAKY + besides)
    report = CliRunner().invoke(group, ["doctor", "--json", "--settings", str(settings), "--store", str(store)])
    assert "leaky_of_the_tests.Leaky" in report.output
    return report.output


def files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


def cells(file: Path) -> Iterator[str]:
    """Everything in a file of ours, unpacked."""
    database = apsw.Connection(str(file))
    for (table,) in database.execute("select name from sqlite_schema where type = 'table'").fetchall():
        for row in database.execute(f'select * from "{table}"').fetchall():
            yield from map(readable, row)
    database.close()


def readable(cell: object) -> str:
    try:
        return inflated(cell) if isinstance(cell, bytes) else str(cell)
    except DamagedBlob:  # a blob of another sort
        return repr(cell)


async def test_no_failure_quotes_the_secret_of_who_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refused(Asking):
        def detect(self, moment: Moment) -> Presence:
            assert self.dsn is not None
            raise ConnectionError(f"401: the key {self.dsn.get_secret_value()!r} is wrong")

    monkeypatch.setitem(sys.modules, "refused_of_the_tests", SimpleNamespace(Refused=Refused))
    detector = {"name": "refused_of_the_tests.Refused", "dsn": PLANTED}
    stores: dict[str, Any] = {"store": MemoryStore(), "ledger": MemoryLedger()}
    for strict in (False, True):
        async with Earwitness.open(
            **stores, detector=detector, world_agent="none", embedder="none", strict=strict, plugins=[]
        ) as ew:
            story = await ew.session(f"s{strict}", cast=["alice"])
            outcome = await story.say("alice", "Hello.")
            if strict:
                with pytest.raises(EarwitnessError) as caught:
                    await outcome.settled()
                said = str(caught.value)
            else:
                said = str((await outcome.settled()).failures[0].failure)
            assert f"ConnectionError: 401: the key '{REDACTED}' is wrong" in said


class Holding:
    """Holds a secret in one way or another, and quotes it whenever it is asked."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def detect(self, moment: Moment) -> Presence:
        raise RuntimeError(f"401 {PLANTED}")

    def on_message(self, event: object) -> None:
        raise RuntimeError(f"402 {PLANTED}")


class Slotted(Holding):
    """Has a slot that is not set, besides the one that holds the secret."""

    __slots__ = ("key", "unset")

    def __init__(self, key: SecretStr) -> None:
        self.key = key


@dataclass
class Circle:
    """Holds a secret, and itself."""

    key: SecretStr
    around: Any = None

    def __post_init__(self) -> None:
        self.around = self


HELD = [
    Holding(SecretStr(PLANTED)),
    Holding(SecretBytes(PLANTED.encode())),
    Holding(Service(passphrase_of_ours=SecretStr(PLANTED))),
    Slotted(SecretStr(PLANTED)),
    Holding([SecretStr(PLANTED)]),
    Holding({"keys": ({"first": SecretStr(PLANTED)},)}),
    Holding(Holding(Holding({SecretStr(PLANTED)}))),
    Holding(Circle(SecretStr(PLANTED))),
]


@pytest.mark.parametrize("part", HELD)
@pytest.mark.parametrize("setting", ["detector", "plugins"])
async def test_no_failure_quotes_the_secret_of_an_instance_that_was_handed_over(part: Holding, setting: str) -> None:
    given: dict[str, Any] = {"detector": "everyone", "plugins": [], setting: [part] if setting == "plugins" else part}
    stores: dict[str, Any] = {"store": MemoryStore(), "ledger": MemoryLedger()}
    async with Earwitness.open(**stores, **given, world_agent="none", embedder="none") as ew:
        story = await ew.session("s1", cast=["alice"])
        settled = await (await story.say("alice", "Hello.")).settled()
        exported = [line async for line in story.backstage().export()]
    assert [each.failure for each in settled.failures] in ([f"RuntimeError: {n} {REDACTED}"] for n in (401, 402))
    assert PLANTED not in f"{settled.plan!r} {exported}"


async def test_a_rehearsal_does_not_quote_the_secret_that_its_detector_holds() -> None:
    judgement = await Rehearsal(HELD[0], ["alice"]).tell("alice", "Hello.")
    assert judgement.failure == f"RuntimeError: 401 {REDACTED}"


class Loud(Plugin):
    """Reports a failure of its own, which a plan records beside the settings."""

    async def on_message(self, event: object) -> None:
        raise RuntimeError("no answer")


@pytest.mark.parametrize(
    "settings",
    [
        {"api_key": [PLANTED]},
        {"dsn": [PLANTED]},
        {"service": {"passphrase_of_ours": [PLANTED]}},
        {"service": {"url": ["x"], "passphrase_of_ours": PLANTED}},
        {"detectors": [{"dsn": PLANTED, "token": PLANTED}]},
    ],
)
def test_no_error_about_a_setting_quotes_a_secret(settings: dict[str, Any], strategies: Strategies) -> None:
    with pytest.raises(EarwitnessError) as caught:
        strategies.make("detector", StrategySpec(name="asking", settings=settings))
    seen: BaseException | None = caught.value
    while seen is not None:
        assert PLANTED not in f"{seen}{seen!r}"
        seen = None if seen.__suppress_context__ else seen.__cause__ or seen.__context__


def test_an_error_in_a_settings_file_quotes_no_secret(tmp_path: Path) -> None:
    file = tmp_path / "earwitness.toml"
    file.write_text(f'token = "{PLANTED}"\ndetector = {{ api_key = "{PLANTED}" }}\n[recall]\napi_key = "{PLANTED}"\n')
    with pytest.raises(SettingsError) as caught:
        Settings.load(file)
    assert "3 problems" in str(caught.value)
    assert PLANTED not in str(caught.value)
