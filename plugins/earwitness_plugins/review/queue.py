"""`story.review`: what models and rules would write into a story, and what a person says to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import get_args

from earwitness import Earwitness, Session
from earwitness.backstage.roles import PERMISSIONS, Permission, permit
from earwitness.clock import now
from earwitness.errors import InputError, KeyConflict, NotYetApplied, UnknownName, quoted, unknown
from earwitness.ids import WORLD, derive

from .handlers import handle
from .notes import PACKAGE, decided, key_of, noted, proposed
from .records import Proposal, Reviewed, ReviewStatus, ReviewWrite

AUTO = "auto"


class Review:
    """The proposals of one story. `story.review` acts as its author; `acting` as somebody else."""

    def __init__(self, story: Session, ew: Earwitness, role: str = "author") -> None:
        self._story = story
        self._ew = ew
        self._role = role

    def acting(self, *, role: str) -> Review:
        """The same on behalf of somebody, whose permissions are those of backstage. Raises `UnknownName`."""
        if role not in PERMISSIONS:
            raise unknown("role", role, PERMISSIONS)
        return Review(self._story, self._ew, role)

    async def waiting(self, *, kind: str | None = None, about: str | None = None) -> tuple[Reviewed, ...]:
        """What waits for a decision, oldest first: of one kind, or about one character. Raises `NotPermitted`."""
        found = await self.proposals(status="waiting")
        who = None if about is None else self._story.cast.named(about).id
        return tuple(
            each for each in found if kind in {None, each.proposal.kind} and (who is None or who in each.proposal.about)
        )

    async def proposals(self, *, status: ReviewStatus | None = None) -> tuple[Reviewed, ...]:
        """All proposals, oldest first, or those of one status. Raises `NotPermitted`, `InputError`."""
        self._permit("read", "see what waits for review")
        if status is not None and status not in get_args(ReviewStatus):
            raise InputError(f"status {quoted(status)} must be one of {', '.join(get_args(ReviewStatus))}.")
        return tuple(each for each in await self._all() if status in {None, each.status})

    async def get(self, id: str) -> Reviewed:
        """A proposal by its id, or by the beginning of one. Raises `UnknownName`, `NotPermitted`."""
        self._permit("read", "see what waits for review")
        every = await self._all()
        found = [each for each in every if each.id == id] or [each for each in every if id and each.id.startswith(id)]
        if len(found) == 1:
            return found[0]
        if found:
            raise UnknownName(f"{id!r} could be any of {', '.join(each.id for each in found[:10])}: give more of it.")
        there = ", ".join(each.id for each in every if each.status == "waiting")
        raise UnknownName(f"no proposal {quoted(id)} in session {self._story.id!r}. Waiting: {there or 'nothing'}.")

    async def known(self, proposal: Proposal) -> Reviewed | None:
        """What became of the same proposal, if it was made before; `None` if it is new. One that fell is new."""
        same = [each for each in await self._all() if each.proposal.same == proposal.same and each.status != "fallen"]
        return same[-1] if same else None

    async def submit(self, proposal: Proposal, write: ReviewWrite = "review") -> Reviewed | None:
        """Propose something, as a setting `write` has it: let it wait, or (`auto`) write it at once; `None` if `off`.

        The same is proposed once: what was rejected or approved before is returned as it is, and nothing is written.
        Durable on return. Raises `UnknownName` for grounds and owners that the story does not have, `InputError` for
        memories without grounds and for grounds that were retracted.
        """
        if write not in get_args(ReviewWrite):
            raise InputError(f"write = {quoted(write)} must be one of {', '.join(get_args(ReviewWrite))}.")
        if write == "off":
            return None
        found = await self.known(proposal) or await self._propose(proposal)
        is_new = found.status == "waiting"
        return await self._write(found, AUTO) if write == AUTO and is_new else found

    async def approve(self, id: str, *, content: str | None = None) -> Reviewed:
        """Do what a proposal says, with other words for its only memory if `content` is given. Decided on return.

        Approving twice writes once. What was rejected may be approved after all. Raises `UnknownName`, `NotPermitted`,
        and `InputError` for a proposal that fell.
        """
        self._permit("edit", "approve what was proposed")
        found = await self.get(id)
        if content is None or found.status == "approved":
            return await self._write(found, self._role)
        if len(found.proposal.memories) != 1:
            raise InputError(f"content = {quoted(content)} needs a proposal of one memory: {found.id!r} has not one.")
        (memory,) = found.proposal.memories
        other = found.proposal.model_copy(update={"memories": (memory.model_copy(update={"content": content}),)})
        return await self._write(found.model_copy(update={"proposal": other}), self._role)

    async def reject(self, id: str, reason: str = "") -> Reviewed:
        """Reject a proposal, for good: the same is not proposed again. Decided on return.

        Raises `UnknownName`, `NotPermitted`, and `InputError` for one that was approved.
        """
        self._permit("edit", "reject what was proposed")
        found = await self.get(id)
        if found.status == "approved":
            keys = ", ".join(found.keys) or "none"
            raise InputError(f"proposal {found.id!r} was approved. Take back what it wrote instead: retract {keys}.")
        return found if found.status == "rejected" else await self._decide(found, "rejected", self._role, reason)

    # ── proposing ────────────────────────────────────────────────────────────────────────────────────────────────

    async def _propose(self, proposal: Proposal) -> Reviewed:
        self._check_owners(proposal)
        if proposal.memories and not proposal.grounds:
            raise InputError("a proposed memory needs what it rests on: give rests_on, memory ids or keys.")
        grounds = await self._grounds(proposal)
        earlier = noted(self._story.id, self._story.state)
        number = sum(each.proposal.same == proposal.same for each, _ in earlier.values())  # those that fell
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

    async def _write(self, found: Reviewed, by: str) -> Reviewed:
        if found.status == "approved":
            return found
        if found.status == "fallen":
            raise InputError(f"proposal {found.id!r} cannot be approved: {found.reason}.")
        await handle(self._story, self._ew, found.model_copy(update={"decided_by": by}))
        for key, each in zip(found.keys, found.proposal.memories, strict=True):
            grounded = each.model_copy(update={"rests_on": each.rests_on or found.proposal.rests_on})
            with suppress(KeyConflict):  # approved before, in other words, and interrupted
                await (await self._story.derive(grounded, key=key)).decided()
        if found.proposal.archives:
            await (await self._story.archive(*found.proposal.archives, key=f"{key_of(found.id)}-archive")).decided()
        return await self._decide(found, "approved", by)

    async def _decide(self, found: Reviewed, status: ReviewStatus, by: str, reason: str = "") -> Reviewed:
        fact = decided(found.id, status, by, reason)
        await (await self._story.change(facts={PACKAGE: [fact]})).decided()
        return await self._one(found.id)

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────

    async def _one(self, id: str) -> Reviewed:
        return next(each for each in await self._all() if each.id == id)

    async def _all(self) -> list[Reviewed]:
        await self._caught_up()
        every = noted(self._story.id, self._story.state)
        open_grounds = {id for each, grounds in every.values() if each.status == "waiting" for id in grounds}
        found = await self._story.backstage().grounds(*sorted(open_grounds))
        return [self._standing(each, grounds, found) for each, grounds in every.values()]

    def _standing(self, reviewed: Reviewed, grounds: Iterable[str], found: Mapping[str, str | None]) -> Reviewed:
        """The proposal, fallen if it can no longer be approved."""
        if reviewed.status != "waiting":
            return reviewed
        gone = next((id for id in grounds if found.get(id) is None), None)
        owners = [each.owner for each in reviewed.proposal.memories if each.owner not in {None, WORLD}]
        left = next((id for id in (*reviewed.proposal.about, *owners) if id not in self._story.cast), None)
        if gone is None and left is None:
            return reviewed
        why = f"{left} was forgotten" if gone is None else f"it rests on {gone}, which was retracted or edited"
        return reviewed.model_copy(update={"status": "fallen", "reason": why})

    async def _caught_up(self) -> None:
        """Wait until everything reported so far is decided, in other processes, too. The store may be away."""
        with suppress(NotYetApplied):
            await self._story.settled()

    def _permit(self, needed: Permission, what: str) -> None:
        permit(self._role, needed, what)
