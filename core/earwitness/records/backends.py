"""What stores, ledgers and embedders say of themselves and of what they hold."""

from __future__ import annotations

from .base import Record


class EmbedderIdentity(Record):
    """Which embedder made a vector. It is stored with every vector; a store never mixes two."""

    name: str
    """The embedder's name, such as `static`."""
    digest: str
    """Digest of the weights or of the model's name. It changes whenever vectors would."""
    dimension: int
    """Length of a vector."""


class Health(Record):
    """How a ledger or store is doing, for `doctor`."""

    ok: bool
    """Whether it can be used."""
    details: dict[str, str | int | float | bool]
    """What was found: versions, sizes, counts, integrity."""

    def __str__(self) -> str:
        found = "".join(f"\n  {name.replace('_', ' ')}: {value}" for name, value in self.details.items())
        return f"{'usable' if self.ok else 'not usable'}{found}"


class TermHolders(Record):
    """Which memories of a container hold some terms."""

    count: int
    """How many memories the container holds."""
    ids: dict[str, tuple[str, ...]]
    """Term → ids of the memories that hold it; empty if none does."""


class ServiceProfile(Record):
    """What a service has made out of whom a container is about. Nothing of it can be checked."""

    static: tuple[str, ...] = ()
    """What rarely changes."""
    dynamic: tuple[str, ...] = ()
    """What is so at present."""
