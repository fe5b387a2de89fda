"""Settings of the store `supermemory`. An empty key means the embedded store."""

from __future__ import annotations

import os
from typing import Annotated, Literal

from pydantic import Field, SecretStr

from earwitness.containers import conversation_container
from earwitness.errors import SettingsError
from earwitness.loading.addresses import ServerUrl, server_url
from earwitness.loading.resources import Resources
from earwitness.loading.settings import Settings
from earwitness.protocols import Embedder, Store

ServiceSeconds = Annotated[float, Field(gt=0)]
URL_VARIABLE = "SUPERMEMORY_BASE_URL"
CONTAINER_TAG, CONVERSATION_THRESHOLD = "nanobot_memory", 0.6
"""The defaults of the table `[supermemory]`."""


def supermemory(
    *,
    path: str,
    embedder: Embedder | None,
    resources: Resources,
    api_key: SecretStr | None = None,
    base_url: ServerUrl | None = None,
    task_type: Literal["superrag", "memory"] = "superrag",
    search_mode: Literal["hybrid", "memories", "chunks"] = "hybrid",
    threshold: Annotated[float, Field(ge=0, le=1)] | None = None,
    candidates: Annotated[int, Field(ge=1, le=100)] = 50,
    search_timeout: ServiceSeconds = 2.0,
    timeout: ServiceSeconds = 8.0,
    largest_text: Annotated[int, Field(ge=100, le=1_000_000)] = 60_000,
    failures: Annotated[int, Field(ge=1)] = 3,
    pause: ServiceSeconds = 5.0,
    settings: Settings | None = None,
) -> Store:
    """Memories in Supermemory; in the embedded store where there is no key.

    Args:
        path: the file of what the service does not find yet, or of the embedded store.
        embedder: ranks what was found.
        resources: of one Earwitness instance.
        api_key: the key; `None` = the environment variable `SUPERMEMORY_API_KEY`. Empty = the embedded store.
        base_url: a server of your own; `None` = the environment variable `SUPERMEMORY_BASE_URL`, or the service's.
        task_type: `superrag` keeps texts as they are; `memory` also extracts memories, which are found in their stead.
        search_mode: `hybrid` searches both, `chunks` texts only, `memories` what was extracted only.
        threshold: rows less similar than this, from 0 to 1, are not found; `None` = all are, except in conversations
            of chat assistants: that of the table, or 0.6.
        candidates: how many rows a search asks for at least; they are ranked once more here.
        search_timeout: seconds a recall waits for an answer.
        timeout: seconds a write or a list waits for one.
        largest_text: bytes of one document; a longer text is kept in several.
        failures: so many failures in a row, or one search without an answer in time, and the service is left alone …
        pause: … for so many seconds; each time twice as long, up to 15, or to `pause`.
        settings: of the instance: their table `[supermemory]` may have the key, and the threshold of conversations.
    """
    table = getattr(settings, "supermemory", None)
    given = api_key if api_key is not None else getattr(table, "api_key", None)
    key = given.get_secret_value() if given is not None else os.environ.get("SUPERMEMORY_API_KEY", "")
    if not key.strip():
        from earwitness_plugins.stores.sqlite import SqliteStore

        return SqliteStore(path=path, embedder=embedder, resources=resources)

    from earwitness_plugins.services.breaker import CircuitBreaker

    from .store import SupermemoryStore
    from .wire import SearchManner, ServiceAddress

    url = base_url or _url_of_environment()
    return SupermemoryStore(
        connection=ServiceAddress(SecretStr(key.strip()), url, search_timeout, timeout),
        manner=SearchManner(task_type, search_mode, *_thresholds(threshold, table)),
        path=path,
        resources=resources,
        embedder=embedder,
        candidates=candidates,
        largest_text=largest_text,
        breaker=CircuitBreaker(failures=failures, pause=pause),
    )


def _thresholds(given: float | None, table: object) -> tuple[float, dict[str, float]]:
    """The store's, and container → another one: only chat assistants leave out what is less alike."""
    if given is not None:
        return given, {}
    tag = getattr(table, "container_tag", CONTAINER_TAG)
    return 0.0, {conversation_container(tag).name: getattr(table, "threshold", CONVERSATION_THRESHOLD)}


def _url_of_environment() -> str | None:
    url = os.environ.get(URL_VARIABLE, "").strip()
    try:
        return server_url(url) if url else None
    except ValueError as error:
        raise SettingsError(f"the environment variable {URL_VARIABLE}: {error}.") from error
