"""The kinds of strategies: those of core, and those that installed packages declare."""

from __future__ import annotations

import inspect
from typing import NamedTuple, TypeVar

from .. import protocols
from ..errors import SettingsError

T = TypeVar("T")


class StrategyKind(NamedTuple):
    """One kind of strategy."""

    name: str
    """Name of the kind. For `guard`, strategies are entry points in the group `earwitness.guard`."""
    protocol: type | None
    """The protocol that strategies of this kind must have; `None` if their users check it."""
    setting: str | None = None
    """The field of `Settings` that chooses strategies of this kind; `None` if settings do not choose them."""

    @property
    def is_plural(self) -> bool:
        """Whether settings choose several strategies of this kind."""
        return self.setting is not None and self.setting != self.name


CORE: tuple[StrategyKind, ...] = (
    StrategyKind("observer", protocols.Observer, "observers"),  # first, so that the others can be observed
    StrategyKind("embedder", protocols.Embedder, "embedder"),  # second, because the others may ask for it
    StrategyKind("detector", protocols.Detector, "detector"),
    StrategyKind("world_agent", protocols.WorldAgent, "world_agent"),
    StrategyKind("sharing_rule", protocols.SharingRule, "sharing_rules"),
    StrategyKind("guard", protocols.Guard, "guards"),
    StrategyKind("read_provider", protocols.ReadProvider, "read_providers"),
    StrategyKind("job", protocols.BackgroundJob, "jobs"),
    StrategyKind("ledger", protocols.Ledger, "ledger"),
    StrategyKind("store", protocols.Store, "store"),
    StrategyKind("importer", protocols.Importer),
    StrategyKind("command", None),
)
"""Core's kinds. Packages declare further ones in the entry point group `earwitness.kind`: a name and a protocol."""

NONE_BY_NAME = ("embedder", "detector", "world_agent")
"""Kinds of which settings choose none by the name `none`."""
CORE_BY_NAME = {kind.name: kind for kind in CORE}

CHOSEN: tuple[StrategyKind, ...] = tuple(kind for kind in CORE if kind.setting)
"""The kinds that settings choose."""


def check_protocol(kind: StrategyKind, name: str, made: T) -> T:
    """Return the strategy if it is an instance that has everything its kind requires. Raises `SettingsError`."""
    if kind.protocol is None:
        return made
    spoken = kind.name.replace("_", " ")
    what = f"{spoken} {name!r}"
    if inspect.isclass(made):
        path = f"{made.__module__}.{made.__qualname__}"
        raise SettingsError(f"{what} is a class. Hand over an instance, {made.__name__}(…), or name it as {path!r}.")
    if missing := [member for member in members(kind.protocol) if not _has(made, member)]:
        wanted = f"every {spoken} has it: see {kind.protocol.__name__} in {kind.protocol.__module__}"
        methods = "method" if len(missing) == 1 else "methods"
        raise SettingsError(f"{what} ({type(made).__name__}) has no {methods} {', '.join(missing)}; {wanted}.")
    return made


def members(protocol: type) -> tuple[str, ...]:
    """The names of the members that a protocol requires."""
    bases = [base for base in protocol.__mro__ if base.__module__ not in {"builtins", "typing"}]
    return tuple(dict.fromkeys(name for base in bases for name in vars(base) if not name.startswith("_")))


def _has(made: object, member: str) -> bool:
    return hasattr(type(made), member) or hasattr(made, member)  # the class first, because a property may do work
