"""`earwitness doctor`: what is installed, what of it is broken, and how the files are."""

import asyncio
import json
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from earwitness import Earwitness, ids
from earwitness.loading import plugins as installed
from earwitness.loading import strategies
from earwitness.records import character
from earwitness_plugins.testing.model import ScriptedAnswer, ScriptedModel

from .conftest import Run, answer


@pytest.mark.parametrize("where", [[], ["--store", "nope.db"]])
def test_a_store_that_does_not_exist_yet_is_no_fault_and_is_not_made(run: Run, folder: Path, where: list[str]) -> None:
    report = answer(run("doctor", "--json", *where))
    name = where[-1] if where else "earwitness.db"
    assert report["ok"] is True
    assert report["failures"] == []
    assert report["store"] == {"path": name, "exists": False, "ok": True}
    result = run("doctor", *where)
    assert result.exit_code == 0
    said = " ".join(result.stdout.split())
    assert f"nothing is broken, and there is no store '{name}' yet. To make one: earwitness play STORY" in said
    assert "well" not in said
    assert list(folder.iterdir()) == []


UNREACHABLE = {
    "supermemory": 'name = "supermemory"\napi_key = "sk-4711"\nbase_url = "http://127.0.0.1:1"',
    "qdrant": 'name = "qdrant"\nurl = "http://127.0.0.1:1"',
    "fallback": 'name = "fallback"\nfallback = "sqlite"\n'
    'primary = { name = "supermemory", api_key = "sk-4711", base_url = "http://127.0.0.1:1" }',
}


@pytest.mark.parametrize("store", UNREACHABLE)
def test_a_service_that_does_not_answer_is_named_also_before_there_is_a_story(
    run: Run, folder: Path, store: str
) -> None:
    (folder / "earwitness.toml").write_text(f"[store]\n{UNREACHABLE[store]}\n", "utf-8")
    result = run("doctor", "--json")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert report["store"]["exists"] is report["store"]["ok"] is report["ok"] is False
    assert "127.0.0.1:1" in str(report["store"])
    shown = run("doctor").output
    assert "not well" in shown
    assert "4711" not in shown + result.output
    assert [each.name for each in folder.iterdir()] == ["earwitness.toml"]


@pytest.mark.parametrize("exists", [False, True])
def test_an_embedder_that_does_not_answer_is_named_also_before_there_is_a_story(
    run: Run, folder: Path, story: Path, exists: bool
) -> None:
    pytest.importorskip("openai", reason="the client is not installed: pip install 'earwitness[openai]'")
    if exists:
        assert run("play", str(story)).exit_code == 0
    table = 'name = "openai"\nbase_url = "http://127.0.0.1:1"\napi_key = "sk-4711"\nretries = 0\n'
    (folder / "earwitness.toml").write_text(f"[embedder]\n{table}", "utf-8")
    result = run("doctor", "--json")
    assert result.exit_code == 1
    named = [each for each in json.loads(result.stdout)["failures"] if each["group"] == "earwitness.embedder"]
    assert [each["name"] for each in named] == ["openai"]
    assert "http://127.0.0.1:1" in named[0]["failure"]
    assert "4711" not in result.output + run("doctor").output


MODELS = {
    "dead": ('base_url = "http://127.0.0.1:1/v1"\n', "http://127.0.0.1:1"),
    "no cassette": ('cassette = "none.jsonl"\ncassette_mode = "replay"\n', "does not exist"),
}


@pytest.mark.parametrize("broken", MODELS)
def test_a_model_that_does_not_answer_is_named(run: Run, folder: Path, broken: str) -> None:
    pytest.importorskip("openai", reason="the client is not installed: pip install 'earwitness[model]'")
    table, quoted = MODELS[broken]
    (folder / "earwitness.toml").write_text(f'[model]\nmodel = "m"\napi_key = "sk-4711"\n{table}', "utf-8")
    result = run("doctor", "--json")
    assert result.exit_code == 1
    (named,) = [each for each in json.loads(result.stdout)["failures"] if each["group"] == "earwitness.model"]
    assert quoted in named["failure"]
    shown = run("doctor").output
    assert quoted in "".join(shown.split()) or broken == "no cassette"
    assert "4711" not in result.output + shown


def test_a_model_is_asked_once_and_none_without_settings(run: Run, folder: Path) -> None:
    with ScriptedModel(["OK", ScriptedAnswer(status=503)]) as model:
        table = f'[model]\nmodel = "m"\nbase_url = "{model.url}"\napi_key = "{model.key}"\n'
        (folder / "earwitness.toml").write_text(table, "utf-8")
        assert answer(run("doctor", "--json"))["model"] == {"model": "m", "base_url": model.url, "answers": "yes"}
        assert (run("doctor").exit_code, len(model.requests)) == (1, 2)
    (folder / "earwitness.toml").unlink()
    assert answer(run("doctor", "--json"))["model"] == {}


