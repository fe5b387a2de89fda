"""Whether a strategy is what its kind asks for: looked at where it is made, not found out message by message."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TypeVar

from .. import protocols
from ..errors import SettingsError

T = TypeVar("T")
CONTRACTS: Mapping[str, type] = {
    "detector": protocols.Detector,
    "world_agent": protocols.WorldAgent,
    "sharing_rule": protocols.SharingRule,
    "guard": protocols.Guard,
    "ledger": protocols.Ledger,
    "store": protocols.Store,
    "embedder": protocols.Embedder,
    "importer": protocols.Importer,
}
"""Kind → its protocol; kinds that are not here are made by others, who know what they want."""


def keeping(kind: str, name: str, made: T) -> T:
    """The strategy, if it is an instance with everything its kind must have. Raises `SettingsError` for what lacks."""
    what = f"{kind.replace('_', ' ')} {name!r}"
    if inspect.isclass(made) and kind in CONTRACTS:
        raise SettingsError(
            f"{what} is a class. Hand over an instance, {made.__name__}(…), or name it as {_path(made)!r}."
        )
    if missing := [member for member in members(kind) if not _has(made, member)]:
        wanted = f"every {kind.replace('_', ' ')} has it: see {CONTRACTS[kind].__name__} in earwitness.protocols"
        methods = "method" if len(missing) == 1 else "methods"
        raise SettingsError(f"{what} ({type(made).__name__}) has no {methods} {', '.join(missing)}; {wanted}.")
    return made


def members(kind: str) -> tuple[str, ...]:
    """What a strategy of this kind must have."""
    return tuple(name for name in vars(CONTRACTS.get(kind, object)) if not name.startswith("_"))


def _has(made: object, member: str) -> bool:
    return hasattr(type(made), member) or hasattr(made, member)  # the class first: a property may have work to do


def _path(made: type) -> str:
    return f"{made.__module__}.{made.__qualname__}"
