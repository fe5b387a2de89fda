"""The settings table `[facts]`."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from earwitness import Record


class FactsSettings(Record):
    """Whether and where facts that people say of themselves are kept. An empty table switches it on."""

    brings: ClassVar[dict[str, tuple[str, ...]]] = {"sharing_rules": ("facts",)}
    """Strategies that are used wherever the settings contain the table."""

    scope: Literal["session", "personal", "user"] = "session"
    """Where a user's facts are kept. `session`: with each who heard it, in this story. `personal`: with each who heard
    it, in all stories with this persona. `user`: with every character who meets the user, if
    the whole cast heard it; else as `personal`."""
    confidence: Annotated[float, Field(ge=0, le=1)] = 0.5
    """What is less sure than this is no fact."""