def test_a_folder_that_is_missing_is_named(run: Run) -> None:
    result = run("doctor", "--store", "nowhere/x.db")
    assert result.exit_code == 1
    assert "there is no folder 'nowhere'" in " ".join(result.stdout.split())


def test_a_folder_of_a_store_here_is_not_made_by_a_look_at_it(run: Run, folder: Path) -> None:
    (folder / "earwitness.toml").write_text('[store]\nname = "markdown"\npath = "memories"\n', "utf-8")
    report = answer(run("doctor", "--json"))
    assert report["store"]["exists"] is False
    assert report["ok"] is True
    assert [each.name for each in folder.iterdir()] == ["earwitness.toml"]


def test_settings_of_a_plugin_that_is_not_installed_are_refused_with_their_line(run: Run, folder: Path) -> None:
    (folder / "earwitness.toml").write_text("strict = false\n\n[plugin_settings.chronicl]\nlength = 3\n", "utf-8")
    result = run("doctor")
    assert result.exit_code == 2
    assert "earwitness.toml:3:18: unknown plugin 'chronicl'" in result.stderr
    assert "Did you mean 'chronicle'?" in result.stderr


def test_a_folder_in_the_place_of_the_store_is_said_to_be_one(run: Run, folder: Path) -> None:
    (folder / "stories").mkdir()
    result = run("inspect", "--store", "stories")
    assert result.exit_code != 0
    assert "/stories' cannot be opened: it is a folder. Name a file in it, such as '" in result.stderr


def test_it_names_versions_plugins_strategies_and_the_embedder(played: Run) -> None:
    report = answer(played("doctor", "--json"))
    assert {"earwitness", "python", "packages"} <= report.keys()
    assert report["plugins"]["chronicle"] == ["on_state_change"]
    assert {"addressees", "everyone", "rules"} <= set(report["strategies"]["detector"])
    assert report["embedder"]["name"] == "static"
    assert report["store"]["ok"] is True
    assert "all is well" in played("doctor").stdout


async def opened(folder: Path) -> None:
    async with Earwitness.open(settings=folder / "earwitness.toml"):
        pass


def test_of_stories_in_a_database_it_names_the_database_and_neither_a_file_nor_the_password(
    run: Run, folder: Path, postgres_dsn: str
) -> None:
    dsn = make_conninfo(postgres_dsn, password="hunter22")
    tables = "".join(f'[{kind}]\nname = "postgres"\ndsn = "{dsn}"\n' for kind in ("ledger", "store"))
    (folder / "earwitness.toml").write_text(tables, "utf-8")
    asyncio.run(opened(folder))
    result = run("doctor", "--json")
    found = answer(result)["store"]
    assert found["ok"] is found["exists"] is True
    assert "path" not in found
    parts = conninfo_to_dict(postgres_dsn)
    assert found["ledger"]["database"] == f"{parts['dbname']} on {parts['host']}:{parts['port']}"
    assert "hunter22" not in result.output


