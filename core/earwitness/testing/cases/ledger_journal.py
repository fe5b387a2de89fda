"""The journal: the host's entries, in one dense sequence for each session, each key once."""

# ruff: noqa: S101
from __future__ import annotations

from contextlib import suppress

import anyio

from ...errors import EarwitnessError, UnknownName
from ...protocols import Ledger
from ...records.channel import Channel
from ...records.character import Character
from ...records.journal import Body, Changed, Entry, NewEntry, Piece, Prepared, Retracted, Revised, Said
from ...records.snapshot import Snapshot
from ...records.update import Update
from ..samples import LOOKALIKES, NOON, ODD_NAMES, ODD_TEXTS, said
from ..suite import case
from .ledger_base import LedgerCases

BODIES: tuple[Body, ...] = (
    Said(
        speaker="alice",
        content="Hello.",
        channel=Channel(context="dm"),
        present=("alice", "bob"),
        audience=("bob",),
        metadata={"n": [1, None, {"a": "b"}]},
    ),
    Said(speaker="alice", content="Hello.", place="castle/kitchen"),
    Changed(changes={"game_day": 6.5, "quest": None, "own": {"deep": [1, "two"]}}, moves=(("bob", "move", "cellar"),)),
    Changed(
        joins=(Character("dora", aliases=["D"], kind="persona", user_id="u1"),), leaves_cast=("bob",), audience="public"
    ),
    Changed(
        updates=(Update(description="It rains", audience=("alice",), metadata={"location": "pass"}),),
        description="Rain",
    ),
    Prepared(pieces=(Piece(type="lore", text="Old.", owners=("bob",), lore_key="k", words=("ruin",)),)),
    Revised(target="m1", content="Goodbye.", reroll=True),
    Revised(target="m1", content="Goodbye.", present=("bob",), audience=()),
    Retracted(target="m1", by="designer"),
)


