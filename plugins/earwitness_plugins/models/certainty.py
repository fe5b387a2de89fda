"""Hybrids: one strategy answers where a presence is sure, another is asked where it is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Generic, Protocol, TypeVar

from pydantic import Field

from earwitness.errors import SettingsError
from earwitness.records.moment import Presence

S = TypeVar("S")
Certainty = Annotated[float, Field(gt=0.5, le=1)]
SURE = 0.85
"""`rules` says so or more of those who are here and have not fallen silent, and 0.15 or less of those who are not."""


class Openable(Protocol):
    """A strategy that talks to a model."""

    async def open(self) -> None:
        """Make the connections."""

    async def close(self) -> None:
        """Let go of them."""


class Hybrid(Generic[S]):
    """Two strategies of a kind. Those that the host gave are its own to open and close; a model of ours is opened here.

    Args:
        given: the host's two; `None` = what `made` makes.
        made: makes the first and the second, and names what of them is to be opened.
        threshold: somebody's probability is sure if it is this or more, or one minus this or less.
    """

    def __init__(
        self, given: Sequence[S] | None, made: Callable[[], tuple[S, S, Openable]], threshold: float, kind: str
    ) -> None:
        """Raises `SettingsError` for other than two strategies, and as `made`."""
        if given is not None and len(given) != 2:
            raise SettingsError(f"hybrid: give two {kind}, the first to ask and the other, not {len(given)}.")
        self.threshold = threshold
        self._own: Openable | None = None
        if given is None:
            self._first, self._second, self._own = made()
        else:
            self._first, self._second = given

    async def open(self) -> None:
        """Raises as the model's `open`."""
        if self._own is not None:
            await self._own.open()

    async def close(self) -> None:
        """Close the model."""
        if self._own is not None:
            await self._own.close()

    def unsure_of(self, presence: Presence, speaker: str) -> dict[str, float]:
        """Character id → probability, of those who are neither sure to perceive a message nor sure not to."""
        believed = {id: who.probability for id, who in presence.characters.items() if id != speaker}
        return {id: each for id, each in believed.items() if round(1 - self.threshold, 9) < each < self.threshold}

    def reason(self, unsure: Mapping[str, float]) -> str:
        """Why the second was asked, or nobody else."""
        if not unsure:
            return f"sure of everybody (threshold {self.threshold:g}), so no model was asked"
        named = ", ".join(f"{id} ({probability:.2f})" for id, probability in list(unsure.items())[:8])
        return f"unsure of {named} (threshold {self.threshold:g}), so the model was asked"
