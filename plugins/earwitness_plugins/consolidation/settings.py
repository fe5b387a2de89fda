"""The settings tables `[consolidation]` and `[pruning]`: what is summed up or forgotten, when, and who may write it."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from earwitness import Record
from earwitness.loading.quantities import Count, Positive, Proportion
from earwitness.loading.strategy_spec import StrategySpec
from earwitness_plugins.review import ReviewWrite

OverlapShare = Annotated[Proportion, Field(gt=0)]


class ConsolidationPolicy(Record):
    """Which of a character's memories are summed up. Reaching one limit is enough; without limits, nothing is."""

    count: Count | None = None
    """If a character has more memories than this, the older ones are summed up."""
    length: Count | None = None
    """If all memories together have more characters than this, the older ones are summed up."""
    age: Positive | None = None
    """Game days after which a memory is summed up, counted from the day it was learned."""
    repetition: OverlapShare | None = None
    """Share of its words, from 0 to 1, that a memory must have in common with an earlier one to be summed up."""

    @property
    def is_set(self) -> bool:
        """Whether it has any limit."""
        return any(each is not None for each in (self.count, self.length, self.age, self.repetition))


class ConsolidationSettings(Record):
    """How memories are summed up. By default only when somebody asks for it."""

    strategy: StrategySpec = StrategySpec(name="extractive")
    """The consolidator: `extractive`, `language_model`, or one of your own, by name or as a table."""
    write: ReviewWrite = "review"
    """`review` = a summary waits for a person's approval; `off` = none is made; `auto` = it is written at once."""
    policy: ConsolidationPolicy = ConsolidationPolicy()
    """When memories of stories are summed up in the background; by default never."""
    keep: Annotated[int, Field(strict=True, ge=0)] = 20
    """Number of a character's newest memories that are left as they are."""
    least: Annotated[int, Field(strict=True, ge=2)] = 3
    """The smallest number of memories that one summary is made of."""
    most: Annotated[int, Field(strict=True, ge=2, le=200)] = 12
    """The largest number of memories that one summary is made of."""
    characters: Annotated[int, Field(strict=True, ge=100, le=20_000)] = 1_500
    """Characters that a summary may have."""

    brings: ClassVar[dict[str, tuple[str, ...]]] = {"jobs": ("consolidation",)}
    """Strategies that are used wherever the settings contain the table."""


class PruningSettings(Record):
    """What is forgotten: out of recall, and kept in the archive. By default nothing is."""

    age: Positive | None = None
    """Game days after which a memory is forgotten, counted from the day it was learned."""
    count: Count | None = None
    """Number of memories that a character keeps; older ones are forgotten."""
    write: ReviewWrite = "review"
    """`review` = it waits for a person's approval; `off` = nothing is forgotten; `auto` = it is forgotten at once."""

    brings: ClassVar[dict[str, tuple[str, ...]]] = {"jobs": ("pruning",)}
    """Strategies that are used wherever the settings contain the table."""
