"""The settings table `[facts]`."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from earwitness import Record
from earwitness.loading.quantities import Count, Positive

from ..review import ReviewWrite


class FactsSettings(Record):
    """Whether and where facts that people say of themselves are kept. An empty table switches it on."""

    brings: ClassVar[dict[str, tuple[str, ...]]] = {"sharing_rules": ("facts",), "jobs": ("facts",)}
    """Strategies that are used wherever the settings contain the table."""

    strategy: Literal["rules", "language_model", "hybrid"] = "rules"
    """Who draws them. `rules`: at once, what is plainly said. `language_model`: the model of `[model]`, in the
    background; the rules where it cannot. `hybrid`: the rules, and the model where they leave something."""
    write: ReviewWrite = "review"
    """What becomes of what the model says: `review` lets it wait until somebody approves it, `auto` keeps it unasked,
    and with `off` the model is not asked. What the rules find is always kept."""
    scope: Literal["session", "personal", "user"] = "session"
    """Where a user's facts are kept. `session`: with each who heard it, in this story. `personal`: with each who heard
    it, in all stories with this persona. `user`: with every character who meets the user, if the whole cast heard it
    and no guard keeps it from one of them; else as `personal`."""
    confidence: Annotated[float, Field(ge=0, le=1)] = 0.5
    """The least confidence, from 0 to 1, with which a statement is kept as a fact."""
    exchange: Count = 2
    """Number of new messages after which the model is asked."""
    history: Count = 20
    """Number of last messages that are read of a story which the model has not read before."""
    timeout: Positive = 60.0
    """Seconds for all calls about one exchange and those who heard it."""
    model: str | None = None
    """Another model than that of `[model]`."""
