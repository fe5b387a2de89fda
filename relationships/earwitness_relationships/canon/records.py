"""What canon is asked and answers."""

from __future__ import annotations

from typing import Literal

from earwitness import Record
from earwitness.records.memory import Interaction
from earwitness.records.memory_types import MetaValue
from earwitness.records.prose import counted, gist

Scope = Literal["global", "personal", "session", "user"]
"""Who a character is, what it knows of one persona, what it knows in one story, and what everybody knows of a user."""
KeepAs = Literal["personal", "global", "discard"]
Mode = Literal["append", "replace"]
BubbleStatus = Literal["open", "ended", "kept", "discarded", "gone"]
KeptAction = Literal["add", "support", "skip", "beside", "replace", "withhold"]


class BubbleLink(Record):
    """A bubble, as its story knows it."""

    name: str
    """Its name in the story."""
    id: str
    """Its session id."""
    status: BubbleStatus = "open"
    """`open`, `ended`, or what became of it: `kept` or `discarded`; `gone` if its session was forgotten."""

    def __str__(self) -> str:
        return f"{self.name} ({self.id}): {self.status}"


class KeptMemory(Record):
    """One memory of a bubble, and what reconciliation does with it."""

    memory_id: str
    """Its id in the bubble."""
    character: str
    """Id of the character who has it."""
    text: str
    """What it will say."""
    container: str
    """The container that it goes to."""
    action: KeptAction
    """`add` it; let it `support` one of these that says the same, which then stands as long as one of them does; `skip`
    it, because it already exists; put it `beside` other versions, or let it `replace` them;
    `withhold` it, because everybody would know then what was learned in private."""
    how: Interaction = "direct"
    """How the character came to know it in the bubble."""
    shared_from: str | None = None
    """Id of the character who told it."""
    note: str = ""
    """Why it is withheld, or what becomes public with it."""
    versions: tuple[str, ...] = ()
    """Ids of the memories there that say otherwise, oldest first."""
    version: int = 1
    """The number of this version."""
    metadata: dict[str, MetaValue] = {}
    """Where it was learned, and what it is a version of."""

    def __str__(self) -> str:
        from_whom = f" by {self.shared_from}" if self.shared_from else ""
        how_shown = "" if self.how == "direct" else f" ({self.how}{from_whom})"
        others = f" ({counted(len(self.versions), 'other version')})" if self.versions else ""
        note = f" ({self.note})" if self.note else ""
        return f"{self.action} for {self.character}, in {self.container}: {gist(self.text)}{how_shown}{others}{note}"


class Reconciliation(Record):
    """What becomes of a bubble: as planned, or as it was done."""

    bubble: str
    """The bubble's name."""
    keep_as: KeepAs
    """Where its memories go."""
    mode: Mode
    """Whether conflicting versions stand side by side, or the new ones replace the old ones."""
    memories: tuple[KeptMemory, ...] = ()
    """Every memory of the bubble that was asked for."""
    passed_over: int = 0
    """How many memories of the bubble could go nowhere."""
    why: str = ""
    """Why they could not."""
    key: str | None = None
    """The key of the entry that did it; `None` = nothing was done yet."""
    stays: tuple[str, ...] = ()
    """Ids of old versions that stay, because the story that wrote them is gone."""

    @property
    def applied(self) -> bool:
        """Whether it was done."""
        return self.key is not None

    def __str__(self) -> str:
        done = "done" if self.applied else "dry run"
        how = "" if self.keep_as == "discard" else f", {self.mode}"
        head = f"{self.bubble}: {self.keep_as}{how}, {_memories(len(self.memories))} ({done})"
        rest = [f"  {_memories(self.passed_over)} left in the bubble: {self.why}"]
        rest = rest if self.passed_over or not self.memories else []
        stays = [f"  {id} stays as it is: its story was forgotten" for id in self.stays]
        return "\n".join([head, *(f"  {each}" for each in self.memories), *rest, *stays])


class Undone(Record):
    """What an undo has taken back, and put back."""

    bubble: str
    """The bubble's name."""
    keep_as: KeepAs
    """What had been done with it."""
    key: str
    """The key of the entry that is taken back."""
    gone: tuple[str, ...] = ()
    """The texts that are canon no longer."""
    restored: tuple[str, ...] = ()
    """Ids of the memories that had been replaced, and are recalled again."""
    stays: tuple[str, ...] = ()
    """Ids of those that stay out of recall, because the story that wrote them is gone."""
    retracted: tuple[str, ...] = ()
    """Ids of those that stay out of recall, because they were retracted since."""
    kept: int = 0
    """How many memories are still kept of it, by an earlier reconciliation."""

    def __str__(self) -> str:
        what = "no longer discarded" if self.keep_as == "discard" else f"{_memories(len(self.gone))} taken back"
        lines = [f"{self.bubble}: {what}", *(f"  gone: {gist(each)}" for each in self.gone)]
        lines += [f"  recalled again: {id}" for id in self.restored]
        lines += [f"  {id} stays as it is: its story was forgotten" for id in self.stays]
        lines += [f"  {id} stays as it is: it was retracted since" for id in self.retracted]
        earlier = f"  {_memories(self.kept)} kept by an earlier reconciliation: undo once more to take that back"
        return "\n".join([*lines, *([earlier] if self.kept else [])])


def _memories(number: int) -> str:
    return counted(number, "memory", "memories")
