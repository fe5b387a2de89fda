"""What a session has asked of models, in its plans and by its host, by who asked and by model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pydantic import JsonValue

from .. import host_calls
from ..records.plan import Plan
from ..records.usage import Spending, calls_of
from .records import BackstageRecord


class ModelCost(BackstageRecord):
    """What one strategy or plugin has asked of one model."""

    by: str
    """Kind and name of who asked: `detector:language_model`, `plugin:keepsake`."""
    model: str
    """The model's name."""
    spending: Spending
    """What the calls came to."""

    def __str__(self) -> str:
        return f"{self.by}, {self.model}: {self.spending}"


class Costs(BackstageRecord):
    """What a session has asked of models."""

    parts: tuple[ModelCost, ...] = ()
    """One for each pair of asker and model, in the order in which they first asked."""

    def __str__(self) -> str:
        together = [f"together: {self.total}"] if len(self.parts) > 1 else []
        return "\n".join([*map(str, self.parts), *together]) or "no model was asked"

    @property
    def total(self) -> Spending:
        """The sum of all, whoever asked and whichever model."""
        return sum((each.spending for each in self.parts), Spending())


def costs(plans: Iterable[Plan], noted: Mapping[str, JsonValue]) -> Costs:
    """The sums over the answers of plans, and those that were noted: see `host_calls`."""
    found: dict[tuple[str, str], Spending] = {}
    answers = [answer for plan in plans for answer in plan.answers]
    for answer in answers:
        for call in () if answer.usage is None else calls_of(answer.usage, answer.seconds):
            asked = answer.by, call.model
            found[asked] = found.get(asked, Spending()) + Spending.of(call)
    for by, model, spending in host_calls.sums(noted):
        found[by, model] = found.get((by, model), Spending()) + spending
    parts = [ModelCost(by=by, model=model, spending=spending) for (by, model), spending in found.items()]
    return Costs(parts=tuple(parts))
