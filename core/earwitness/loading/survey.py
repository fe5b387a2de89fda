"""A survey of what is installed, which parts the settings use, and which are broken. No store is opened."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import isawaitable
from typing import Any

from ..dispatch import Plugins
from ..errors import EarwitnessError
from ..lifecycle import Lifecycle
from ..protocols import Embedder
from ..records.base import Record
from ..records.prose import joined
from ..redaction import without
from ..strategy import Strategy
from ..time_limit import LimitReached, apart, contained, reason
from .kinds import CHOSEN, CORE_BY_NAME
from .plugins import load
from .resources import Resources
from .settings import Settings
from .strategies import LoadFailure, Strategies
from .strategy_spec import StrategySpec


class Survey(Record):
    """The installed plugins and strategies, those in use, and those that are broken."""

    plugins: dict[str, tuple[str, ...]]
    """Plugin name → the hooks it answers."""
    blocked: tuple[str, ...]
    """Names of plugins that the settings block."""
    strategies: dict[str, tuple[str, ...]]
    """Kind → names of the installed strategies."""
    in_use: dict[str, tuple[StrategySpec, ...]]
    """Kind → the strategies that the settings choose."""
    embedder: dict[str, Any] | None
    """Identity of the embedder; `None` without an embedder."""
    failures: tuple[LoadFailure, ...]
    """Plugins and strategies that could not be loaded or made."""

    def __str__(self) -> str:
        used = (f"{kind}: {joined((each.name for each in specs), 'none')}" for kind, specs in self.in_use.items())
        plugins = (f"plugin {name}: {joined(hooks, 'no hooks')}" for name, hooks in self.plugins.items())
        blocked = (f"plugin {name}: blocked" for name in self.blocked)
        broken = (f"broken: {each.group} {each.name!r}: {each.failure}" for each in self.failures)
        return "\n".join([*used, *plugins, *blocked, *broken])


def survey(settings: Settings) -> Survey:
    """Load all plugins and strategies, and make those that the settings choose. Raises `UnknownName` as `open` does."""
    plugins, strategies = Plugins(), Strategies()
    failures = load(plugins, settings)
    strategies.load_all()
    embedder, broken = _made(settings, strategies)
    return Survey(
        plugins={name: tuple(plugins.hooks_of(name)) for name in plugins.names},
        blocked=tuple(settings.block),
        strategies={kind: names for kind in strategies.kinds if (names := strategies.names(kind))},
        in_use=_in_use(settings, strategies),
        embedder=embedder,
        failures=(*failures, *strategies.failures, *broken),
    )


async def embedder_failure(settings: Settings, limit: float = 20.0) -> LoadFailure | None:
    """Why the embedder of the settings makes no vectors; `None` if it does, or the settings choose none.

    It is opened, asked for the vector of one word within `limit` seconds, and closed.
    """
    strategies = Strategies()
    for spec in settings.chosen(CORE_BY_NAME["embedder"]):
        secrets = _masked("embedder", spec, strategies).secrets()
        try:
            made = strategies.make("embedder", spec, **_context(settings, strategies))
            await apart(limit, _try(Strategy("embedder", spec.name, made, secrets=secrets)))
        except BaseException as error:  # noqa: BLE001 - a survey names whatever is broken
            late = isinstance(error, LimitReached)
            failure = f"it did not answer within {limit:g} s" if late else without(reason(contained(error)), secrets)
            return LoadFailure(group="earwitness.embedder", name=spec.name, failure=failure)
    return None


async def _try(embedder: Strategy[Embedder]) -> None:
    lifecycle = Lifecycle([embedder])
    await lifecycle.open()
    try:
        vectors = embedder.made.embed(["word"])
        if isawaitable(vectors):
            await vectors
    finally:
        await lifecycle.close()


def _chosen(settings: Settings) -> Iterator[tuple[str, StrategySpec]]:
    """All strategies that the settings choose, with their kinds."""
    return ((kind.name, spec) for kind in CHOSEN for spec in settings.chosen(kind))


def _in_use(settings: Settings, strategies: Strategies) -> dict[str, tuple[StrategySpec, ...]]:
    used: dict[str, tuple[StrategySpec, ...]] = {kind.name: () for kind in CHOSEN}
    for kind, spec in _chosen(settings):
        used[kind] = (*used[kind], _masked(kind, spec, strategies))
    return used


def _masked(kind: str, spec: StrategySpec, strategies: Strategies) -> StrategySpec:
    """The spec without secrets. If its factory cannot be loaded, all settings count as secret."""
    try:
        return strategies.masked(kind, spec)
    except EarwitnessError:  # it is reported among the failures
        return spec.masking((name,) for name in spec.revealed)


def _made(settings: Settings, strategies: Strategies) -> tuple[dict[str, Any] | None, list[LoadFailure]]:
    """Make everything that the settings choose. Returns the embedder's identity, and what could not be made."""
    context = _context(settings, strategies)
    identity, broken = None, []
    for kind, spec in _chosen(settings):
        try:
            made = strategies.make(kind, spec, **context)
            if kind == "embedder":
                context["embedder"], identity = made, made.identity.model_dump()
        except BaseException as error:  # noqa: BLE001 - a survey names whatever is broken
            failure = without(reason(contained(error)), _masked(kind, spec, strategies).secrets())
            broken.append(LoadFailure(group=f"earwitness.{kind}", name=spec.name, failure=failure))
    return identity, broken


def _context(settings: Settings, strategies: Strategies) -> dict[str, Any]:
    """What factories may ask for."""
    context: dict[str, Any] = {"path": settings.path, "end": settings.end, "settings": settings}
    return context | {"resources": Resources(), "strategies": strategies, "embedder": None}
