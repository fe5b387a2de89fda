"""Backstage: the view of a session that no character may see. Its answers have types that `fill` refuses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any, Protocol

from .. import by_hand, transfer
from ..containers import Container, character_container, world_container
from ..end.applier import Applier
from ..end.grounds import memories_of, not_had
from ..end.hub_copies import copies_from_hubs
from ..end.message import message_of, said
from ..end.revise import rejudged, settled_message
from ..end.world import World
from ..engine import HOST_CALLS, Engine
from ..errors import InputError, UnknownName, quoted
from ..filters import EVERYTHING, Filter, as_filter
from ..host_calls import note_calls, noted_by
from ..ids import WORLD, check_key, own_key
from ..live import Live
from ..outcome import Outcome
from ..records.channel import Channel, Context
from ..records.character import Cast
from ..records.journal import Entry, Said
from ..records.memory import Hit, Memory
from ..records.message import Message
from ..records.plan import Plan
from ..records.usage import Spending, Usage, calls_of
from ..unmatched import unmatched
from ..validation.arguments import count, several, some_text, text, texts
from ..validation.arguments import days as number_of_days
from ..validation.messages import known_channel, mask_name, message_text, refuse_place
from ..validation.places import check_place
from .before import before
from .costs import Costs, costs
from .explain import explain, explain_own, shared_with
from .knowers import WhoKnows
from .preview import Preview, stops_of
from .records import Before, ContainerPage, Explanation, Overview, Replanned
from .roles import check_role, permit
from .who_knows import who_knows


class BackstageStory(Protocol):
    """The part of a session that backstage needs."""

    @property
    def id(self) -> str:
        """Session id."""
        ...

    @property
    def cast(self) -> Cast:
        """All characters of the session."""
        ...

    async def delivered(self, timeout: float | None = None) -> None:
        """Wait until the store contains everything said so far."""
        ...

    async def retract(self, target: str, *, by: str = "author") -> Outcome:
        """Retract a message, a change or a memory."""
        ...


class Backstage:
    """The author's view of one session, or a player's view of their persona. Created by `Session.backstage`.

    All calls raise `NotPermitted` if the role may not see or do this.
    """

    def __init__(
        self,
        session: BackstageStory,
        engine: Engine,
        live: Live,
        applier: Applier,
        decided: Callable[[], Awaitable[None]],
        role: str,
        persona: str | None,
    ) -> None:
        self._session = session
        self._engine = engine
        self._live = live
        self._applier = applier
        self._decided = decided
        """Waits until everything said so far is decided, whatever the store does."""
        self.persona: str | None = check_role(role, persona, session.cast)
        """The player's persona (character id); `None` for other roles."""
        self.role: str = role
        """The role, which is recorded with retractions."""

    def __repr__(self) -> str:
        return f"<Backstage of {self._live.snapshot.id!r}, role {self.role!r}>"

    async def who_knows(self, question: str) -> WhoKnows:
        """For every character: since when and how they know it, with the memory that proves it; or nothing found."""
        permit(self.role, "read", "ask who knows something")
        text("question", question)
        await self._session.delivered()
        return await who_knows(self._engine, self._live, question)

    async def explain(self, memory_id: str) -> Explanation:
        """How a memory got into its container, hop by hop, and what of it has been told on without arriving.

        For a memory in a shared container that another session wrote, it says only what the metadata keeps. A player
        sees from whom and since when their own persona has it. Raises `UnknownName`.
        """
        permit(self.role, "own", "have a memory explained")
        memory_id = text("memory_id", memory_id)
        await self._session.delivered()
        if self.persona is not None:
            return await explain_own(self._engine, self._session.id, self.persona, memory_id)
        return await explain(self._engine, self._session.id, self._session.cast, memory_id)

    async def preview(
        self,
        speaker: str,
        content: str,
        *,
        speak_as: str | None = None,
        present: Iterable[str] | None = None,
        audience: Iterable[str] | None = None,
        place: str | None = None,
        context: Context | None = None,
        channel: Channel | None = None,
        key: str | None = None,
        days: float = 0,
    ) -> Preview:
        """Show who would learn this if it were said here and now, who would not, and why, as far as sharing rules say.

        Asks the same strategies as END, and writes nothing. `key` is the key that the message would have, by default
        that of the next message without one; the coins of rules with `chance` depend on it. `days` plays forward: also
        who would learn it in turn within so many game days. A player may preview only their own persona's words, and
        sees nothing of others: only what the persona would remember. Raises as `Session.say`.
        """
        self._permit_of(speaker, "preview what others say")
        await self._decided()
        live = self._live
        sequence = live.snapshot.decided + 1
        where = known_channel(channel, context)
        refuse_place(place, where)
        id = self._wearer(speaker)
        body = Said(
            speaker=id,
            speak_as=self._mask(speaker, id, speak_as),
            content=message_text(content),
            channel=where,
            present=self._members("present", present),
            audience=self._members("audience", audience),
            place=None if place is None else check_place("place", place, live.snapshot.state.places),
        )
        own = own_key(sequence) if key is None else check_key(key)
        entry = Entry(session=live.snapshot.id, sequence=sequence, key=own, body=body, timestamp="preview")
        message = message_of(entry, body, live.snapshot)
        world = World.of(self._engine, live, live.snapshot, self._applier, where)
        plan = await said(self._engine, live, message, sequence, world, ahead=number_of_days("days", days))
        return self._previewed(message, plan)

    def _mask(self, speaker: str, id: str, speak_as: str | None) -> str | None:
        """The name that a speaker would be in disguise under: the one given, or the mask that they are named by."""
        known = self._session.cast.called(speaker) or speak_as is not None
        snapshot = self._live.snapshot
        mask = speak_as if known else snapshot.mask_called(speaker, id)
        return mask_name(snapshot.cast, id, mask, snapshot.masks.get(id, ()))

    def _previewed(self, message: Message, plan: Plan) -> Preview:
        participants = plan.message.participants if plan.message else {}
        found = Preview(
            message=message,
            participants=participants,
            heard=plan.message.heard if plan.message else {},
            addressees=plan.message.addressees if plan.message else (),
            deliveries=tuple(plan.deliveries),
            stops=stops_of(plan, participants),
            answers=plan.answers,
            calendar=self._engine.settings.calendar,
        )
        return found if self.persona is None else found.seen_by(self.persona)

    async def replan(self, key: str) -> Replanned:
        """Decide again about a settled message and show the difference. Changes nothing. Raises `UnknownName`."""
        permit(self.role, "read", "replan a message")
        await self._decided()
        settled = await settled_message(self._engine.ledger, self._session.id, key)
        if settled is None:
            raise UnknownName(f"no message has the key {key!r} in session {self._session.id!r}.")
        judged = await rejudged(self._engine, self._live, settled.message, self._applier)
        return Replanned(key=key, recorded=settled.participants, now=judged.settled.participants)

    async def inspect(
        self, owner: str, *, filter: Filter | str = EVERYTHING, limit: int | None = None, offset: int = 0
    ) -> ContainerPage:
        """The contents of a character's container, or of the `world`'s. `filter` may be text, such as `"gameDay<=3"`.

        If nothing matches, `warnings` says which field or text of the filter no memory has. Raises `UnknownName`,
        `InvalidFilter`, `InputError`.
        """
        self._permit_of(owner, "inspect what others or the world remember")
        limit, offset = None if limit is None else count("limit", limit), count("offset", offset)
        await self._session.delivered()
        filter = as_filter(filter)
        container, store = self._container(owner), self._engine.reading_in_time
        total = matching = await store.count(container.name)
        if filter == EVERYTHING:
            memories = await store.list(container.name, limit=limit, offset=offset)
        else:
            found = await store.list(container.name, filter=filter)
            matching, memories = len(found), found[offset : None if limit is None else offset + limit]
        return ContainerPage(
            owner=container.owner,
            container=container.name,
            total=total,
            matching=matching,
            memories=tuple(memories),
            warnings=() if matching else unmatched(filter, await store.list(container.name)),
        )

    async def search(
        self, owner: str, query: str, *, filter: Filter | str = EVERYTHING, limit: int = 10
    ) -> tuple[Hit, ...]:
        """Search a character's container, or the `world`'s, without asking plugins or guards.

        Raises `UnknownName`, `InvalidFilter`, `InputError`.
        """
        self._permit_of(owner, "search what others or the world remember")
        query, limit, filter = text("query", query), count("limit", limit), as_filter(filter)
        await self._session.delivered()
        name = self._container(owner).name
        return tuple(await self._engine.reading_in_time.search(name, query, filter=filter, limit=limit))

    async def overview(self) -> Overview:
        """An overview of the session."""
        permit(self.role, "read", "see the whole session")
        await self._session.delivered()
        owners = [*self._session.cast.ids, WORLD]
        containers = await asyncio.gather(*(self.inspect(owner, limit=0) for owner in owners))
        snapshot = self._live.snapshot
        return Overview(
            session=snapshot.id,
            cast=snapshot.cast,
            state=snapshot.state,
            decided=snapshot.decided,
            containers=tuple(containers),
            parent=snapshot.parent,
            guises=snapshot.guises,
            calendar=self._engine.settings.calendar,
        )

    async def costs(self) -> Costs:
        """What has been asked of models in this session: calls, tokens, time and cost, by who asked and by model.

        A branch has the costs of what it took over, too. Entries that are decided anew, as after an edit, cost again;
        what `preview` and `replan` ask is in no plan, and so not in here. What recalls have asked is, and what the host
        has, by `note_usage`.
        """
        permit(self.role, "read", "see what models cost")
        await self._decided()
        ledger, session = self._engine.ledger, self._session.id
        return costs(await ledger.plans(session), await ledger.data(session, HOST_CALLS))

    async def note_usage(self, by: str, usage: Usage) -> None:
        """Count what the host has asked of a model for this session, such as the one that plays a character.

        `by` says who asked, as in `host:chat`; `costs` shows it. Durable on return. Raises `InputError`.
        """
        permit(self.role, "edit", "note what models cost")
        if not isinstance(usage, Usage):
            raise InputError(f"usage = {quoted(usage)} cannot be used: it must be a Usage.")
        await note_calls(self._engine, self._live, some_text("by", by), calls_of(usage, 0.0))

    async def noted_usage(self, by: str) -> Spending:
        """What `note_usage` has counted for one asker in this session, by all programs. It waits for nothing, so that a
        host may ask before each call whether it may spend more."""
        permit(self.role, "read", "see what models cost")
        return noted_by(await self._engine.ledger.data(self._session.id, HOST_CALLS), by)

    async def before(self) -> Before:
        """The knowledge from before the story, and the files it came from."""
        permit(self.role, "read", "see what was there before the story")
        await self._decided()
        return await before(self._engine, self._session.id, self._session.cast)

    async def journal(self) -> tuple[Entry, ...]:
        """All entries of the journal, in order."""
        permit(self.role, "read", "read the journal")
        await self._decided()
        await self._applier.delivered_if_it_answers()  # entries say whether they are applied
        return tuple(await self._engine.ledger.entries(self._session.id))

    async def find_memories(self, start: str) -> dict[str, str]:
        """Find memories whose id begins with `start`: id → owner. An exact match is returned alone.

        Containers shared with the cast are searched if the session's own memories have no such id.
        """
        permit(self.role, "read", "look up memories")
        await self._decided()
        ledger, session = self._engine.ledger, self._session.id
        exact = await ledger.deliveries(session, memory_ids=[start], limit=1)
        found = exact or [each for each in await ledger.deliveries(session) if each.memory_id.startswith(start)]
        if found:
            return {each.memory_id: each.owner for each in found}
        await self._session.delivered()
        written = await by_hand.hand_written(self._engine.reading_in_time, session, self._session.cast)
        if begun := {each.id: who for who, ours in written.items() for each in ours if each.id.startswith(start)}:
            return begun
        shared = [
            await self._engine.reading_in_time.list(name) for name in await shared_with(ledger, self._session.cast)
        ]
        return {each.id: each.container for memories in shared for each in memories if each.id.startswith(start)}

    async def grounds(self, *names: str) -> dict[str, str | None]:
        """What may rest on these memory ids and keys: each with the id of the memory that stands for it now, or `None`
        if it was retracted. A key stands for its message as it now reads. What the story does not have is left out."""
        permit(self.role, "read", "look up memories")
        return await memories_of(self._engine.ledger, self._session.id, texts("names", names))

    async def unknown_to(self, character: str, *names: str) -> tuple[str, ...]:
        """Those of these memory ids and keys that a character does not know: they have no memory of them, and read none
        in a hub. Raises `UnknownName`."""
        permit(self.role, "read", "look up memories")
        who, given = self._session.cast.named(character).id, texts("names", names)
        lacking = await not_had(self._engine.ledger, self._session.id, who, given)
        read = [bool(await copies_from_hubs(self._engine, self._live, who, each, 0)) for each in lacking]
        return tuple(each for each, is_read in zip(lacking, read, strict=True) if not is_read)

    async def disguised_in(self, *memories: str) -> dict[str, frozenset[str]]:
        """Memory id → ids of those whom its owner knows in it only under a mask. Memories without any are left out."""
        permit(self.role, "read", "look up memories")
        ids = texts("memories", memories)
        held = await self._engine.ledger.deliveries(self._session.id, memory_ids=ids) if ids else ()
        found: dict[str, frozenset[str]] = {}
        for each in held:
            if each.is_kept and each.disguises:
                found[each.memory_id] = found.get(each.memory_id, frozenset()) | each.disguises.keys()
        return found

    async def hand_written(self) -> tuple[Memory, ...]:
        """What people wrote or changed in the files of the store, which no export holds; empty for other stores."""
        permit(self.role, "read", "see what was written by hand")
        await self._session.delivered()
        found = await by_hand.hand_written(self._engine.reading_in_time, self._session.id, self._session.cast)
        return tuple(each for memories in found.values() for each in memories)

    async def retract(self, target: str) -> Outcome:
        """Retract a message or change (by key) or one memory (by id). The role is recorded."""
        permit(self.role, "edit", "retract anything")
        return await self._session.retract(target, by=self.role)

    async def export(self) -> AsyncIterator[dict[str, Any]]:
        """The whole session as JSON-ready lines, which `Earwitness.import_session` accepts.

        What people wrote in the files of the store is in no entry: a warning is logged then; see `hand_written`.
        """
        permit(self.role, "read", "export the session")
        await self._decided()
        await self._applier.delivered_if_it_answers()  # entries say whether they are applied
        await by_hand.warn_exporter(self._engine.reading_in_time, self._session.id, self._session.cast)
        async for line in transfer.exported(self._engine, self._session.id):
            yield line

    def _permit_of(self, owner: str, what: str) -> None:
        own = self.persona is not None and owner != WORLD and self._is_own(owner)
        permit(self.role, "own" if own else "read", what)

    def _container(self, owner: str) -> Container:
        if owner == WORLD:
            return world_container(self._session.id)
        return character_container(self._session.id, self._wearer(owner, WORLD))

    def _members(self, what: str, names: Iterable[str] | None) -> tuple[str, ...] | None:
        return None if names is None else tuple(self._wearer(each) for each in several(what, names))

    def _is_own(self, name: str) -> bool:
        """Whether this can only be the player's persona. A player never learns whether anybody has another name."""
        return [each.id for each in self._session.cast.called(name)] == [self.persona]

    def _wearer(self, name: str, *besides: str) -> str:
        """The id of a character, who may also be named by a mask, except by a player: that would give them away."""
        if self.persona is None:
            return self._live.snapshot.wearer(name) or self._session.cast.named(name, *besides).id
        if (meant := self._session.cast.resolve(name)) is None:
            raise UnknownName(f"unknown character {name!r}.")  # a list would tell who else there is
        return meant.id
