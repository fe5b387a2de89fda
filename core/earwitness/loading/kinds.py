"""The kinds of strategies, listed once: core's own, and what installed packages declare."""

from __future__ import annotations

import inspect
from typing import NamedTuple, TypeVar

from .. import protocols
from ..errors import SettingsError

T = TypeVar("T")


class StrategyKind(NamedTuple):
    """One kind of strategy."""

    name: str
    """`guard`: strategies of this kind are entry points in the group `earwitness.guard`."""
    protocol: type | None
    """What each of them must have; `None` where those who use them check that."""
    setting: str | None = None
    """The field of `Settings` that chooses among them; `None` where settings do not."""

    @property
    def is_plural(self) -> bool:
        """Whether settings choose several."""
        return self.setting is not None and self.setting != self.name


CORE: tuple[StrategyKind, ...] = (
    StrategyKind("observer", protocols.Observer, "observers"),  # first: what is made after it may be observed
    StrategyKind("embedder", protocols.Embedder, "embedder"),  # then this: the others may ask for it
    StrategyKind("detector", protocols.Detector, "detector"),
    StrategyKind("world_agent", protocols.WorldAgent, "world_agent"),
    StrategyKind("sharing_rule", protocols.SharingRule, "sharing_rules"),
    StrategyKind("guard", protocols.Guard, "guards"),
    StrategyKind("read_provider", protocols.ReadProvider, "read_providers"),
    StrategyKind("ledger", protocols.Ledger, "ledger"),
    StrategyKind("store", protocols.Store, "store"),
    StrategyKind("importer", protocols.Importer),
    StrategyKind("command", None),
)
"""Packages declare further kinds in the entry point group `earwitness.kind`: a name, and its protocol."""

CORE_BY_NAME = {kind.name: kind for kind in CORE}

CHOSEN: tuple[StrategyKind, ...] = tuple(kind for kind in CORE if kind.setting)
"""Those that settings choose."""


def check_protocol(kind: StrategyKind, name: str, made: T) -> T:
    """The strategy, if it is an instance with everything its kind must have. Raises `SettingsError`."""
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
    """The names that a protocol asks for."""
    bases = [base for base in protocol.__mro__ if base.__module__ not in {"builtins", "typing"}]
    return tuple(dict.fromkeys(name for base in bases for name in vars(base) if not name.startswith("_")))


def _has(made: object, member: str) -> bool:
    return hasattr(type(made), member) or hasattr(made, member)  # the class first: a property may have work to do
