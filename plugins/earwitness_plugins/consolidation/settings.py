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
    """Which of a character's memories are due. Any of the limits is enough; without one, nothing is."""

    count: Count | None = None
    """More memories than so many: the older ones."""
    length: Count | None = None
    """More characters than so many in all of them: the older ones."""
    age: Positive | None = None
    """Those that were learned so many game days ago, or longer."""
    repetition: OverlapShare | None = None
    """Those that share so many of their words, from 0 to 1, with an earlier one."""

    @property
    def is_set(self) -> bool:
        """Whether it has any limit."""
        return any(each is not None for each in (self.count, self.length, self.age, self.repetition))


class ConsolidationSettings(Record):
    """How memories are summed up. By default stories are, when somebody asks for it, and nothing happens by itself."""

    strategy: StrategySpec = StrategySpec(name="extractive")
    """The consolidator: `extractive`, `language_model`, or one of your own, by name or as a table."""
    write: ReviewWrite = "review"
    """Who says what is written: `review` = a person, in the review queue; `off` = nothing is; `auto` = nobody is
    asked."""
    policy: ConsolidationPolicy = ConsolidationPolicy()
    """When memories of stories are summed up in the background; by default never."""
    keep: Annotated[int, Field(strict=True, ge=0)] = 20
    """So many of a character's newest memories are left as they are."""
    least: Annotated[int, Field(strict=True, ge=2)] = 3
    """Fewer than so many that go together are left as they are."""
    most: Annotated[int, Field(strict=True, ge=2, le=200)] = 12
    """So many go into one summary."""
    characters: Annotated[int, Field(strict=True, ge=100, le=20_000)] = 1_500
    """The longest summary."""

    brings: ClassVar[dict[str, tuple[str, ...]]] = {"jobs": ("consolidation",)}
    """Strategies that are used wherever the settings contain the table."""


class PruningSettings(Record):
    """What is forgotten: out of recall, and kept in the archive. By default nothing is."""

    age: Positive | None = None
    """Memories that were learned so many game days ago, or longer."""
    count: Count | None = None
    """Of more memories than so many, the older ones."""
    write: ReviewWrite = "review"
    """Who says what is forgotten: `review` = a person, in the review queue; `off` = nothing is; `auto` = nobody is
    asked."""

    brings: ClassVar[dict[str, tuple[str, ...]]] = {"jobs": ("pruning",)}
    """Strategies that are used wherever the settings contain the table."""
