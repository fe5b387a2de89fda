"""`story.review`: what models and rules would write into a story, and what a person says to it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import cast, get_args

from pydantic import JsonValue

from earwitness import Derivation, Earwitness, Session
from earwitness.backstage.roles import Permission, permit
from earwitness.clock import now
from earwitness.errors import InputError, KeyConflict, NotYetApplied, UnknownName, about, quoted
from earwitness.ids import WORLD, derive
from earwitness.validation.arguments import text, texts
from earwitness.validation.records import as_kept, keepable

from .handlers import fallen, handle, handler_of
from .index import NotedProposal, ProposalIndex
from .lookup import check_choice, check_role, check_words, meant, unknown_proposal
from .losses import who_is_unmasked, who_left, why_fallen
from .notes import PACKAGE, decided, decision_key, key_of, proposed
from .records import Proposal, Reviewed, ReviewStatus, ReviewWrite
from .strangers import strangers

AUTO = "auto"
AT_ONCE = 20
"""So many proposals are read before other tasks of the process may go on."""


class Review:
    """The proposals of one story. `story.review` acts as its author; `acting` as somebody else."""

    def __init__(
        self, story: Session, ew: Earwitness, role: str = "author", index: ProposalIndex | None = None
    ) -> None:
        self._story = story
        self._ew = ew
        self._role = role
        self._index = ProposalIndex() if index is None else index

    def acting(self, *, role: str) -> Review:
        """The same on behalf of somebody, whose permissions are those of backstage. Raises `UnknownName`."""
        return Review(self._story, self._ew, check_role(role), self._index)

    async def waiting(self, *, kind: str | None = None, about: str | None = None) -> tuple[Reviewed, ...]:
        """What waits for a decision, oldest first: of one kind, or about one character. Raises `NotPermitted`,
        `InputError`."""
        check_choice(kind, about)
        found = await self.proposals(status="waiting", kind=kind)
        who = None if about is None else self._story.cast.named(about).id
        return tuple(each for each in found if who is None or who in each.proposal.about)

    async def proposals(
        self, *, status: ReviewStatus | None = None, kind: str | None = None, ids: Iterable[str] | None = None
    ) -> tuple[Reviewed, ...]:
        """All proposals, oldest first; or those of one status, of one kind, or with these ids.

        Raises `NotPermitted`, `InputError`.
        """
        self._permit("read", "see what waits for review")
        if status is not None and status not in get_args(ReviewStatus):
            raise InputError(f"status {quoted(status)} must be one of {', '.join(get_args(ReviewStatus))}.")
        check_choice(kind)
        index, only = await self._up_to_date(), None if ids is None else frozenset(texts("ids", ids))
        noted = [each for each in index if kind in {None, each.kind} and (only is None or each.id in only)]
        if status is not None:  # what waits may have fallen
            journalled = {"waiting", "fallen"} if status == "fallen" else {status}
            noted = [each for each in noted if index.status(each) in journalled]
        return tuple(each for each in await self._read(noted) if status in {None, each.status})

    async def statuses(self, *, kind: str | None = None) -> dict[str, ReviewStatus]:
        """Proposal id → what became of it, oldest first; those of one kind. Of what is decided no text is read, so that
        it is quick. Raises `NotPermitted`, `InputError`."""
        self._permit("read", "see what waits for review")
        check_choice(kind)
        index = await self._up_to_date()
        noted = [each for each in index if kind in {None, each.kind}]
        waiting = await self._read(each for each in noted if index.status(each) == "waiting")
        now = {each.id: each.status for each in waiting}
        return {each.id: now.get(each.id) or cast(ReviewStatus, index.status(each)) for each in noted}

    async def get(self, id: str) -> Reviewed:
        """A proposal by its id, or by the beginning of one. Raises `UnknownName`, `NotPermitted`."""
        self._permit("read", "see what waits for review")
        index = await self._up_to_date()
        found = meant(id, (each.id for each in index))
        noted = None if found is None else index.get(found)
        if read := await self._read([] if noted is None else [noted]):
            return read[0]
        waiting = [each.id for each in await self.proposals(status="waiting")]
        raise unknown_proposal(id, f"session {self._story.id!r}", waiting)

    async def known(self, proposal: Proposal) -> Reviewed | None:
        """What became of the same proposal, if it was made before; `None` if it is new. One that fell is new.
        Raises `InputError` for what is not a proposal."""
        _check_proposal(proposal)
        same = (await self._up_to_date()).same(proposal.same)
        return next((each for each in reversed(await self._read(same)) if each.status != "fallen"), None)

    async def submit(self, proposal: Proposal, write: ReviewWrite = "review") -> Reviewed | None:
        """Propose something, as a setting `write` has it: let it wait, or (`auto`) write it at once; `None` if `off`.

        The same is proposed once: what was rejected or approved before is returned as it is, and nothing is written.
        A proposal that would tell somebody something they do not know waits under `auto`, too; its notes say so.
        Durable on return. Raises `UnknownName` for grounds and owners that the story does not have, `InputError` for
        memories without grounds and for grounds that were retracted.
        """
        if write not in get_args(ReviewWrite):
            raise InputError(f"write = {quoted(write)} must be one of {', '.join(get_args(ReviewWrite))}.")
        _check_proposal(proposal)
        if write == "off":
            return None
        found = await self.known(proposal) or await self._propose(proposal)
        is_new = found.status == "waiting"
        if write != AUTO or not is_new or await strangers(self._story, found.proposal):
            return found
        found, key = await self._to_decide(found.id)
        return await self._write(found, AUTO, key) if found.status == "waiting" else found

    async def approve(self, id: str, *, content: str | None = None) -> Reviewed:
        """Do what a proposal says, with other words for its only memory if `content` is given. Decided on return.

        Approving twice writes once. What was rejected may be approved after all. Of several memories those are written
        that can be; `left_out` says which could not, and why. If none can be, the proposal has fallen. Raises
        `UnknownName`, `NotPermitted`, and `InputError` for a proposal that fell, that somebody else rejects at the same
        time, for content that is not text, and for content where it was approved before in other words.
        """
        self._permit("edit", "approve what was proposed")
        check_words(content)
        found, key = await self._to_decide((await self.get(id)).id)
        if content is None:
            return _approved(await self._write(found, self._role, key))
        found = _in_other_words(found, content)
        done = _approved(await self._write(found, self._role, key, is_as_proposed=False))
        await self._check_written(_in_other_words(done, content))
        return done

    async def reject(self, id: str, reason: str = "") -> Reviewed:
        """Reject a proposal, for good: the same is not proposed again. Decided on return. What was written of it before
        its approval was interrupted is taken back.

        Raises `UnknownName`, `NotPermitted`, and `InputError` for one that was approved, by somebody else at the same
        time, too, and for a reason that is not text.
        """
        self._permit("edit", "reject what was proposed")
        text("reason", reason)
        found, key = await self._to_decide((await self.get(id)).id)
        written = await self._interrupted(found)
        if found.status not in {"approved", "rejected"}:
            with suppress(KeyConflict):  # somebody else was first
                await self._decide(key, decided(found.id, "rejected", self._role, reason))
            found = await self._one(found.id)
        if found.status == "approved":
            keys = ", ".join(found.keys) or "none"
            raise InputError(f"proposal {found.id!r} was approved. Take back what it wrote instead: retract {keys}.")
        if written is not None:
            await self._take_back(written)
        return found

    # ── proposing ────────────────────────────────────────────────────────────────────────────────────────────────

    async def _propose(self, proposal: Proposal) -> Reviewed:
        self._check_owners(proposal)
        if proposal.memories and not proposal.grounds:
            raise InputError("a proposed memory needs what it rests on: give rests_on, memory ids or keys.")
        grounds = await self._grounds(proposal)
        notes = (*await strangers(self._story, proposal), *proposal.notes)
        proposal = proposal.model_copy(update={"notes": tuple(dict.fromkeys(notes))})
        number = len((await self._up_to_date()).same(proposal.same))  # those that fell
        id = derive("review", self._story.id, proposal.same, number)[:12]
        fact = proposed(id, proposal, self._story.state.game_day, now(), grounds)
        with suppress(KeyConflict):  # another process was first, with other words
            await (await self._story.change(facts={PACKAGE: [fact]}, key=key_of(id))).decided()
        return await self._one(id)

    def _check_owners(self, proposal: Proposal) -> None:
        """Raises `UnknownName` for anybody who is not in the cast."""
        owners = [each.owner for each in proposal.memories if each.owner not in {None, WORLD}]
        for id in (*proposal.about, *owners):
            self._story.cast.named(str(id))

    async def _grounds(self, proposal: Proposal) -> tuple[str, ...]:
        """The ids of the memories that it rests on as they are now."""
        await self._caught_up()
        found = await self._story.backstage().grounds(*proposal.grounds)
        for each in proposal.grounds:
            if found.get(each) is None:
                raise UnknownName(
                    f"rests_on = {each!r} is neither a memory nor a key of {self._story.id!r}, or was retracted."
                )
        return tuple(dict.fromkeys(id for id in found.values() if id is not None))

    # ── deciding ─────────────────────────────────────────────────────────────────────────────────────────────────

    async def _to_decide(self, id: str) -> tuple[Reviewed, str]:
        """A proposal, and the key of the next decision on it: whoever decides meanwhile takes that key."""
        number = 1
        while await self._story.has(decision_key(id, number)):
            number += 1
        return await self._one(id), decision_key(id, number)

    async def _write(self, found: Reviewed, by: str, key: str, *, is_as_proposed: bool = True) -> Reviewed:
        """Do what a proposal says. If somebody has rejected it meanwhile, that is taken back, and it is returned so."""
        if found.status == "approved":
            return found
        if found.status == "fallen":
            raise InputError(f"proposal {found.id!r} cannot be approved: {found.reason}.")
        await handle(self._story, self._ew, found.model_copy(update={"decided_by": by}))
        found = await self._after_what_was_taken_back(found)
        left_out = await self._remembered(found)
        if left_out and len(left_out) == len(found.proposal.memories):
            why = "; ".join(left_out)
            if is_as_proposed and found.status == "waiting":
                with suppress(KeyConflict):
                    await self._decide(key, decided(found.id, "fallen", by, why))
            raise InputError(f"proposal {found.id!r} cannot be approved: {why}.")
        if found.proposal.archives:
            await (await self._story.archive(*found.proposal.archives, key=found.archive_key)).decided()
        return await self._approve(found, key, by, left_out)

    async def _approve(self, found: Reviewed, key: str, by: str, left_out: list[str]) -> Reviewed:
        """Note that what was written is approved. What a handler did cannot be taken back: then that counts."""
        fact = decided(found.id, "approved", by, left_out=left_out, taken_back=found.taken_back)
        try:
            await self._decide(key, fact)
        except KeyConflict:
            now, key = await self._to_decide(found.id)
            if now.status != "approved" and handler_of(found.proposal.kind) is not None:
                return await self._approve(found, key, by, left_out)
            if now.status != "approved":
                await self._take_back(found)
            return now
        return await self._one(found.id)

    async def _check_written(self, found: Reviewed) -> None:
        """Raises `InputError` where its only memory was written before, in other words."""
        (key,), (memory,) = found.keys, self._grounded(found)
        try:
            if await self._story.has(key):
                await self._story.derive(memory, key=key)  # the same again does nothing
        except KeyConflict:
            raise InputError(
                f"proposal {found.id!r} was approved before, in other words: {quoted(memory.content)} is not written. "
                f"To have these words instead, retract {key} and write them with story.remember."
            ) from None

    def _grounded(self, found: Reviewed) -> list[Derivation]:
        """The memories of a proposal, each with what it rests on."""
        rests_on = found.proposal.rests_on
        return [each.model_copy(update={"rests_on": each.rests_on or rests_on}) for each in found.proposal.memories]

    async def _remembered(self, found: Reviewed) -> list[str]:
        """Write the memories of a proposal. What could not be written: for whom, and why."""
        left_out: list[str] = []
        for key, each in zip(found.keys, self._grounded(found), strict=True):
            whose = each.owner or each.container
            if gone := who_left(each, self._story.cast):
                left_out.append(f"not for {whose}: {gone} was forgotten")
                continue
            try:
                await (await self._story.derive(each, key=key)).decided()
            except KeyConflict:  # approved before, in other words, and interrupted
                continue
            except (InputError, UnknownName) as why:
                left_out.append(f"not for {whose}: {str(why).rstrip('.')}")
        return left_out

    async def _after_what_was_taken_back(self, found: Reviewed) -> Reviewed:
        """The proposal with keys under which it can be written: those of what was taken back write nothing again."""
        number = 0
        while await self._is_taken_back(again := found.model_copy(update={"taken_back": number})):
            await self._take_back(again)  # the rest of it, if that was interrupted
            number += 1
        return again

    async def _is_taken_back(self, found: Reviewed) -> bool:
        written = await self._story.backstage().grounds(*found.keys)
        return None in written.values() or await self._story.has(_restored(found))

    async def _interrupted(self, found: Reviewed) -> Reviewed | None:
        """The proposal with the keys of what was written of it before its approval was interrupted; `None` if nothing
        was, or if it is approved."""
        if found.status == "approved":
            return None
        found = await self._after_what_was_taken_back(found)
        written = await self._story.backstage().grounds(*found.keys)
        return found if any(written.values()) or await self._story.has(found.archive_key) else None

    async def _take_back(self, found: Reviewed) -> None:
        """Take back what was written of a proposal. Doing it twice does it once."""
        written = await self._story.backstage().grounds(*found.keys)
        for key in (key for key, memory in written.items() if memory is not None):
            await (await self._story.retract(key, by=self._role)).decided()
        if await self._story.has(found.archive_key) and not await self._story.has(_restored(found)):
            await (await self._story.restore(*found.proposal.archives, key=_restored(found))).decided()

    async def _decide(self, key: str, fact: JsonValue) -> None:
        """Note a decision. Raises `KeyConflict` if another one has the key."""
        await (await self._story.change(facts={PACKAGE: [fact]}, key=key)).decided()

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────

    async def _up_to_date(self) -> ProposalIndex:
        """The index, with everything that was decided so far."""
        await self._caught_up()
        while not self._index.follow(self._story.state):  # noqa: ASYNC110 - it waits for nothing: it lets others go on
            await asyncio.sleep(0)
        return self._index

    async def _one(self, id: str) -> Reviewed:
        noted = (await self._up_to_date()).get(id)
        found = await self._read([] if noted is None else [noted])
        if not found:
            raise InputError(f"proposal {id!r} was taken out of the story meanwhile.")
        return found[0]

    async def _read(self, noted: Iterable[NotedProposal]) -> list[Reviewed]:
        """These as records, fallen if they can no longer be approved. What cannot be read is left out."""
        every: list[Reviewed] = []
        grounds: dict[str, tuple[str, ...]] = {}
        for number, each in enumerate(noted, 1):
            if (found := self._index.reviewed(self._story.id, each)) is not None:
                every.append(found)
                grounds |= {found.id: each.grounds} if found.status == "waiting" else {}
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)
        fell = await self._fallen([each for each in every if each.status == "waiting"], grounds) if grounds else {}
        return [
            each.model_copy(update={"status": "fallen", "reason": fell[each.id]}) if each.id in fell else each
            for each in every
        ]

    async def _fallen(self, waiting: Sequence[Reviewed], grounds: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
        """Id → why a proposal can no longer be approved."""
        ids = sorted({id for each in grounds.values() for id in each})
        now = await self._story.backstage().grounds(*ids) if ids else {}
        fell = await fallen(self._story, self._ew, waiting)
        masked = await self._story.backstage().disguised_in(*ids)
        for each in waiting:
            hidden = {id for ground in grounds[each.id] for id in masked.get(ground, ())}
            if (unmasked := who_is_unmasked(each.proposal, hidden, self._story.cast)) is not None:
                fell |= {each.id: f"it names {unmasked}, whom the owner of its grounds does not know under the mask"}
            gone = next((id for id in grounds[each.id] if now.get(id) is None), None)
            left = why_fallen(each.proposal, self._story.cast)
            why = left if gone is None else f"it rests on {gone}, which was retracted or edited"
            fell |= {each.id: why} if why is not None else {}
        return fell

    async def _caught_up(self) -> None:
        """Wait until everything reported so far is decided, in other processes, too. The store may be away."""
        with suppress(NotYetApplied):
            await self._story.settled()

    def _permit(self, needed: Permission, what: str) -> None:
        permit(self._role, needed, what)


def _restored(found: Reviewed) -> str:
    """The key under which what it took out of recall is put back."""
    return f"{found.archive_key}-restored"


def _in_other_words(found: Reviewed, content: str) -> Reviewed:
    """The proposal with other words for its only memory. Raises `InputError` if it has several, or none."""
    if len(found.proposal.memories) != 1:
        raise InputError(
            f"content = {quoted(content)} needs a proposal of one memory: {found.id!r} has none, or several."
        )
    (memory,) = found.proposal.memories
    other = found.proposal.model_copy(update={"memories": (memory.model_copy(update={"content": content}),)})
    return found.model_copy(update={"proposal": other})


def _approved(found: Reviewed) -> Reviewed:
    """Raises `InputError` for what somebody has rejected while it was being approved."""
    if found.status != "approved":
        raise InputError(
            f"proposal {found.id!r} was {found.status} by {found.decided_by} while it was being approved: nothing of "
            "it is remembered. If it is to be remembered after all, approve it again."
        )
    return found


def _check_proposal(proposal: object) -> None:
    """Raises `InputError` for what is not a proposal, or holds what the journal cannot keep or read again."""
    if not isinstance(proposal, Proposal):
        raise InputError(f"proposal = {quoted(proposal)} cannot be used: it must be a Proposal.")
    with about("proposal"):
        as_kept(proposal)
        keepable(proposal)