class JournalCases(LedgerCases):
    """`append`, `entry`, `entries`, `settle`."""

    async def _journal(self, ledger: Ledger, length: int) -> list[Entry]:
        await self.story(ledger)
        return [(await ledger.append("s1", said(f"line {n}"), timestamp=NOON)).entry for n in range(length)]

    @case
    async def test_entries_are_numbered_from_one_without_gaps(self, ledger: Ledger) -> None:
        """Each session counts on its own."""
        for session in ("s1", "s2"):
            await self.story(ledger, session)
        sequences = [
            (await ledger.append(session, said(), timestamp=NOON)).entry.sequence
            for session in ("s1", "s2", "s1", "s1", "s2")
        ]
        assert sequences == [1, 1, 2, 3, 2]

    @case
    async def test_an_entry_comes_back_as_it_was_told(self, ledger: Ledger) -> None:
        """Every kind of body comes back, with every field."""
        await self.story(ledger)
        for number, body in enumerate(BODIES, 1):
            appended = await ledger.append("s1", body, key=f"k{number}", timestamp=NOON)
            assert appended.created
            assert appended.entry == Entry(session="s1", sequence=number, key=f"k{number}", body=body, timestamp=NOON)
        assert [entry.body for entry in await ledger.entries("s1")] == list(BODIES)

    @case
    async def test_any_text_and_any_key_are_only_text(self, ledger: Ledger) -> None:
        """The test tries quotes, SQL, paths, markup and several scripts."""
        await self.story(ledger)
        for key, text in zip(ODD_NAMES, ODD_TEXTS * 2, strict=False):
            await ledger.append("s1", said(text), key=key, timestamp=NOON)
        for number, (key, text) in enumerate(zip(ODD_NAMES, ODD_TEXTS * 2, strict=False), 1):
            entry = await ledger.entry("s1", key=key)
            assert entry is not None
            assert (entry.sequence, entry.body) == (number, said(text))

    @case
    async def test_keys_that_look_alike_are_apart(self, ledger: Ledger) -> None:
        """Keys that differ by an invisible character name different entries."""
        await self.story(ledger)
        for key in LOOKALIKES:
            await ledger.append("s1", said(key), key=key, timestamp=NOON)
        for number, key in enumerate(LOOKALIKES, start=1):
            entry = await ledger.entry("s1", key=key)
            assert entry is not None
            assert entry.sequence == number, ascii(key)

    @case
    async def test_the_same_key_returns_the_first_entry(self, ledger: Ledger) -> None:
        """This holds whatever the new body is, and no number is used up. Core compares the texts."""
        await self.story(ledger)
        first = await ledger.append("s1", said("first"), key="k", timestamp=NOON)
        for text in ("first", "second"):
            again = await ledger.append("s1", said(text), key="k", timestamp="2027-01-01T00:00:00+00:00")
            assert (again.entry, again.created) == (first.entry, False)
        following = await ledger.append("s1", said("first"), key="other", timestamp=NOON)
        assert (following.entry.sequence, following.created) == (2, True)

    @case
    async def test_several_are_appended_in_their_order(self, ledger: Ledger) -> None:
        """They get consecutive numbers. A key that exists, or comes twice, returns its entry."""
        await self.story(ledger)
        await ledger.append("s1", said("first"), key="k", timestamp=NOON)
        new = [NewEntry(body=said(f"line {key}"), key=key, timestamp=NOON) for key in ("a", "k", None, "a", "b")]
        appended = await ledger.append_all("s1", new)
        assert [(one.entry.sequence, one.entry.key, one.created) for one in appended] == [
            (2, "a", True),
            (1, "k", False),
            (3, "#3", True),
            (2, "a", False),
            (4, "b", True),
        ]
        assert [one.entry.body for one in appended[:2]] == [said("line a"), said("first")]
        assert list(await ledger.entries("s1", after=1)) == [one.entry for one in appended if one.created]
        assert list(await ledger.append_all("s1", [])) == []

    @case
    async def test_several_are_appended_all_or_none(self, ledger: Ledger) -> None:
        """Half a letter in the last entry, and none is appended."""
        await self.story(ledger)
        new = [NewEntry(body=said(text), timestamp=NOON) for text in ("whole", "half \ud83d")]
        with suppress(ValueError, EarwitnessError):
            await ledger.append_all("s1", new)
            raise AssertionError("append_all() took text that is not valid Unicode")
        assert list(await ledger.entries("s1")) == []
        with suppress(UnknownName):
            await ledger.append_all("s2", new[:1])
            raise AssertionError("append_all() took an entry for a session that nobody created")

    @case
    async def test_the_same_key_in_another_session_is_another_entry(self, ledger: Ledger) -> None:
        """This holds also if session id and key concatenate to the same text."""
        await self.story(ledger, "s1")
        await self.story(ledger, "s1k")
        assert (await ledger.append("s1", said("a"), key="kk", timestamp=NOON)).created
        assert (await ledger.append("s1k", said("b"), key="k", timestamp=NOON)).created
        assert (await ledger.append("s1k", said("c"), key="kk", timestamp=NOON)).created
        assert [entry.body for entry in await ledger.entries("s1")] == [said("a")]

    @case
    async def test_an_entry_without_a_key_gets_its_own(self, ledger: Ledger) -> None:
        """The key is `#` and the sequence number; the same text twice makes two entries."""
        entries = await self._journal(ledger, 2)
        assert [entry.key for entry in entries] == ["#1", "#2"]
        assert await ledger.entry("s1", key="#2") == entries[1]

    @case
    async def test_an_unknown_session_takes_no_entries(self, ledger: Ledger) -> None:
        """It has none either."""
        await self.story(ledger, "s1")
        with suppress(UnknownName):
            await ledger.append("s2", said(), timestamp=NOON)
            raise AssertionError("append() took an entry for a session that nobody created")
        assert list(await ledger.entries("s2")) == []
        assert await ledger.entry("s2", sequence=1) is await ledger.entry("s2", key="k") is None
        assert await ledger.sessions() == ["s1"]

    @case
    async def test_one_entry_is_found_by_number_or_key(self, ledger: Ledger) -> None:
        """An entry that does not exist is `None`."""
        first, second = await self._journal(ledger, 2)
        assert await ledger.entry("s1", sequence=1) == first
        assert await ledger.entry("s1", key=second.key) == second
        for missing in (0, 3, -1):
            assert await ledger.entry("s1", sequence=missing) is None
        assert await ledger.entry("s1", key="nobody") is None

    @case
    async def test_entries_are_listed_in_order_and_in_ranges(self, ledger: Ledger) -> None:
        """`after` is exclusive, `up_to` is inclusive; `limit` takes the first ones."""
        await self._journal(ledger, 6)

        async def listed(**asked: int) -> list[int]:
            return [entry.sequence for entry in await ledger.entries("s1", **asked)]  # type: ignore[arg-type]

        assert await listed() == [1, 2, 3, 4, 5, 6]
        assert await listed(after=2) == [3, 4, 5, 6]
        assert await listed(up_to=2) == [1, 2]
        assert await listed(after=1, up_to=4, limit=2) == [2, 3]
        assert await listed(limit=0) == await listed(after=6) == await listed(up_to=0) == []

    @case
    async def test_settled_entries_are_told_from_unsettled_ones(self, ledger: Ledger) -> None:
        """Acknowledging twice, or an entry that does not exist, is fine."""
        await self._journal(ledger, 4)
        await ledger.acknowledge("s1", [1, 3], [])
        await ledger.acknowledge("s1", [3, 99], ["nobody"])
        assert [entry.applied for entry in await ledger.entries("s1")] == [True, False, True, False]
        assert [entry.sequence for entry in await ledger.entries("s1", unapplied=True)] == [2, 4]
        assert [entry.sequence for entry in await ledger.entries("s1", unapplied=True, after=2, limit=5)] == [4]
        again = await ledger.append("s1", said(), key="#1", timestamp=NOON)
        assert again.entry.applied

    @case
    async def test_a_session_with_a_past_counts_on_from_there(self, ledger: Ledger) -> None:
        """A fork is created as decided up to the entry where it left its parent."""
        await ledger.create(Snapshot(id="branch", decided=7, parent="s1", forked_at=7), [])
        entry = (await ledger.append("branch", said(), timestamp=NOON)).entry
        assert (entry.sequence, entry.key) == (8, "#8")
        assert [entry.sequence for entry in await ledger.entries("branch")] == [8]

    @case
    async def test_appending_at_the_same_time_leaves_no_gap_and_loses_nothing(self, ledger: Ledger) -> None:
        """Many writers append, some of them under a shared key."""
        await self.story(ledger)
        created: list[int] = []

        async def write(number: int) -> None:
            key = f"k{number % 20}" if number < 40 else None
            appended = await ledger.append("s1", said(f"line {number}"), key=key, timestamp=NOON)
            created.extend([appended.entry.sequence] * appended.created)

        async with anyio.create_task_group() as group:
            for number in range(60):
                group.start_soon(write, number)
        assert sorted(created) == list(range(1, 41))
        assert [entry.sequence for entry in await ledger.entries("s1")] == list(range(1, 41))

    @case
    async def test_two_open_ledgers_count_one_sequence(self, ledger: Ledger) -> None:
        """Two processes take turns, and each knows the other's keys."""
        self.needs("shared")
        await self.story(ledger)
        async with self.subject() as other:
            for number in range(5):
                for name, handle in (("one", ledger), ("other", other)):
                    await handle.append("s1", said(), key=f"{name}-{number}", timestamp=NOON)
            assert not (await other.append("s1", said(), key="one-0", timestamp=NOON)).created
            assert [entry.sequence for entry in await other.entries("s1")] == list(range(1, 11))
        assert [entry.sequence for entry in await ledger.entries("s1")] == list(range(1, 11))

    @case
    async def test_the_journal_is_there_after_a_new_start(self, ledger: Ledger) -> None:
        """Entries, keys, numbers and acknowledgements are still there."""
        self.needs("persistent")
        await self._journal(ledger, 3)
        await ledger.acknowledge("s1", [1], [])
        await ledger.sync()
        await ledger.close()
        async with self.subject() as reopened:
            assert [(entry.sequence, entry.applied) for entry in await reopened.entries("s1")] == [
                (1, True),
                (2, False),
                (3, False),
            ]
            assert not (await reopened.append("s1", said(), key="#2", timestamp=NOON)).created
            assert (await reopened.append("s1", said(), timestamp=NOON)).entry.sequence == 4
        await ledger.open()
