"""What becomes of the memories of a bubble: worked out first, then noted in the story, then done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from earwitness import Container, Earwitness, Memory, Session
from earwitness.containers import global_canon_container, persona_container
from earwitness.errors import InputError, KeyConflict, unknown

from ..bubble_mark import FACTS
from ..personas.lived import RECONCILED
from ..privacy.loosenings import loosenings
from .bubbles import link_of, links
from .kept import kept_before
from .provenance import chain_of
from .publication import Publication
from .reconciliation import candidates, kept, members_of, passed_over
from .records import BubbleLink, KeepAs, KeptMemory, Mode, Reconciliation


class BubbleReconciler:
    """Keeps memories of a story's bubbles as canon, or discards them. Permissions are checked by `Canon`."""

    def __init__(self, story: Session, ew: Earwitness) -> None:
        self._story = story
        self._ew = ew

    async def planned(
        self, link: BubbleLink, keep_as: KeepAs, mode: Mode, only: Mapping[str, str] | None, *, publish: bool
    ) -> Reconciliation:
        """What would become of each memory of a bubble. Raises `UnknownName` for an id in `only` that is not there."""
        bubble = await self._ew.open_session(link.id)
        await bubble.delivered()
        await self._story.delivered()  # what a persona's user has just allowed counts
        memories = {each.id: await self._new_in(link, each.id) for each in members_of(bubble.cast)}
        _refuse_unknown(only, memories)
        found = candidates(bubble.cast, memories, keep_as, only)
        names = dict.fromkeys(each.container.name for each in found)
        there = {name: await self._ew.engine.reading.list(name) for name in names}
        allowed = (*loosenings(self._story.state), *loosenings(bubble.state))
        publication = Publication(publish, bubble.cast, allowed)
        left, why = passed_over(bubble.cast, memories, keep_as)
        before = await kept_before(self._story, self._ew, links(self._story))
        planned = tuple(kept(found, there, link.name, keep_as, mode, publication, before))
        stays = (await self._replaced(planned))[1]
        given: dict[str, Any] = {"keep_as": keep_as, "mode": mode, "memories": planned, "stays": tuple(stays)}
        return Reconciliation(bubble=link.name, passed_over=left, why=why, **given)

    async def _new_in(self, link: BubbleLink, character: str) -> tuple[Memory, ...]:
        """What a character has come to know in a bubble: not what was there before it."""
        ledger, new = self._ew.engine.ledger, [e for e in await self.memories(link, character) if not e.permanent]
        found = await ledger.load(link.id)
        if found is None or found.forked_at is None:
            return tuple(new)
        deliveries = await ledger.deliveries(link.id, memory_ids=[each.id for each in new])
        since = {each.memory_id for each in deliveries if each.sequence > found.forked_at}
        return tuple([each for each in new if each.id in since])

    async def memories(self, link: BubbleLink, character: str) -> tuple[Memory, ...]:
        """All that a character remembers in a bubble."""
        return tuple(await self._ew.engine.reading.list(f"{link.id}-{character}"))

    async def apply(self, planned: Reconciliation, number: int) -> Reconciliation:
        """Note what will be done, so that it can be undone; then do it. Raises `InputError` if somebody else has."""
        new = [each for each in planned.memories if each.action not in {"skip", "withhold"}]
        replaced, _ = await self._replaced(new)
        key = f"canon-{planned.bubble}-{number}"
        keys = [f"{key}/{at}" for at in range(len(new))]
        fact = {"reconciled": planned.bubble, "keep_as": planned.keep_as, "keys": keys, "replaced": replaced}
        await self._note(planned.bubble, fact, key)
        bubble = await self._ew.open_session(link_of(self._story, planned.bubble).id)
        first = {**(await kept_before(self._story, self._ew, links(self._story))).identities}
        for own_key, each in zip(keys, new, strict=True):
            said = (each.container, each.text.casefold())
            if each.action != "support":  # what says it elsewhere is out of recall
                first[said] = own_key
            await self._write(bubble, each, own_key, first.setdefault(said, own_key))
        for session, memory in replaced:  # last, so that nothing is missing if the process dies before
            await (await self._ew.open_session(session)).archive(memory)
        await self._story.delivered()
        return planned.model_copy(update={"key": key})

    async def _note(self, bubble: str, fact: dict[str, Any], key: str) -> None:
        with suppress(KeyConflict):
            noted = await self._story.change(facts={FACTS: [fact]}, key=key)
            if noted.created:
                await noted.decided()
                return
        raise InputError(f"bubble {bubble!r} was reconciled by somebody else just now. Look at it again.")

    async def _write(self, bubble: Session, each: KeptMemory, key: str, identity: str) -> None:
        """Write it down as the character knows it: a teller whom the story does not know is somebody. What says the
        same has one identity."""
        member = self._story.cast.by_id.get(each.character)
        personality = member.personality_id if member else each.character
        container = self._of_name(each, str(each.metadata.get("personalityId", personality)))
        await admitted(self._ew, container, str(each.metadata.get("personalityId", personality)))
        teller = each.shared_from if each.shared_from in self._story.cast else None
        chain, trust = await self._provenance(bubble, each)
        known: dict[str, Any] = {"how": each.how, "shared_from": teller, "trust": trust, "identity": identity}
        metadata = {**each.metadata, **({"chain": chain} if chain else {})}
        await self._story.remember(
            None, each.text, container=container, type=RECONCILED, metadata=metadata, key=key, **known
        )

    async def _provenance(self, bubble: Session, each: KeptMemory) -> tuple[list[str], float]:
        """Who told whom, when, by which rule and how sure, the last hop first; and how far it is believed."""
        if each.how == "direct":
            return [], 1.0
        explained = await bubble.backstage("owner").explain(each.memory_id)
        return chain_of(explained)

    def _of_name(self, each: KeptMemory, personality: str) -> Container:
        if each.metadata.get("canonScope") == "global":
            return global_canon_container(personality)
        persona = each.container.removeprefix("persona-").removesuffix(f"-{personality}")
        return persona_container(persona, personality)

    async def _replaced(self, new: Sequence[KeptMemory]) -> tuple[list[list[str]], list[str]]:
        """Session and id of the old versions to take out of recall; and those whose session is gone."""
        sessions = set(await self._ew.sessions())
        replaced: list[list[str]] = []
        stays: list[str] = []
        for each in new:
            if each.action != "replace":
                continue
            for memory in await self._ew.engine.reading.get(each.container, each.versions):
                session = str(memory.metadata.get("sessionId"))
                if session not in sessions:
                    stays.append(memory.id)
                elif [session, memory.id] not in replaced:
                    replaced.append([session, memory.id])
        return replaced, stays


async def admitted(ew: Earwitness, container: Container, reader: str) -> None:
    """Register a container, and admit its reader, unless both were done."""
    await ew.register(container)
    if not await ew.memberships(container=container, member=reader):
        await ew.admit(container, reader)


def _refuse_unknown(only: Iterable[str] | None, memories: Mapping[str, Sequence[Memory]]) -> None:
    """Raise `UnknownName` for an id that no memory of a bubble has."""
    known = {each.id for held in memories.values() for each in held}
    for id in only or ():
        if id not in known:
            raise unknown("memory of the bubble", id, sorted(known))
