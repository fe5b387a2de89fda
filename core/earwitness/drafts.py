"""Drafts: a host's calls as bodies of journal entries, with every argument checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from .containers import Container
from .errors import InputError, about, quoted
from .formats import as_said
from .ids import WORLD, check_shared_id
from .journal import Journal, new_entry
from .live import Live
from .lore import Lore, pieces_of
from .memory_entries import MemoryRef, memory_ids
from .names import NameResolver
from .records.channel import Channel, Context, StandingChannel
from .records.character import Character, as_cast
from .records.derived import Derivation
from .records.journal import Archived, Body, Changed, Derived, NewEntry, Original, Prepared, Revised, Said, Transferred
from .records.memory import Interaction
from .records.state import State
from .records.update import Audience, Update
from .validation.arguments import refuse_slips, several, table, text, texts
from .validation.messages import (
    known_channel,
    message_text,
    refuse_newcomers,
    refuse_place,
    some_channel,
    spoken,
    update_text,
)
from .validation.places import check_place
from .validation.records import check_state, checked, state_keys

Notes: TypeAlias = Mapping[str, Any] | None
"""The host's own notes on a message, by key."""


class Drafts:
    """Makes one session's entries from the host's arguments. Each method raises as the call it serves."""

    def __init__(self, live: Live, names: NameResolver, journal: Journal) -> None:
        self._live = live
        self._names = names
        self._journal = journal

    async def message(
        self,
        speaker: str,
        content: str,
        key: str | None,
        *,
        speak_as: str | None = None,
        present: Iterable[str] | None = None,
        audience: Iterable[str] | None = None,
        place: str | None = None,
        context: Context | None = None,
        channel: Channel | None = None,
        metadata: Mapping[str, Any] | None = None,
        in_turn: bool = False,
    ) -> Said:
        """A message. See `Session.say`."""
        where = known_channel(channel, context)
        refuse_place(place, where)
        id, mask = await self._names.speaker(speaker)
        return checked(
            Said,
            speaker=id,
            speak_as=self._names.mask(id, mask if speak_as is None else speak_as),
            content=message_text(content),
            channel=where,
            present=await self._names.listed("present", present),
            audience=await self._names.listed("audience", audience),
            place=None if place is None else await self.place("place", place, key),
            metadata=dict(table("metadata", metadata)),
            in_turn=in_turn,
        )

    async def messages(self, messages: Iterable[Mapping[str, Any]]) -> list[NewEntry]:
        """Several messages, with their keys. See `Session.say_all`."""
        entries: list[NewEntry] = []
        keyed: dict[str, Body] = {}
        for number, each in enumerate(several("messages", messages)):
            key, given = spoken(number, each)
            with about(f"messages[{number}]"):
                new = new_entry(await self.message(key=key, **given), key)
                if new.key is not None:
                    await self._journal.refuse_conflict(new.key, keyed.setdefault(new.key, new.body), new.body)
            entries.append(new)
        return entries

    async def edit(
        self,
        key: str,
        content: str,
        present: Iterable[str] | None,
        audience: Iterable[str] | None,
        own_key: str | None,
        metadata: Notes,
    ) -> Revised:
        """A corrected message. See `Session.edit`."""
        there, perceive = await self._names.listed("present", present), await self._names.listed("audience", audience)
        if not await self._journal.entry_for_key(own_key):
            named = (*(there or ()), *(perceive or ()))
            refuse_newcomers(named, await self._journal.revisable(key), self._live.snapshot.joined)
        text, notes = message_text(content), dict(table("metadata", metadata))
        return checked(Revised, target=key, content=text, present=there, audience=perceive, metadata=notes)

    async def change(
        self,
        changes: Mapping[str, Any],
        description: str | None,
        updates: Iterable[Update],
        audience: Audience | list[str],
        channel: Channel | None,
    ) -> Changed:
        """A change of the state. See `Session.change`."""
        changes = state_keys(changes)
        refuse_slips("change", {key: value for key, value in changes.items() if key not in State.model_fields})
        facts = changes.pop("facts", {})
        check_state(self._live.snapshot.state, changes)
        if "participants" in changes:
            changes["participants"] = await self._names.ids(*several("participants", changes["participants"]))
        reported = [_with_text(each) for each in several("updates", updates)]
        description = None if description is None else update_text(description)
        if not changes and not reported and not facts and description is None:
            raise InputError(
                "change() was given nothing. Give a state key, as in game_day=6, a description or updates."
            )
        who = await self._names.audience(audience)
        given = {"changes": changes, "facts": facts, "updates": reported, "audience": who}
        return checked(Changed, description=description, channel=some_channel(channel), **given)

    def joining(self, members: Iterable[Character | str]) -> Changed:
        """Newcomers to the cast. See `Session.join`."""
        newcomers = as_cast(members)
        self._live.snapshot.cast.check_newcomers(newcomers)
        return Changed(joins=newcomers.members, quiet=True)

    async def leaving(self, character: str, key: str | None) -> Changed:
        """A character who is forgotten. See `Session.forget`."""
        before = await self._journal.entry_for_key(key)
        if before is not None and isinstance(before.body, Changed) and character in before.body.leaves_cast:
            return before.body
        return Changed(leaves_cast=(await self._names.own_id(character),), quiet=True)

    async def reroll(self, content: str, key: str | None, own_key: str | None, metadata: Notes) -> Revised:
        """Another answer in place of a message. See `Session.reroll`."""
        target = await self._journal.reroll_target(key, own_key)
        notes = dict(table("metadata", metadata))
        return checked(Revised, target=target, content=message_text(content), reroll=True, metadata=notes)

    async def unmasking(
        self,
        character: str,
        name: str | None,
        audience: Audience | list[str],
        description: str | None,
        channel: Channel | None,
    ) -> Changed:
        """An unmasking. See `Session.unmask`."""
        mask = await self._names.found(lambda: self._names.worn(character, name))
        said = None if description is None else update_text(description)
        who = await self._names.audience(audience)
        where = some_channel(channel)
        return checked(Changed, unmasks=(mask,), description=said, audience=who, channel=where, quiet=True)

    async def update(
        self,
        description: str,
        character: str | None,
        type: str | None,
        audience: Audience | list[str],
        channel: Channel | None,
        metadata: Mapping[str, Any],
    ) -> Changed:
        """An update of the world. See `Session.update`."""
        refuse_slips("update", metadata)
        about = await self._names.own_id(character) if character else None
        update = checked(
            Update,
            description=update_text(description),
            type="character_update" if about else "world_state_update",
            update_type=type,
            character=about,
            audience=await self._names.audience(audience),
            metadata=metadata,
        )
        return Changed(updates=(update,), audience=update.audience, channel=some_channel(channel))

    async def moves(
        self,
        characters: Sequence[str],
        kind: Literal["enter", "leave", "move"],
        place: str | None = None,
        key: str | None = None,
    ) -> Changed:
        """Movements by the host's word. See `Session.enter`, `leave` and `move`."""
        to = None if place is None else await self.place("to" if kind == "leave" else "place", place, key)
        ids = await self._names.ids(*characters)
        return Changed(moves=tuple((id, kind, to) for id in ids))

    async def channel(self, channel: Channel, members: Iterable[str], place: str | None, key: str | None) -> Changed:
        """The standing members of a channel. See `Session.channel`."""
        where = known_channel(channel, None)
        if where.channel_id is None:
            raise InputError(f"channel {channel!r} has no channel_id, so nobody could find it again. Give it one.")
        refuse_place(place, where)
        standing = checked(
            StandingChannel,
            context=where.context,
            channel_id=where.channel_id,
            guild_id=where.guild_id,
            members=await self._names.ids(*several("members", members)),
            place=None if place is None else await self.place("place", place, key),
        )
        return Changed(channels=(standing,))

    async def place(self, what: str, place: str, key: str | None) -> str:
        """A place as the host names it. What a repeated call names is not checked again."""
        anew = await self._journal.entry_for_key(key) is None
        return check_place(what, place, self._journal.known_places() if anew else ())

    async def preparation(
        self,
        plot: str | Mapping[str, str] | None,
        cards: Mapping[str, str] | None,
        examples: Mapping[str, str | Sequence[str]] | None,
        lore: Iterable[Lore | Mapping[str, Any] | str],
        originals: Iterable[Original],
    ) -> Prepared:
        """Preparations: knowledge from before the story. See `Session.prepare`."""
        entries, names = several("lore", lore), self._names
        pieces = await names.found(
            lambda: pieces_of(plot, cards, examples, entries, resolve=lambda name: names.member(name).id)
        )
        kept = several("originals", originals)
        if not pieces and not kept:
            raise InputError("prepare() was given nothing. Give plot, cards, examples or lore.")
        return checked(Prepared, pieces=tuple(pieces), originals=kept)

    async def memory(
        self,
        character: str | None,
        content: str,
        type: str,
        container: Container | str | None,
        rests_on: Iterable[MemoryRef],
        knowers: Iterable[str],
        metadata: Mapping[str, Any] | None,
        channel: Channel | None,
        *,
        how: Interaction,
        shared_from: str | None,
        trust: float,
        rule: str,
        identity: str | None,
    ) -> Derived:
        """A memory written by hand. See `Session.remember`."""
        if how == "direct" and shared_from is not None:
            raise InputError(f"shared_from = {shared_from!r} needs how='shared' or how='witnessed'.")
        owner = character if character in {None, WORLD} else await self._names.id(str(character))
        where = some_channel(channel)
        derivation = checked(
            Derivation,
            content=as_said(text("content", content)),
            owner=owner,
            container=container.name if isinstance(container, Container) else container,
            type=type,
            metadata={**table("metadata", metadata), **({} if where is None else where.metadata)},
            rests_on=memory_ids("rests_on", rests_on),
            knowers=tuple(await self._names.ids(*texts("knowers", knowers))),
            rule=text("rule", rule),
            identity=None if identity is None else check_shared_id("identity", text("identity", identity)),
            how=how,
            shared_from=None if shared_from is None else await self._names.id(shared_from),
            trust=trust,
        )
        if derivation.knowers and not derivation.rests_on:
            raise InputError(f"knowers = {list(derivation.knowers)} need rests_on: what they must know.")
        return Derived(derivation=derivation)

    async def derivation(self, given: Derivation) -> Derived:
        """A derived memory as plugins propose them. See `Session.derive`."""
        if not isinstance(given, Derivation):
            raise InputError(f"derive() takes a Derivation, and was given {quoted(given)}.")
        return Derived(derivation=await self._resolved(given))

    async def _resolved(self, given: Derivation) -> Derivation:
        """The derivation with ids for names; so are those to be written instead."""
        names = self._names
        more = {
            "content": as_said(given.content),
            "owner": given.owner if given.owner in {None, WORLD} else await names.id(str(given.owner)),
            "shared_from": None if given.shared_from is None else await names.id(given.shared_from),
            "identity": None if given.identity is None else check_shared_id("identity", given.identity),
            "instead": tuple([await self._resolved(each) for each in given.instead]),
        }
        return given.model_copy(update=more)

    async def transfer(
        self,
        teller: str,
        listener: str,
        memory: MemoryRef,
        content: str | None,
        channel: Channel | None,
        **given: Any,
    ) -> Transferred:
        """A memory passed on. See `Session.tell`."""
        ids = await self._names.ids(teller, listener)
        words = None if content is None else message_text(content)
        (what,) = memory_ids("memory", (memory,))
        fields = {"teller": ids[0], "listener": ids[1], "memory": what, "text": words}
        return checked(Transferred, channel=some_channel(channel), **fields, **given)

    def archiving(self, memories: Iterable[MemoryRef], newer: bool, dropped: str | None) -> Archived:
        """Memories taken out of recall. See `Session.archive`."""
        return checked(Archived, memories=memory_ids("memories", memories), newer=newer, dropped=dropped)

    def restoring(self, memories: Iterable[MemoryRef]) -> Archived:
        """Memories put back. See `Session.restore`."""
        return checked(Archived, memories=memory_ids("memories", memories), restore=True)


def _with_text(update: Any) -> Any:
    """An update with a text that can be told. What is not an update is returned, for the record to refuse."""
    if not isinstance(update, Update):
        return update
    return update.model_copy(update={"description": update_text(update.description)})
