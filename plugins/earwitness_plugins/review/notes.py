"""Proposals as the journal holds them: facts of the package `review`, which branches and exports take along. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pydantic import JsonValue, ValidationError

from earwitness import State

from .records import Proposal, Reviewed

PACKAGE = "review"


def proposed(id: str, proposal: Proposal, day: float, time: str, grounds: Iterable[str]) -> JsonValue:
    """What is noted of a new proposal. `grounds` are the ids of the memories that it rests on at the moment."""
    told = proposal.model_dump(mode="json", exclude_defaults=True)
    return {"id": id, "proposed": told, "day": day, "time": time, "grounds": list(grounds)}


def decided(id: str, status: str, by: str, reason: str = "") -> JsonValue:
    """What is noted of a decision."""
    return {"id": id, "decided": status, "by": by, "reason": reason}


def key_of(id: str) -> str:
    """The key of the entry that proposes something."""
    return f"review-{id}"


def noted(session: str, state: State) -> dict[str, tuple[Reviewed, tuple[str, ...]]]:
    """All proposals of a story by id, in the order of the journal, each with the memories that it rests on.

    A decision that was retracted counts no more. What cannot be read is left out: another version wrote it.
    """
    found: dict[str, tuple[Reviewed, tuple[str, ...]]] = {}
    for fact in state.facts_of(PACKAGE):
        if not isinstance(fact, Mapping):
            continue
        id = str(fact.get("id"))
        if "proposed" in fact:
            if (read := _read(session, id, fact)) is not None:
                found[id] = read
        elif id in found:
            reviewed, grounds = found[id]
            more = {"status": fact.get("decided"), "decided_by": fact.get("by"), "reason": str(fact.get("reason", ""))}
            found[id] = reviewed.model_copy(update=more), grounds
    return found


def _read(session: str, id: str, fact: Mapping[str, JsonValue]) -> tuple[Reviewed, tuple[str, ...]] | None:
    given = {"id": id, "session": session, "proposal": fact["proposed"], "day": fact.get("day"), "time": fact["time"]}
    grounds = fact.get("grounds")
    try:
        return Reviewed.model_validate(given), tuple(map(str, grounds)) if isinstance(grounds, list | tuple) else ()
    except ValidationError:
        return None
