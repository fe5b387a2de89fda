"""The recorded plans that the store does not hold yet, and who remembers what of them already."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ..errors import NotYetApplied, named
from ..live import Live, Unapplied
from ..records.memory import Memory
from ..records.plan import Plan
from ..refusals import MemoryAddress
from .store_work import BATCH, arrival_day, is_plain, shares_transaction

MANY = 64
"""A recall does not wait until more plans than this have come to the store again: it finds them in the ledger."""
SHOWN = 3
"""Refused memories that an error names."""


class Backlog:
    """What one session's applier has before it."""

    def __init__(self, live: Live) -> None:
        self.others: set[int] = set()
        """Sequence numbers of those plans left that do more than add memories, or must still be read."""
        self.long: set[int] = set()
        """Sequence numbers of those plans left that are written in several batches."""
        self.remembered: set[int] = set()
        """Sequence numbers of those plans whose participants already remember the message."""
        self.written: dict[int, set[str]] = {}
        """Sequence number of the plan being written → the containers that have their memories of it."""
        self.fresh: set[int] = set()
        """Sequence numbers of those plans left that only add memories, that this process has decided just now, and that
        nobody has tried to write."""
        self._from_before: set[int] = set()
        """Sequence numbers of those plans left from before this process started that no store here has, if many."""
        self._live = live
        self._piled_up = 0
        """Number of the last entry that waits, or waited, until a long plan is written; 0 = none does."""

    @property
    def left(self) -> dict[int, Unapplied]:
        """Plans recorded but not applied, by sequence number."""
        return self._live.unapplied

    @property
    def kept(self) -> set[int]:
        """Sequence numbers of those plans left that the store here has, where the store is a `LocalFirstStore`."""
        return self._live.kept

    @property
    def writable(self) -> Mapping[int, Unapplied]:
        """Those of them of which more is to be written than the store refuses."""
        return self._live.writable

    def hold_back(self, sequence: int, places: Collection[MemoryAddress]) -> None:
        """Note that all of a plan is written but these memories, which the store refuses."""
        self._live.refused[sequence] = frozenset(places)
        for marked in (self.others, self.long, self._from_before):
            marked.discard(sequence)

    def release(self, places: Collection[MemoryAddress] | None = None) -> None:
        """Have those plans written again of which one of these memories was refused; without any, all of them."""
        for sequence, refused in [*self._live.refused.items()]:
            if places is None or not refused.isdisjoint(places):
                del self._live.refused[sequence]
                self._look_up(sequence)

    def look_again(self) -> None:
        """Have all that is left read from the ledger: another process may have taken back what these plans bring."""
        self.release()
        for sequence in [*self.left]:
            self._look_up(sequence)

    def _look_up(self, sequence: int) -> None:
        if sequence in self._live.refused_here:
            self.kept.discard(sequence)
        known = self.left[sequence]
        self.left[sequence] = Unapplied(known.day, None, known.due_day)
        self.others.add(sequence)
        self.fresh.discard(sequence)

    @property
    def has_piled_up(self) -> bool:
        """Whether what is written next has piled up behind a message that very many heard, or is one."""
        return next(iter(self.writable), self._piled_up + 1) <= self._piled_up

    def take(self, plan: Plan) -> None:
        """Add a plan that this process has decided and recorded just now."""
        plain = is_plain(plan)
        if plain:
            self.fresh.add(plan.sequence)
        self.left[plan.sequence] = Unapplied(
            arrival_day(plan), plan, plan.due_day, plain, self._live.brings_something(plan)
        )
        (self.others.discard if plain else self.others.add)(plan.sequence)
        if len(plan.deliveries) > BATCH:
            self.long.add(plan.sequence)
        if plan.sequence in self.long or self.has_piled_up:
            self._piled_up = plan.sequence

    def take_up(self, found: Mapping[int, Unapplied], kept: int) -> None:
        """Add plans from before this process started; the store here has those up to the entry `kept`."""
        self.left.update(found)
        self.others.update(found)
        self._live.unapplied = dict(sorted(self.left.items()))
        lacking = {each for each in found if each > kept}
        for sequence in found.keys() - lacking:
            self.keep(sequence)
        if len(lacking) > MANY:
            self._from_before |= lacking

    def remembers(self, sequence: int, container: str | None = None) -> bool:
        """Whether everyone who perceived this entry's message remembers it already; or the owner of a `container`.

        What very many heard, and what the owner heard after it, need not be in the store: a recall finds it at hand.
        So it does as long as many plans from before a crash are brought to the store again.
        """
        if sequence not in self.writable or sequence in self.remembered:
            return True
        if container is not None and self._from_before:
            return True
        if container is None or self.others:
            return False
        if sequence <= self._piled_up and (sequence not in self.long or self.left[sequence].is_plain):
            return True
        return container in self.written.get(sequence, ()) or not self.left[sequence].reaches(container)

    def brings(self, plan: Plan) -> bool:
        """Whether something that earlier plans have left pending may arrive with this one."""
        known = self.left.get(plan.sequence)
        return known is None or known.brings

    def passing(self, plan: Plan) -> list[Plan]:
        """What may be written before the rest of a long plan: the next plans that a few heard, and that only add."""
        found: list[Plan] = []
        room = BATCH
        for sequence, known in self.writable.items() if plan.sequence in self.long and not self.others else ():
            if sequence <= plan.sequence:
                continue
            if (
                known.plan is None
                or not shares_transaction(known.plan)
                or (room := room - len(known.plan.deliveries)) < 0
            ):
                break
            found.append(known.plan)
        return found

    def keep(self, sequence: int) -> None:
        """Note that the store here has a plan."""
        self.kept.add(sequence)
        self.remembered.add(sequence)
        self._from_before.discard(sequence)

    def note_written(self, plans: Sequence[Plan], memories: Sequence[Memory]) -> None:
        """Note who remembers. Several plans that are written together may have more for the same containers."""
        if len(plans) == 1:
            self.written.setdefault(plans[0].sequence, set()).update(each.container for each in memories)

    def done(self, sequences: Sequence[int]) -> None:
        """Drop plans that are applied."""
        for sequence in sequences:
            del self.left[sequence]
            self._live.refused.pop(sequence, None)
            here = self._live.refused_here
            for marked in (self.others, self.long, self.remembered, self.kept, self.fresh, self._from_before, here):
                marked.discard(sequence)
            self.written.pop(sequence, None)

    def refused(self) -> NotYetApplied:
        """The error for whoever wanted to deliver what the store refuses."""
        places = sorted({place for each in self._live.refused.values() for place in each})
        shown = ", ".join(f"{id!r} of {container!r}" for container, id in places[:SHOWN])
        more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
        return NotYetApplied(
            f"session {self._live.snapshot.id!r}: the store refuses {shown}{more}. `earwitness spool list` says why."
        )

    def late(self, failure: Exception | None, timeout: float | None = None) -> NotYetApplied:
        """The error for whoever has waited for it, for so many seconds."""
        waited = "" if timeout is None else f" within {round(timeout, 3):g} s"
        why = f": {named(failure).rstrip('.')}" if failure else ""
        left = len(self.writable)
        entries = "1 decided entry has" if left == 1 else f"{left:,} decided entries have"
        return NotYetApplied(
            f"session {self._live.snapshot.id!r}: {entries} not reached the store{waited}{why}. "
            "Nothing is lost: the ledger holds what was decided, and the store gets it once it answers."
        )
