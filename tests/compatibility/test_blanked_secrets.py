"""Plans of f1db6cd recorded the keys and passwords of their strategies. Opened or imported today, they are blanked."""

import json
import sqlite3
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from earwitness import Earwitness, Session, sync
from earwitness_plugins.sqlite.blobs import DamagedBlob, inflated
from earwitness_plugins.terminal.group import group


@pytest.fixture
def secret(expected: dict[str, Any]) -> str:
    """What every planted secret begins with."""
    found: str = expected["secret"]
    return found


@pytest.fixture
def path(old_store: Callable[[str], Path], secret: str) -> Path:
    """A store with secrets in its plans, which has been opened and closed."""
    path = old_store("secrets.db")
    assert secret.encode() in path.read_bytes()
    with sync.Earwitness.open(path):
        pass
    return path


@pytest.fixture(params=["store", "export"])
async def heist(
    request: pytest.FixtureRequest, path: Path, old_export: Callable[[str], list[dict[str, Any]]], tmp_path: Path
) -> AsyncIterator[Session]:
    """The story whose strategies had secrets, from the store and from its export."""
    async with Earwitness.open(path if request.param == "store" else tmp_path / "new.db") as ew:
        yield await (ew.open_session("heist") if request.param == "store" else ew.import_session(old_export("heist")))


async def test_no_export_holds_a_secret(heist: Session, secret: str) -> None:
    lines = [line async for line in heist.backstage().export()]
    assert secret not in json.dumps(lines)


async def test_settings_stay_recorded_without_their_secrets(heist: Session, expected: dict[str, Any]) -> None:
    said = next(each for each in expected["stories"]["heist"]["said"] if each["key"] == "h1")
    plan = (await (await heist.say(**said)).settled()).plan
    detector, agent, *_ = plan.answers
    assert detector.settings == expected["settings"]["detector"]
    assert agent.settings == expected["settings"]["world_agent"]


async def test_a_failure_that_quoted_a_secret_is_kept_without_it(heist: Session, expected: dict[str, Any]) -> None:
    said = next(each for each in expected["stories"]["heist"]["said"] if each["key"] == "h5")
    plan = (await (await heist.say(**said)).settled()).plan
    assert "the key ********** was refused" in str(plan.answers[0].failure)


async def test_nothing_that_backstage_shows_holds_a_secret(heist: Session, secret: str) -> None:
    back = heist.backstage()
    shown: list[Any] = [await back.overview(), await back.before(), await back.replan("h1")]
    for owner in (*heist.cast.ids, "world"):
        shelf = await back.inspect(owner)
        shown += [shelf, *[await back.explain(each.id) for each in shelf.memories]]
    assert secret not in " ".join(f"{each!r} {each} {each.model_dump_json()}" for each in shown)


@pytest.mark.parametrize(
    "words",
    [
        ["inspect", "--json"],
        ["inspect", "heist", "--json"],
        ["inspect", "heist", "world", "--json"],
        ["doctor", "--json"],
        ["doctor"],
        ["export", "heist"],
    ],
    ids=" ".join,
)
def test_no_command_prints_a_secret(path: Path, secret: str, words: list[str]) -> None:
    printed = CliRunner().invoke(group, [*words, "--store", str(path)], prog_name="earwitness")
    assert printed.exit_code == 0, printed.output
    assert printed.output
    assert secret not in printed.output


def readable(value: object) -> str:
    """What a value says, inflated where it was stored deflated."""
    try:
        return inflated(value) if isinstance(value, bytes) else repr(value)
    except DamagedBlob:
        return repr(value)


def test_no_row_of_an_opened_store_holds_a_secret(path: Path, secret: str) -> None:
    connection = sqlite3.connect(path)
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    said = [readable(value) for name in tables for row in connection.execute(f"SELECT * FROM {name}") for value in row]
    connection.close()
    assert any("detector:fixture_make:Remote" in each for each in said)  # plans can be read here
    assert not [each for each in said if secret in each]


def test_nor_do_the_bytes_of_its_file(path: Path, secret: str) -> None:
    """Free pages included: there the plans of a forgotten story would be."""
    files = [each.read_bytes() for each in path.parent.glob(f"{path.name}*")]
    assert files
    assert not any(secret.encode() in each for each in files)
