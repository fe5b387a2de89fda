"""A container in memory: one row a slot, in the order of slots, with arrays that are only ever added to."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from earwitness.records.memory import Memory
from earwitness_plugins.ranking import Doubles, Flags, Floats, Integers, TokenIds, bm25
from earwitness_plugins.ranking.columns import Column
from earwitness_plugins.ranking.rows import Occurrences, Selection

from .containers import Source

_BYTES_AN_ID = 90
_BYTES_A_TAIL_ROW = 8_000
_NOWHERE = array("q")


class Postings(NamedTuple):
    """The rows that hold a term, ascending, and how often each holds it; shapes (n,)."""

    rows: Integers
    counts: Integers


class Block(NamedTuple):
    """Some slots on their way into an index; n of them, ascending."""

    slots: Integers
    positions: Integers
    lengths: Integers
    ids: Sequence[str]
    vectors: NDArray[np.float16]
    """Shape (n, dimension)."""


class TailRow(NamedTuple):
    """What a row needs as long as it is in no segment."""

    words: str
    """Terms with spaces between them."""
    metadata: str
    """As JSON, with empty lists in place of long ones."""
    lists: int | None
    """The number of those."""


class ContainerIndex:
    """What a search of one container needs, as of one version of it.

    Args:
        number: the container's, as in `store_container`.
        generation: of its index; an index of another one is of no use.
        dimension: length of a vector.
        reads: whether it reads rows of other containers, too.
    """

    def __init__(self, number: int, generation: int, dimension: int, *, reads: bool = False) -> None:
        self.number = number
        self.reads = reads
        self.generation = generation
        self.version = -1
        self.slots_known = 0  # of that version; a branch does not see all those of its parent
        self.size = 0
        self.ids: list[str] = []
        self.columns: dict[str, Column] = {}
        self.segments: dict[int, Integers] = {}
        """First slot → the rows of its ordinals."""
        self.tail: dict[int, TailRow] = {}
        self._segment_begins: dict[int, int] = {}
        self._segment_rows: Integers = np.zeros(0, np.int64)
        self._folded_postings: dict[str, Postings] = {}
        self._tokens: dict[int, TokenIds] = {}
        self.memories: dict[int, Memory] = {}
        """Row → its memory, where that was kept."""
        self.selections: dict[Hashable, Selection] = {}
        """What a filter lets through of this version, by `masks.key`."""
        self._kept_bytes = 0
        self._norms: Doubles | None = None
        self._documents: int | None = None
        self._in_order = True
        self._tail_postings: dict[str, array[int]] = {}
        """Term → row, count, row, count, …; an array of numbers is none of the garbage collector's business."""
        self._slots = np.zeros(0, np.int64)
        self._positions = np.zeros(0, np.int64)
        self._lengths = np.zeros(0, np.int64)
        self._live = np.zeros(0, np.bool_)
        self._vectors = np.zeros((0, dimension), np.float32)

    @property
    def source(self) -> Source:
        """Where its memories are read."""
        return Source(self.number, self.reads)

    @property
    def slots(self) -> Integers:
        """Shape (size,), ascending."""
        return self._slots[: self.size]

    @property
    def positions(self) -> Integers:
        """Shape (size,): the order in which memories were first written."""
        return self._positions[: self.size]

    @property
    def in_order(self) -> bool:
        """Whether positions ascend: a memory that was replaced has a new slot, but its old position."""
        return self._in_order

    @property
    def lengths(self) -> Integers:
        """Shape (size,): how many terms each has."""
        return self._lengths[: self.size]

    @property
    def live(self) -> Flags:
        """Shape (size,): which rows are neither replaced nor removed."""
        return self._live[: self.size]

    @property
    def vectors(self) -> Floats:
        """Shape (size, dimension)."""
        return self._vectors[: self.size]

    @property
    def last_slot(self) -> int:
        """The newest slot in it; 0 when there is none."""
        return int(self._slots[self.size - 1]) if self.size else 0

    @property
    def last_segment(self) -> int:
        """First slot of the newest segment it knows; 0 when there is none."""
        return next(reversed(self.segments), 0)

    @property
    def nbytes(self) -> int:
        """About how much memory it takes."""
        arrays = sum(array.nbytes for array in (self._slots, self._positions, self._lengths, self._live, self._vectors))
        columns = sum(column.nbytes for column in self.columns.values())
        return arrays + columns + self._kept_bytes + _BYTES_AN_ID * self.size + _BYTES_A_TAIL_ROW * len(self.tail)

    @property
    def documents(self) -> int:
        """How many live rows it has; counted once a version."""
        if self._documents is None:
            self._documents = int(np.count_nonzero(self.live))
        return self._documents

    @property
    def length_norms(self) -> Doubles:
        """Shape (size,): see `bm25.length_norms`; worked out once a version."""
        if self._norms is None:
            self._norms = bm25.length_norms(self.lengths, self.live)
        return self._norms

    def reserve(self, size: int) -> None:
        """Make room for so many rows in all, so that the arrays need not grow on the way."""
        capacity = len(self._slots)
        if size <= capacity:
            return
        larger = max(size, capacity + capacity // 2) if capacity else size
        self._slots = _grown(self._slots, larger)
        self._positions = _grown(self._positions, larger)
        self._lengths = _grown(self._lengths, larger)
        self._live = _grown(self._live, larger)
        self._vectors = _grown(self._vectors, larger)

    def append(self, block: Block) -> Integers:
        """Take in slots newer than any it has; returns their rows."""
        start, self.size = self.size, self.size + len(block.slots)
        self.reserve(self.size)
        rows = slice(start, self.size)
        self._slots[rows] = block.slots
        self._positions[rows] = block.positions
        self._in_order &= _ascending(self._positions[max(start - 1, 0) : self.size])
        self._lengths[rows] = block.lengths
        self._live[rows] = True
        self._forget_version()
        self._vectors[rows] = block.vectors
        self.ids.extend(block.ids)
        return np.arange(start, self.size)

    def append_tail(self, block: Block, rows: Sequence[TailRow]) -> Integers:
        """Take in slots that are in no segment yet; returns their rows."""
        new = self.append(block)
        for row, tail_row in zip(new.tolist(), rows, strict=True):
            self.tail[row] = tail_row
            self._index(row, tail_row.words)
        return new

    def folded_up_to(self, slot: int) -> None:
        """Slots up to this one are in segments now; index the others again."""
        self.tail = {row: tail for row, tail in self.tail.items() if self._slots[row] > slot}
        self._folded_postings.clear()
        self._tail_postings.clear()
        for row, tail_row in self.tail.items():
            self._index(row, tail_row.words)

    def rows_of(self, slots: Integers) -> Integers:
        """The rows of those of the slots that are in it; `slots` must ascend."""
        rows: Integers = np.searchsorted(self.slots, slots)
        there = np.flatnonzero(rows < self.size)
        rows = rows[there]
        found: Integers = rows[self._slots[rows] == slots[there]]
        return found

    def mark_deleted(self, slots: Integers) -> None:
        """Mark slots as deleted."""
        self._live[self.rows_of(np.sort(slots))] = False
        self._forget_version()

    def _forget_version(self) -> None:
        """Forget what was worked out for the version before."""
        self._norms = self._documents = None
        self.selections.clear()

    @property
    def segment_rows(self) -> tuple[dict[int, int], Integers]:
        """The rows of all segments, one after the other, and where those of each begin."""
        if len(self._segment_begins) != len(self.segments):
            begins = np.cumsum([0, *(rows.size for rows in self.segments.values())]).tolist()
            self._segment_begins = dict(zip(self.segments, begins, strict=False))
            self._segment_rows = np.concatenate(list(self.segments.values()))
        return self._segment_begins, self._segment_rows

    def knows(self, term: str) -> bool:
        """Whether the term's postings in the segments were loaded."""
        return term in self._folded_postings

    def occurrences(self, terms: Sequence[str]) -> Occurrences:
        """Where terms occur whose postings in the segments were loaded."""
        tail, sizes = array("q"), []
        for term in terms:
            found = self._tail_postings.get(term, _NOWHERE)
            tail.extend(found)
            sizes.append(len(found) // 2)
        pairs, places = np.array(tail, np.int64), np.arange(len(terms))
        in_tail = Occurrences(pairs[0::2], pairs[1::2], np.repeat(places, sizes))
        if not self.segments:
            return in_tail
        folded = [self._folded_postings[term] for term in terms]
        return Occurrences(
            np.concatenate([*(each.rows for each in folded), in_tail.rows]),
            np.concatenate([*(each.counts for each in folded), in_tail.counts]),
            np.concatenate([np.repeat(places, [each.rows.size for each in folded]), in_tail.terms]),
        )

    def keep_postings(self, term: str, found: Postings) -> None:
        """Keep the term's postings until there are other segments."""
        self._folded_postings[term] = found
        self._kept_bytes += 200 + found.rows.nbytes + found.counts.nbytes

    def tokens(self, row: int) -> TokenIds | None:
        """The ids of a row's tokens, if they were kept."""
        return self._tokens.get(row)

    def keep_tokens(self, row: int, ids: TokenIds) -> None:
        """Keep the ids of a row's tokens for the next re-ranking."""
        self._tokens[row] = ids
        self._kept_bytes += 120 + ids.nbytes

    def keep_memory(self, row: int, memory: Memory) -> None:
        """Keep the memory of a row for the next search."""
        self.memories[row] = memory
        self._kept_bytes += (
            1_000
            + 2 * len(memory.content)
            + sum(_BYTES_AN_ID * len(value) for value in memory.metadata.values() if isinstance(value, list))
        )

    def _index(self, row: int, words: str) -> None:
        for term, count in Counter(words.split()).items():
            found = self._tail_postings.get(term)
            if found is None:
                self._tail_postings[term] = array("q", (row, count))
            else:
                found.extend((row, count))


def _ascending(numbers: Integers) -> bool:
    return not (numbers[1:] < numbers[:-1]).any()


def _grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    larger = np.zeros((size, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger
