"""Importing Earwitness is light: what weighs is brought in when it is first used.

A stopwatch would measure the machine, so these tests look at what was imported.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"apsw", "click", "numpy", "rich", "sqlite3", "tomlkit", "ruamel.yaml"}
SDKS = {
    "mcp",
    "mem0",
    "neo4j",
    "networkx",
    "onnxruntime",
    "openai",
    "opentelemetry",
    "pgvector",
    "psycopg",
    "qdrant_client",
    "supermemory",
}


def modules_after(statement: str) -> set[str]:
    """The top-level modules that a fresh interpreter holds after this statement."""
    program = (
        f"{statement}\nimport json, sys\nprint(json.dumps(sorted({{name.split('.')[0] for name in sys.modules}})))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout))


def test_importing_earwitness_brings_in_no_backend_no_terminal_and_no_sdk() -> None:
    assert modules_after("import earwitness") & (HEAVY | SDKS) == set()


def test_importing_the_relationships_brings_in_no_sdk() -> None:
    assert modules_after("import earwitness_relationships") & (HEAVY | SDKS) == set()


@pytest.mark.parametrize("module", ["earwitness.testing", "earwitness_plugins.terminal.group"])
def test_the_command_line_and_the_kit_for_plugin_authors_bring_in_no_backend_and_no_sdk(module: str) -> None:
    assert modules_after(f"import {module}") & (SDKS | {"apsw", "numpy", "sqlite3"}) == set()


def test_telling_a_story_brings_in_neither_the_backstage_nor_the_relationships(tmp_path: Path) -> None:
    talk = tmp_path / "talk.jsonl"
    talk.write_text('{"speaker": "alice", "text": "Hello, Bob."}\n', "utf-8")
    program = f"""if True:
        import sys
        from contextlib import suppress
        from earwitness_plugins.console import main
        sys.argv = ["earwitness", "replay", {str(talk)!r}, "--store", {str(tmp_path / "story.db")!r}]
        with suppress(SystemExit):
            main()
        print(*sorted(sys.modules))
    """
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = run.stdout.splitlines()[-1].split()
    assert "earwitness.session" in loaded
    asked_for = ("earwitness.backstage", "earwitness_relationships.model", "earwitness_relationships.rules")
    assert [name for name in loaded if name.startswith((*asked_for, "rich.progress"))] == []
