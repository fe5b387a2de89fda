"""The table of privacy: learned in × asked in → what the two places must have in common. Pure.

A channel is of one context: what was learned in a private channel is not said in the same channel once it is public.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import get_args

from earwitness.records.channel import Context

from ..settings import Bond, Policy, PrivacySettings

CONTEXTS: tuple[Context, ...] = get_args(Context)
Needs = tuple[frozenset[Bond], ...]
"""Of each set, one bond must hold. An empty set never holds."""
Cells = Mapping[tuple[Context, Context], Needs]
"""(Learned in, asked in) → what the two places must have in common."""
ANYWHERE: Needs = ()
NEVER: Needs = (frozenset(),)


def _one_of(*bonds: Bond) -> Needs:
    return (frozenset(bonds),)


GRADED: Cells = {
    ("dm", "dm"): _one_of("same_persona"),
    ("dm", "private_channel"): NEVER,
    ("dm", "public_channel"): NEVER,
    ("private_channel", "dm"): _one_of("same_persona"),
    ("private_channel", "private_channel"): _one_of("same_channel"),
    ("private_channel", "public_channel"): NEVER,
    ("public_channel", "dm"): _one_of("same_persona", "was_there"),
    ("public_channel", "private_channel"): _one_of("same_guild"),
    ("public_channel", "public_channel"): _one_of("same_guild"),
}
"""What was learned is read where its listeners are. A direct message is in no guild."""
SAME_CONTEXT: Cells = {
    **dict.fromkeys(GRADED, NEVER),
    ("dm", "dm"): _one_of("same_persona"),
    ("private_channel", "private_channel"): ANYWHERE,
    ("public_channel", "public_channel"): ANYWHERE,
}
"""What was learned is read in the same kind of channel; a direct message is a context of its persona's own."""
POLICIES: Mapping[Policy, Cells] = {"graded": GRADED, "same_context": SAME_CONTEXT}


@dataclass(frozen=True, slots=True)
class PrivacyTable:
    """What may be read where."""

    cells: tuple[tuple[tuple[Context, Context], Needs], ...]
    """(Learned in, asked in), and what they must have in common."""

    def needs(self, learned: Context, asked: Context) -> Needs:
        """What a place it was learned in and the place it is asked in must have in common."""
        return dict(self.cells)[learned, asked]

    def allows(self, learned: Context, asked: Context, bonds: Collection[Bond]) -> bool:
        """Whether a memory may be read, given everything that the two places have in common."""
        return all(need & set(bonds) for need in self.needs(learned, asked))

    def is_buried(self, learned: Context) -> bool:
        """Whether what was learned in this context can be read nowhere at all."""
        return all(any(not need for need in self.needs(learned, asked)) for asked in CONTEXTS)


def privacy_table(settings: PrivacySettings) -> PrivacyTable:
    """The table of these settings. It allows nothing that the table of its policy does not."""
    more = {
        (learned, asked): _one_of(*bonds) for learned, row in settings.tighten.items() for asked, bonds in row.items()
    }
    return _made(tuple((cell, needs + more.get(cell, ANYWHERE)) for cell, needs in POLICIES[settings.policy].items()))


@cache
def _made(cells: tuple[tuple[tuple[Context, Context], Needs], ...]) -> PrivacyTable:
    return PrivacyTable(cells)
