"""What waits for a person: proposals of models and rules, and what became of them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from earwitness import Derivation, Record, Usage
from earwitness.ids import derive
from earwitness.records.prose import gist, joined
from earwitness.records.state import Day, day_text

ReviewWrite = Literal["review", "off", "auto"]
"""What may be written of what a model says. `review`: it waits until somebody approves it. `off`: nothing. `auto`: all
of it, unasked."""
ReviewStatus = Literal["waiting", "approved", "rejected", "fallen"]
"""`fallen`: what it rests on was retracted or edited, or whoever was to have it is gone: none of it can be written."""
LONGEST_TEXT = 20_000
"""Characters of a text that a person is shown."""


class Proposal(Record):
    """What a model or a rule would write. Nothing of it is written before it is approved."""

    kind: str
    """What it is: `fact`, `consolidation`, `reconciliation`, or a kind of your own."""
    text: str = Field(max_length=LONGEST_TEXT)
    """What a person judges it by."""
    about: tuple[str, ...] = ()
    """Ids of the characters whom it concerns."""
    rests_on: tuple[str, ...] = ()
    """Memory ids and message keys. The proposal falls when any of them is retracted or edited."""
    memories: tuple[Derivation, ...] = ()
    """The memories to write. One that names no grounds rests on those of the proposal."""
    archives: tuple[str, ...] = ()
    """Ids of memories to take out of recall, once the others are written."""
    payload: dict[str, JsonValue] = {}
    """For a kind with a handler (entry point `earwitness.proposal`): what the handler needs."""
    by: str
    """Who proposes it, such as `consolidator:language_model`."""
    version: str | None = None
    """Version of the prompt or the rules that it rests on."""
    usage: Usage | None = None
    """The model that was asked, with tokens and cost."""
    notes: tuple[str, ...] = ()
    """What a person should know, such as what was left out, and why."""
    identity: tuple[str, ...] = ()
    """What makes two proposals of a kind the same, whatever their words: ids and names. Empty = all that they do."""

    @property
    def same(self) -> str:
        """Equal for proposals that are the same."""
        if self.identity:
            return derive("proposal", self.kind, *self.identity)
        done = self.model_dump_json(include={"memories", "archives", "payload"})
        return derive("proposal", self.kind, *sorted(self.rests_on), done)

    @property
    def grounds(self) -> tuple[str, ...]:
        """Everything that it rests on: memory ids and keys."""
        return tuple(dict.fromkeys((*self.rests_on, *(id for each in self.memories for id in each.rests_on))))


class Reviewed(Record):
    """A proposal, and what became of it."""

    id: str
    """The proposal's id in its story."""
    session: str
    """Session id; for a chat assistant's conversations, the name of their container."""
    proposal: Proposal
    """What would be done."""
    status: ReviewStatus = "waiting"
    """What became of it."""
    day: Day | None = None
    """The game day on which it was proposed; `None` for a conversation, which has none."""
    time: str
    """When it was proposed: ISO 8601, UTC."""
    decided_by: str | None = None
    """The role that approved or rejected it; `auto` = nobody was asked."""
    reason: str = ""
    """Why it was rejected, or why it fell."""
    left_out: tuple[str, ...] = ()
    """Which memories of an approved proposal could not be written, for whom, and why."""
    taken_back: int = 0
    """How often some of it was written, and taken back, before."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys under which its memories are written; retract one to take that memory back."""
        again = f"-again{self.taken_back}" if self.taken_back else ""
        return tuple(f"review-{self.id}-{number}{again}" for number in range(len(self.proposal.memories)))

    @property
    def archive_key(self) -> str:
        """The key under which it takes memories out of recall."""
        return f"review-{self.id}-archive" + (f"-again{self.taken_back}" if self.taken_back else "")

    def __str__(self) -> str:
        about = f" about {joined(self.proposal.about)}" if self.proposal.about else ""
        reasons = "; ".join(filter(None, [self.reason, *self.left_out]))
        why = f" ({reasons})" if reasons else ""
        when = self.time[:10] if self.day is None else f"day {day_text(self.day)}"
        head = f"{self.id}  {self.status}{why}  {self.proposal.kind}{about}, {when}"
        return f"{head}: {gist(self.proposal.text)}"
