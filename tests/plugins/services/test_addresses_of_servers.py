"""What is not an address of a server is refused when settings are read, and not at the first call."""

from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness, Settings
from earwitness.errors import SettingsError

REFUSED = [
    "nonsense",
    "",
    "localhost:6333",
    "ftp://host/v1",
    "http://",
    "http:// host",
    " http://host",
    "http://host?q=1",
]
TAKEN = ["http://localhost:8080/v1", "https://api.example.org", "http://127.0.0.1:6333/", "http://[::1]:80"]


def opened(folder: Path, **settings: Any) -> Earwitness:
    return Earwitness.open(settings=Settings.of(path=str(folder / "story.db"), **settings))


def places(url: str) -> dict[str, dict[str, Any]]:
    service = {"name": "supermemory", "api_key": "k", "base_url": url}
    return {
        "model.base_url": {"model": {"model": "m", "base_url": url}},
        "base_url": {"store": service},
        "primary of store": {"store": {"name": "fallback", "primary": service, "fallback": "sqlite"}},
        "embedder 'openai'": {"embedder": {"name": "openai", "base_url": url}},
        "url": {"store": {"name": "qdrant", "url": url}},
    }


@pytest.mark.parametrize("url", REFUSED)
def test_what_is_no_address_is_refused_wherever_it_stands(tmp_path: Path, url: str) -> None:
    for place, settings in places(url).items():
        with pytest.raises(SettingsError, match="is not an address of a server: it begins with http") as refused:
            opened(tmp_path, **settings)
        assert place in str(refused.value)
        assert "Value error" not in str(refused.value)


@pytest.mark.parametrize("url", TAKEN)
def test_an_address_is_taken(tmp_path: Path, url: str) -> None:
    for settings in places(url).values():
        opened(tmp_path, **settings)


def test_a_password_in_it_is_not_shown(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        opened(tmp_path, store={"name": "supermemory", "api_key": "k", "base_url": "http://me:topsecret@ho st/"})
    assert "topsecret" not in str(refused.value)


def test_an_environment_variable_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPERMEMORY_BASE_URL", "my.server")
    with pytest.raises(
        SettingsError, match=r"environment variable SUPERMEMORY_BASE_URL: 'my.server' is not an address"
    ):
        opened(tmp_path, supermemory={"api_key": "k"})
