"""What a session has asked of models, in its plans and by its host, by who asked and by model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pydantic import JsonValue

from ..records.plan import Plan
from ..records.usage import ModelCall, Spending, calls_of
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
    """The sums over the answers of plans, and those that were noted: see `with_calls`."""
    found: dict[tuple[str, str], Spending] = {}
    answers = [answer for plan in plans for answer in plan.answers]
    for answer in answers:
        for call in () if answer.usage is None else calls_of(answer.usage, answer.seconds):
            asked = answer.by, call.model
            found[asked] = found.get(asked, Spending()) + Spending.of(call)
    for by, model, spending in _noted(noted):
        found[by, model] = found.get((by, model), Spending()) + spending
    parts = [ModelCost(by=by, model=model, spending=spending) for (by, model), spending in found.items()]
    return Costs(parts=tuple(parts))


def noted_by(noted: Mapping[str, JsonValue], by: str) -> Spending:
    """What was noted for one asker."""
    return sum((spending for asker, _, spending in _noted(noted) if asker == by), Spending())


def _noted(noted: Mapping[str, JsonValue]) -> Iterable[tuple[str, str, Spending]]:
    for key, kept in noted.items():
        by, model, *_ = key.split("\n")
        yield by, model, Spending.model_validate(kept)


def with_calls(noted: Mapping[str, JsonValue], by: str, calls: Iterable[ModelCall], run: str) -> dict[str, JsonValue]:
    """The sums that change with more calls: who asked, the model's name and the run of the program, with line feeds
    between them → what the calls came to. Each run has sums of its own, so that two at once do not undo each other's.
    """
    changed: dict[str, JsonValue] = {}
    for call in calls:
        key = f"{by}\n{call.model}\n{run}"
        before = changed.get(key, noted.get(key))
        spent = (Spending() if before is None else Spending.model_validate(before)) + Spending.of(call)
        changed[key] = spent.model_dump(mode="json")
    return changed
