"""What the tests of conditions share."""

from collections.abc import Callable
from typing import Any

Begin = Callable[..., Any]
ALL = {"alice", "bob", "charlie"}


def condition(story: Any, id: str) -> str:
    """How they are by now."""
    return str(story.state.whereabouts[id].condition)
