"""Graph stores that the command line names."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from earwitness.errors import InputError, UnknownName, did_you_mean, unknown
from earwitness.loading.resources import Resources
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
from earwitness.loading.strategy_spec import StrategySpec
from earwitness.redaction import is_reference
from earwitness_plugins.applications.strategy_words import strategy_in
from earwitness_relationships.graph.protocol import GraphStore
from earwitness_relationships.settings import RelationshipsSettings

SERVER = {"uri": "NEO4J_URI", "user": "NEO4J_USER", "database": "NEO4J_DATABASE", "password": "NEO4J_PASSWORD"}
"""Setting of `neo4j` → the environment variable that has it where the command does not."""

MOST_NAMED = 50
"""The most nodes that an error names."""


def graph_spec(text: str | None, settings: Settings) -> StrategySpec:
    """The store that a text names; without one, or with its name alone, that of the settings.

    Settings that `neo4j(…)` is not given are those of the settings' graph if it is on the same server, else of the
    environment.

    Raises `InputError` for text that names none.
    """
    ours = settings.table(RelationshipsSettings).graph
    if text is None or text == ours.name:
        return ours
    spec = strategy_in(text)
    if spec.name != "neo4j":
        return spec
    if ours.name == spec.name and "uri" not in spec.settings:
        return ours.changed({**ours.revealed, **spec.revealed})
    return StrategySpec(name=spec.name, settings={**_from_environment(), **spec.revealed})


@asynccontextmanager
async def opened_graph(spec: StrategySpec, settings: Settings, *, create: bool = False) -> AsyncIterator[GraphStore]:
    """The open store. Raises `InputError` for a file that is not there, unless it may be created."""
    context: dict[str, Any] = {"path": settings.path, "settings": settings, "resources": Resources()}
    store: GraphStore = Strategies().make("graph", spec, **context)
    if not create:
        _refuse_missing(spec, settings)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


async def known_node(store: GraphStore, id: str) -> None:
    """Raise `UnknownName` for a node of which the graph says nothing, and said nothing before."""
    if await store.nodes(ids=[id]) or await store.history(id):
        return
    related = {each for relation in await store.relations() for each in (relation.source, relation.target)}
    names = related | {each.id for each in await store.nodes()}
    if len(names) <= MOST_NAMED:
        raise unknown("node", id, names)
    raise UnknownName(f"unknown node {id!r}. The graph has {len(names)} nodes.{did_you_mean(id, names)}")


def _refuse_missing(spec: StrategySpec, settings: Settings) -> None:
    path = str(spec.settings.get("path", settings.path))
    if spec.name == "networkx" and not Path(path).exists():
        raise InputError(f"there is no graph {path!r} yet. Name its file with --store FILE.")


def described(spec: StrategySpec) -> str:
    """The store in a few words, without secrets: `networkx`, `neo4j (uri bolt://…)`."""
    named = {key: value for key, value in spec.settings.items() if key in {"path", "uri", "database", "namespace"}}
    shown = ", ".join(f"{key} {_shown(value)}" for key, value in named.items())
    return f"{spec.name} ({shown})" if shown else spec.name


def _shown(value: object) -> object:
    return f"${value['env']}" if is_reference(value) else value


def _from_environment() -> dict[str, Any]:
    return {name: {"env": variable} for name, variable in SERVER.items() if os.environ.get(variable)}
