"""Stores and exports that earlier versions made, each with what that version answered."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

OLD = Path(__file__).resolve().parents[1] / "fixtures" / "f1db6cd"


@pytest.fixture(scope="session")
def old() -> Path:
    """The folder of what f1db6cd made; its `make.py` says what is in it."""
    return OLD


@pytest.fixture(scope="session")
def expected() -> dict[str, Any]:
    """What f1db6cd answered, by story; and what is left of its strategies' settings once secrets are blanked."""
    read: dict[str, Any] = json.loads((OLD / "expected.json").read_text("utf-8"))
    return read


@pytest.fixture(scope="session")
def old_store(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A copy of one of its stores, to be opened and changed."""

    def old_store(name: str) -> Path:
        path = tmp_path_factory.mktemp("old") / name
        path.write_bytes(gzip.decompress((OLD / f"{name}.gz").read_bytes()))
        return path

    return old_store


@pytest.fixture(scope="session")
def old_export() -> Callable[[str], list[dict[str, Any]]]:
    """The lines of one of its exports."""

    def old_export(story: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (OLD / f"{story}.jsonl").read_text("utf-8").splitlines()]

    return old_export
