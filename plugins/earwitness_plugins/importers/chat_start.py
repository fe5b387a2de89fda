"""Who is there from the first line of a chat on. `import`, `replay` and `new` all go by it."""

from __future__ import annotations

from collections.abc import Sequence


def there_at_first(roster: Sequence[str], personas: Sequence[str]) -> tuple[str, ...] | None:
    """In a chat of two both; in company the first user's mask. `None` where nothing says who.

    All others are there once they have spoken, entered or been greeted, which the messages tell: in company, somebody
    may step out of the shadows only later.
    """
    if len(roster) == 2:
        return tuple(roster)
    return tuple(personas[:1]) or None