def test_it_names_extras_that_are_not_installed(played: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = ["anyio>=4", "no-such-client>=3; extra == 'openai'", "anyio>=4; extra == 'mcp'"]
    monkeypatch.setattr("earwitness_plugins.commands.doctor.requires", lambda name: wanted)
    assert answer(played("doctor", "--json"))["missing_extras"] == ["openai"]
    assert "openai: pip install 'earwitness[openai]'" in " ".join(played("doctor").stdout.split())


def test_it_names_what_is_in_use_and_makes_it(played: Run, folder: Path) -> None:
    report = answer(played("doctor", "--json"))
    used = {kind: [spec["name"] for spec in specs] for kind, specs in report["in_use"].items()}
    assert used == {
        "detector": ["rules"],
        "world_agent": ["rules"],
        "sharing_rule": [],
        "observer": [],
        "job": [],
        "read_provider": [],
        "guard": [],
        "ledger": ["sqlite"],
        "store": ["sqlite"],
        "embedder": ["static"],
    }
    (folder / "earwitness.toml").write_text('guards = ["mine.Ears"]\n[detector]\nname = "everyone"\nloud = true\n')
    result = played("doctor")
    assert result.exit_code == 1
    shown = " ".join(result.stdout.split())
    assert "detector everyone(loud=True) (installed: addressees, " in shown
    assert "earwitness.detector: everyone: SettingsError: detector 'everyone' has no setting 'loud'" in shown
    assert "earwitness.guard: mine.Ears: SettingsError: guard 'mine.Ears' cannot be imported" in shown
    assert "not looked at" in shown


def test_a_blocked_plugin_is_not_loaded(played: Run, folder: Path) -> None:
    (folder / "earwitness.toml").write_text('block = ["chronicle"]\n', "utf-8")
    report = answer(played("doctor", "--json"))
    assert report["plugins"] == {}
    assert report["blocked"] == ["chronicle"]


def test_what_is_broken_is_named_with_exit_code_1(played: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("oddment", "no_such_module:Oddment", installed.GROUP)
    monkeypatch.setattr(installed, "entry_points", lambda group: [broken])
    monkeypatch.setattr(strategies, "_points", lambda kind: [EntryPoint("dim", "json:nothing", f"earwitness.{kind}")])
    result = played("doctor")
    assert result.exit_code == 1
    assert "earwitness.plugins: oddment: ModuleNotFoundError" in result.stdout.replace("\n", " ")
    assert "earwitness.detector: dim" in " ".join(result.stdout.split())
    assert "not well" in result.stdout


def test_a_damaged_store_is_reported_not_raised(run: Run, folder: Path) -> None:
    (folder / "earwitness.db").write_bytes(b"something else entirely" * 100)
    result = run("doctor", "--json")
    assert result.exit_code == 1
    assert "StorageCorrupt" in result.stdout


ASKING = """
from pydantic import SecretStr

class Asking:
    def __init__(self, *, dsn: SecretStr, api_key: str = "") -> None:
        if api_key == "sk-wrong-4711":
            raise ConnectionError(f"401: {dsn.get_secret_value()} and {api_key} are refused")

    def detect(self, moment):
        return None
"""


@pytest.mark.parametrize("name", ["asking_of_the_doctor.Asking", "gone_from_here.Asking"])
@pytest.mark.parametrize("key", ["sk-right-4711", "sk-wrong-4711"])
def test_it_shows_no_secret_of_a_strategy_nor_of_its_failure(
    run: Run, folder: Path, key: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(folder))
    (folder / "asking_of_the_doctor.py").write_text(ASKING, "utf-8")
    settings = f'[detector]\nname = "{name}"\ndsn = "host-planted-4711"\napi_key = "{key}"\n'
    (folder / "earwitness.toml").write_text(settings, "utf-8")
    shown = run("doctor", "--json").output + run("doctor").output
    assert "4711" not in shown
    assert "**********" in shown


def test_ids_with_invisible_characters_are_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def older_story() -> None:
        async with Earwitness.open("earwitness.db", embedder="none") as ew:
            await ew.session("s1", cast=["bob", "bob\ufe0f"])

    with monkeypatch.context() as older:
        for module in (ids, character):
            older.setattr(module, "invisible", lambda text: None)
        asyncio.run(older_story())
    report = answer(run("doctor", "--json"))
    assert report["ok"] is True
    assert report["store"]["ids"] == {"'bob\\ufe0f'": "in story 's1' holds U+FE0F, which is invisible"}
    assert "'bob\\ufe0f' in story 's1' holds U+FE0F" in " ".join(run("doctor").stdout.split())


RELATED = 'path = "e.db"\nembedder = "none"\n\n[relationships]\n'


def test_it_looks_at_the_graph_where_there_is_one(run: Run, folder: Path, story: Path) -> None:
    (folder / "earwitness.toml").write_text(RELATED, "utf-8")
    run("play", str(story))
    graph = answer(run("doctor", "--json"))["store"]["graph"]
    assert graph.items() >= {"nodes": 0, "relations": 0, "version": 0, "integrity": "ok"}.items()
    assert "stories: graph" in run("doctor").stdout


def test_a_graph_server_that_is_away_is_named(run: Run, folder: Path, story: Path) -> None:
    (folder / "earwitness.toml").write_text(RELATED, "utf-8")
    run("play", str(story))
    away = 'graph = {name = "neo4j", uri = "bolt://127.0.0.1:9", password = "secret-word"}\n'
    (folder / "earwitness.toml").write_text(RELATED + away, "utf-8")
    result = run("doctor")
    shown = " ".join(result.stdout.split())
    assert (result.exit_code, "'bolt://127.0.0.1:9' does not answer" in shown) == (1, True)
    assert "secret-word" not in shown


def test_the_error_of_a_rule_file_is_said_once(run: Run, folder: Path) -> None:
    (folder / "earwitness.toml").write_text(RELATED + 'rules = "rules.yaml"\n', "utf-8")
    (folder / "rules.yaml").write_text("club: {memebrs: [a]}\n", "utf-8")
    result = run("doctor")
    assert result.exit_code == 1
    assert result.stdout.count("unknown key 'memebrs'") == 1
    assert "earwitness.sharing_rule: relationships, earwitness.guard: pantheons" in " ".join(result.stdout.split())


def test_a_store_that_holds_nothing_of_the_stories_is_named_with_what_to_do(played: Run, folder: Path) -> None:
    assert answer(played("doctor", "--json"))["ok"] is True
    (folder / "earwitness.toml").write_text('store = "markdown"\n', "utf-8")
    result = played("doctor", "--json")
    assert result.exit_code == 1
    lacks = json.loads(result.stdout)["store"]["store lacks"]
    assert all(each.startswith("0 of ") for name, each in lacks.items() if name != "advice")
    assert len(lacks) > 2
    shown = " ".join(played("doctor").output.split())
    assert "stories: store lacks" in shown
    assert "`earwitness migrate BEFORE NOW`" in shown
