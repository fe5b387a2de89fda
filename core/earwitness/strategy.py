"""A strategy or plugin that was made or handed over, and what reports may say of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from .redaction import secrets_around, secrets_held

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Strategy(Generic[T_co]):
    """One strategy or plugin of an instance."""

    kind: str
    name: str
    made: T_co
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What it was made from, without secrets."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Those secrets, which no failure may quote."""
    at_its_place: Callable[[], AbstractContextManager[None]] = field(default=nullcontext, repr=False, compare=False)
    """A block in which errors of what was handed in say where the settings file chooses the strategy."""

    @property
    def quotable(self) -> tuple[str, ...]:
        """All that a failure might quote and must not: also what the instance holds, and what the environment does."""
        return tuple(dict.fromkeys((*self.secrets, *secrets_held(self.made), *secrets_around(os.environ))))

    @property
    def label(self) -> str:
        """`detector:rules`: its name in reports."""
        return f"{self.kind}:{self.name}"

    @property
    def data_owner(self) -> str:
        """The name under which its durable data is kept."""
        return self.name if self.kind == "plugin" else self.label

    @property
    def version(self) -> str | None:
        """What the strategy says its version is, if it says so."""
        version = getattr(self.made, "version", None)
        return None if version is None or callable(version) else str(version)
