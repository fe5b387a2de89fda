"""An index of a story's proposals, brought up to date with what is new in the journal.

Their texts are read when somebody asks for them. Only of what waits the index keeps them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from time import perf_counter

from pydantic import JsonValue

from earwitness import State
from earwitness.ids import derive
from earwitness.records.state import FactsOf

from .notes import PACKAGE, read, read_proposal
from .records import Reviewed

AT_ONCE = 0.005
"""So many seconds the index reads before other tasks of the process may go on."""


@dataclass(slots=True)
class NotedProposal:
    """A proposal as the journal holds it."""

    id: str
    """The proposal's id in its story."""
    entry: str
    """The key of the entry that proposes it."""
    fact: Mapping[str, JsonValue]
    """What this entry notes."""
    kind: str
    """What it is."""
    same: str
    """Equal for proposals that are the same."""
    read: Reviewed | None = None
    """It as a record, once somebody asked for it while it waits."""

    @property
    def grounds(self) -> tuple[str, ...]:
        """Ids of the memories that it rests on."""
        given = self.fact.get("grounds")
        return tuple(map(str, given)) if isinstance(given, list | tuple) else ()


class ProposalIndex:
    """The proposals of one story: by id, and by what makes them the same."""

    def __init__(self) -> None:
        self._facts: Mapping[str, FactsOf] | None = None
        self._entries: dict[str, FactsOf] = {}
        self._proposals: dict[str, NotedProposal] = {}
        self._decisions: dict[str, dict[str, Mapping[str, JsonValue]]] = {}
        self._same: dict[str, dict[str, None]] = {}

    def __iter__(self) -> Iterator[NotedProposal]:
        return iter(tuple(self._proposals.values()))

    def get(self, id: str) -> NotedProposal | None:
        """The proposal with this id; `None` if there is none."""
        return self._proposals.get(id)

    def same(self, same: str) -> tuple[NotedProposal, ...]:
        """The proposals that are the same, oldest first."""
        return tuple(self._proposals[id] for id in self._same.get(same, ()))

    def status(self, noted: NotedProposal) -> str:
        """What was decided, as the journal has it; `waiting` if nothing was. What waits may have fallen."""
        return str(self._decision(noted).get("decided", "waiting"))

    def reviewed(self, session: str, noted: NotedProposal) -> Reviewed | None:
        """It as a record; `None` for one that another version wrote, and that cannot be read."""
        decision = self._decision(noted)
        if decision:
            noted.read = None
            return read(session, noted.fact, decision)
        noted.read = noted.read or read(session, noted.fact, {})
        return noted.read

    def _decision(self, noted: NotedProposal) -> Mapping[str, JsonValue]:
        """The last decision that was not retracted; empty if there is none."""
        decisions = self._decisions.get(noted.id)
        return next(reversed(decisions.values())) if decisions else {}

    # ── following the journal ────────────────────────────────────────────────────────────────────────────────────

    def follow(self, state: State) -> bool:
        """Take in what is new, and let go of what was retracted. Whether all of it is in; if not, call it again."""
        if state.facts is self._facts:
            return True
        for key, facts in [(key, facts) for key, facts in self._entries.items() if state.facts.get(key) is not facts]:
            if (now := state.facts.get(key)) == facts:
                self._entries[key] = facts if now is None else now
            else:
                self._drop(key)
        until = perf_counter() + AT_ONCE
        for key, facts in state.facts.items():
            if key not in self._entries:
                self._add(key, facts)
                if perf_counter() > until:
                    return False
        self._facts = state.facts
        return True

    def _add(self, key: str, facts: FactsOf) -> None:
        self._entries[key] = facts
        for fact in facts.get(PACKAGE, ()):
            if not isinstance(fact, Mapping):
                continue
            id = str(fact.get("id"))
            if "proposed" not in fact:
                self._decisions.setdefault(id, {})[key] = fact
            elif (same := _same(fact["proposed"])) is not None:
                self._forget(id)
                self._proposals[id] = NotedProposal(id, key, fact, *same)
                self._same.setdefault(same[1], {})[id] = None

    def _drop(self, key: str) -> None:
        for fact in self._entries.pop(key).get(PACKAGE, ()):
            id = str(fact.get("id")) if isinstance(fact, Mapping) else ""
            self._decisions.get(id, {}).pop(key, None)
            if (noted := self._proposals.get(id)) is not None and noted.entry == key:
                self._forget(id)

    def _forget(self, id: str) -> None:
        if (noted := self._proposals.pop(id, None)) is not None:
            self._same.get(noted.same, {}).pop(id, None)


def _same(proposed: JsonValue) -> tuple[str, str] | None:
    """The kind of a proposal, and what makes it the same as another; `None` if it cannot be read."""
    if not isinstance(proposed, Mapping):
        return None
    kind, identity = proposed.get("kind"), proposed.get("identity")
    if isinstance(kind, str) and isinstance(identity, list | tuple) and identity:
        return kind, derive("proposal", kind, *map(str, identity))
    found = read_proposal(proposed)
    return None if found is None else (found.kind, found.same)
