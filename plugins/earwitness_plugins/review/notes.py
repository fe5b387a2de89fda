"""Proposals as the journal holds them: facts of the package `review`, which branches and exports take along. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import JsonValue, ValidationError

from .records import Proposal, Reviewed

PACKAGE = "review"


def proposed(id: str, proposal: Proposal, day: float, time: str, grounds: Iterable[str]) -> JsonValue:
    """What is noted of a new proposal. `grounds` are the ids of the memories that it rests on at the moment."""
    told = proposal.model_dump(mode="json", exclude_defaults=True)
    return {"id": id, "proposed": told, "day": day, "time": time, "grounds": list(grounds)}


def decided(
    id: str, status: str, by: str, reason: str = "", *, left_out: Iterable[str] = (), taken_back: int = 0
) -> JsonValue:
    """What is noted of a decision. `left_out` and `taken_back` as in `Reviewed`."""
    found: dict[str, JsonValue] = {"id": id, "decided": status, "by": by, "reason": reason}
    found |= {"left_out": list(left_out)} if (left_out := tuple(left_out)) else {}
    found |= {"taken_back": taken_back} if taken_back else {}
    return found


def key_of(id: str) -> str:
    """The key of the entry that proposes something."""
    return f"review-{id}"


def decision_key(id: str, number: int) -> str:
    """The key of a proposal's first, second … decision: of two at once, only one is taken."""
    return f"{key_of(id)}-decision{number}"


def read(session: str, fact: Mapping[str, JsonValue], decision: Mapping[str, JsonValue]) -> Reviewed | None:
    """A proposal with what was decided; `None` if it cannot be read: another version wrote it."""
    given: dict[str, Any] = {key: fact.get(key) for key in ("id", "day", "time")}
    given |= {"session": session, "proposal": fact.get("proposed")}
    try:
        found = Reviewed.model_validate(given)
    except ValidationError:
        return None
    return found.model_copy(update=_of(decision)) if decision else found


def _of(decision: Mapping[str, JsonValue]) -> dict[str, Any]:
    left_out, taken_back = decision.get("left_out"), decision.get("taken_back")
    return {
        "status": decision.get("decided"),
        "decided_by": decision.get("by"),
        "reason": str(decision.get("reason", "")),
        "left_out": tuple(map(str, left_out)) if isinstance(left_out, list | tuple) else (),
        "taken_back": taken_back if isinstance(taken_back, int) else 0,
    }


def read_proposal(proposed: Mapping[str, JsonValue]) -> Proposal | None:
    """A proposal; `None` if it cannot be read."""
    try:
        return Proposal.model_validate(proposed)
    except ValidationError:
        return None
