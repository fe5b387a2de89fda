"""One look everywhere: a planted secret is in no file, export, log, report, error or repr."""

from __future__ import annotations

import json
import logging
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from traceback import format_exception
from types import SimpleNamespace
from typing import Any

import pytest
from anyio import to_thread
from click.testing import CliRunner
from pydantic import SecretBytes, SecretStr

from earwitness import Earwitness, Moment, Presence, Settings
from earwitness.errors import EarwitnessError
from earwitness.redaction import REDACTED
from earwitness.rehearsal import Rehearsal
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_plugins.terminal.group import group

from .asking_detector import PLANTED, Asking, Service, cells, files

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
