"""`story.canon`: memories written by hand into any scope, the story's bubbles, and what becomes of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, get_args

from earwitness import Channel, Container, Earwitness, Memory, Outcome, Session
from earwitness.containers import EVERYBODY, global_canon_container, persona_container, user_container
from earwitness.errors import InputError, NotPermitted, NotYetApplied, UnknownName, unknown
from earwitness.validation.arguments import text as checked_text
from earwitness.validation.arguments import texts

from ..bubble_mark import FACTS, mark_of
from ..pantheons.permissions import Actor, actor
from .bubbles import check_table, ended, is_begun, link_of, links
from .kept import number_kept, put_back, reconciliations, refuse_inherited, take_back
from .permissions import may_decide, may_write
from .publication import PUBLIC, WORDS
from .reconciler import BubbleReconciler, admitted
from .records import BubbleLink, KeepAs, Mode, Reconciliation, Scope, Undone


class Canon:
    """What is true of the characters of a story, beyond it and within it."""

    def __init__(self, story: Session, ew: Earwitness, who: Actor | None = None) -> None:
        self._story = story
        self._ew = ew
        self._acting_for = who
        self._who = who or Actor(role="author")
        self._reconciler = BubbleReconciler(story, ew)

    def acting(self, *, role: str, user: str | None = None) -> Canon:
        """The same on behalf of somebody, whose permissions are checked: `acting(role="player", user="u7")`.

        Raises `UnknownName` for an unknown role, and `InputError` for a player without a user.
        """
        return Canon(self._story, self._ew, actor(role, user))

    async def add(
        self,
        content: str,
        *,
        scope: Scope,
        character: str | None = None,
        persona: str | None = None,
        user: str | None = None,
        role: str | None = None,
        type: str = "fact",
        channel: Channel | None = None,
        metadata: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> Outcome:
        """Write a memory by hand into a scope.

        `global`: who a `character` is, in all stories; only an `owner` may. `personal`: what it knows of a `persona`
        (a persona id, or the character who is it), in all their stories. `session`: what it knows in this story.
        `user`: what every character knows of a `user`. `channel` is where it counts as learned, for privacy. `role` is
        `author` by default; nothing overrides that of `acting`. Retract it by its key or id. Raises `NotPermitted`,
        `UnknownName`, and `InputError` for a scope without its owner, and in a bubble for any but `session`.
        """
        check_table(self._ew)
        who = self._acting(role)
        may_write(who, scope, self._user_of(scope, persona, user))
        _refuse_beyond(self._story, scope)
        await self._refuse_ended()
        if scope == "global" and channel is not None and channel.context != PUBLIC:
            raise InputError(f"global canon is known everywhere: it cannot be learned in {WORDS[channel.context]}.")
        given: dict[str, Any] = {**_where(channel), **(metadata or {}), "canon_scope": scope}
        if scope == "session":
            return await self._story.remember(
                _named(character, "character", scope), content, type=type, metadata=given, key=key
            )
        container, reader = self._container(scope, character, persona, user)
        await admitted(self._ew, container, reader)
        return await self._story.remember(None, content, container=container, type=type, metadata=given, key=key)

    async def bubbles(self) -> tuple[BubbleLink, ...]:
        """The bubbles of the story, in the order they were begun."""
        await self._refreshed()
        return tuple([await self._present(link_of(self._story, name)) for name in links(self._story)])

    async def _present(self, link: BubbleLink) -> BubbleLink:
        """The link; `gone` if its session is, or belongs to the story that this one branched off."""
        there = link.id in await self._ew.sessions()
        begun = there and is_begun(self._story, await self._ew.open_session(link.id))
        return link if begun else link.model_copy(update={"status": "gone"})

    async def memories(self, character: str) -> dict[str, tuple[Memory, ...]]:
        """What a character knows beyond the story, by container, and in its bubbles, by the bubble's name.

        A player sees what is about their own user and personas, and bubbles in which nobody else plays.
        """
        member = self._story.cast.named(character)
        cast = [each for each in self._story.cast if self._who.edits or each.user_id == self._who.user]
        wanted = [global_canon_container(member.personality_id)]
        wanted += [persona_container(each.persona_id, member.personality_id) for each in cast if each.persona_id]
        wanted += [user_container(each) for each in dict.fromkeys(each.user_id for each in cast) if each]
        store = self._ew.engine.reading
        found = {each.name: tuple(await store.list(each.name)) for each in wanted}
        for link in await self.bubbles():
            if link.status != "gone" and await self._sees(link):
                found[link.name] = await self._reconciler.memories(link, member.id)
        return found

    async def _sees(self, link: BubbleLink) -> bool:
        with suppress(NotPermitted):
            await self._permitted(None, link)
            return True
        return False

    async def end(self, bubble: str, *, role: str | None = None) -> Outcome:
        """End a bubble. Its memories stay in it until they are reconciled. Raises `UnknownName`, `NotPermitted`."""
        link = await self._link(bubble)
        await self._permitted(role, link)
        if link.status != "open":
            raise InputError(f"bubble {bubble!r} is {link.status} already.")
        ended = await self._story.change(facts={FACTS: [{"ended": bubble}]})
        await ended.decided()
        return ended

    async def reconcile(
        self,
        bubble: str,
        *,
        keep_as: KeepAs,
        mode: Mode = "append",
        only: Iterable[str] | Mapping[str, str] | None = None,
        publish: bool = False,
        role: str | None = None,
        dry_run: bool = True,
    ) -> Reconciliation:
        """What becomes of a bubble that has ended. A dry run, unless you say `dry_run=False`.

        `keep_as` `personal` or `global` canon, or `discard` them all: they stay in the bubble, unread. `append` puts
        conflicting versions side by side; `replace` takes the old ones out of recall, and `undo` puts them back.
        `only` names memories by id, or gives each other words (`""` = its own); with it, more may be kept of a bubble
        that was kept in part. Global canon is known everywhere: what was learned in private is withheld from it unless
        you `publish` it, and what was learned under a persona unless the persona's user allows that, too
        (`story.privacy.loosen(…, asked="public_channel", sayable=True)`). Raises `UnknownName`, `NotPermitted`, and
        `InputError` for an open bubble, and for one that is to be discarded while an earlier reconciliation stands.
        """
        _refuse_strange("keep_as", keep_as, get_args(KeepAs))
        _refuse_strange("mode", mode, get_args(Mode))
        number = await self._free(bubble)
        link = await self._link(bubble)
        await self._permitted(role, link, keep_as)
        if link.status != "ended" and not (link.status == "kept" and only is not None):
            what = "still open: end it first" if link.status == "open" else f"{link.status} already: undo that first"
            raise InputError(f"bubble {bubble!r} is {what}.")
        if keep_as == "discard":
            await self._refuse_kept(bubble)
        words = None if only is None else _words(only)
        planned = await self._reconciler.planned(link, keep_as, mode, words, publish=publish)
        return planned if dry_run else await self._reconciler.apply(planned, number)

    async def undo(self, bubble: str, *, role: str | None = None) -> Undone:
        """Take back what was done with a bubble last: what was kept goes, what was replaced returns.

        Who may do it may undo it, even after the bubble's session was forgotten. Raises `UnknownName`, `NotPermitted`,
        and `InputError` if nothing was done with it, or only in the story that this one branched off.
        """
        await self._refreshed()
        link = await self._present(link_of(self._story, bubble))
        key, fact = self._done(bubble)
        await self._permitted(role, link, fact.get("keep_as"))
        if key is None:
            raise InputError(f"bubble {bubble!r} is {link.status}: there is nothing to undo.")
        await refuse_inherited(self._story, self._ew, bubble, key)
        gone = await take_back(self._story, self._ew, fact.get("keys", ()))
        back = await put_back(self._ew, fact.get("replaced", ()))
        await (await self._story.retract(key)).decided()
        await self._story.delivered()
        kept = await number_kept(self._story, self._ew, bubble)
        return Undone(bubble=bubble, keep_as=fact["keep_as"], key=key, gone=gone, kept=kept, **back._asdict())

    async def _refuse_ended(self) -> None:
        """Raise `InputError` in a bubble that has ended: what was written now would never be reconciled."""
        mark = mark_of(self._story.state)
        if mark is None or mark.bubble_of not in await self._ew.sessions():
            return
        status = links(await self._ew.open_session(mark.bubble_of)).get(mark.bubble, "open")
        if status != "open":
            raise ended(mark.bubble)

    async def _refuse_kept(self, bubble: str) -> None:
        """Raise `InputError` for a bubble of which something is still known outside."""
        if kept := await number_kept(self._story, self._ew, bubble):
            still = "1 memory is" if kept == 1 else f"{kept} memories are"
            raise InputError(f"bubble {bubble!r} was kept before, and {still} still recalled: undo that first.")

    async def _refreshed(self) -> None:
        """Wait for what was reported so far, in other processes, too. The store may be away."""
        with suppress(NotYetApplied):
            await self._story.settled()

    async def _link(self, bubble: str) -> BubbleLink:
        """A bubble as it stands now. Raises `UnknownName`."""
        await self._refreshed()
        link = link_of(self._story, bubble)
        if (await self._present(link)).status == "gone":
            raise InputError(f"bubble {bubble!r} is gone: there is no session {link.id!r}.")
        return link

    def _acting(self, role: str | None) -> Actor:
        """Who asks. Raises `NotPermitted` for another role than that of `acting`."""
        if self._acting_for is not None and role not in {None, self._acting_for.role}:
            raise NotPermitted(f"this acts as {self._acting_for.role!r}, and cannot act as {role!r} as well.")
        return self._who if role is None else actor(role, self._who.user)

    async def _permitted(self, role: str | None, link: BubbleLink, keep_as: KeepAs | None = None) -> None:
        """Raise `NotPermitted` if somebody may not decide about a bubble."""
        who = self._acting(role)
        played = self._story if link.status == "gone" else await self._ew.open_session(link.id)
        may_decide(who, link.name, played.cast, keep_as)

    def _user_of(self, scope: Scope, persona: str | None, user: str | None) -> str | None:
        """The user whom something in a scope is about."""
        if scope == "personal":
            wanted = self._persona(_named(persona, "persona", scope))
            return next((each.user_id for each in self._story.cast if each.persona_id == wanted), None)
        return user

    async def _free(self, bubble: str) -> int:
        number = 1
        while await self._story.has(f"canon-{bubble}-{number}"):
            number += 1
        return number

    def _done(self, bubble: str) -> tuple[str | None, Mapping[str, Any]]:
        """The key and the fact of what was done with a bubble last."""
        return next(iter(reconciliations(self._story, bubble)), (None, {}))

    def _container(
        self, scope: Scope, character: str | None, persona: str | None, user: str | None
    ) -> tuple[Container, str]:
        """The container of a scope, and who reads it."""
        if scope == "user":
            return user_container(_named(user, "user", scope)), EVERYBODY
        personality = self._story.cast.named(_named(character, "character", scope)).personality_id
        if scope == "global":
            return global_canon_container(personality), personality
        return persona_container(self._persona(_named(persona, "persona", scope)), personality), personality

    def _persona(self, name: str) -> str:
        """A persona id of the cast, by itself or by the character who is it. Raises `UnknownName`."""
        ids = {each.persona_id for each in self._story.cast if each.persona_id}
        if name in ids:
            return name
        found = self._story.cast.resolve(name)
        if found is None or found.persona_id is None:
            raise UnknownName(
                f"nobody in this story has the persona {name!r}. Its personas: {', '.join(sorted(ids)) or 'none'}."
            )
        return found.persona_id


def _words(only: Iterable[str] | Mapping[str, str]) -> Mapping[str, str]:
    """The memories to keep, each in the words given, or `""`. Raises `InputError` for none, and for no text."""
    chosen = only if isinstance(only, Mapping) else dict.fromkeys(texts("only", only), "")
    if not chosen:
        raise InputError(f"only = {only!r} names no memory of the bubble. Name some, or leave it out to keep all.")
    for id, words in chosen.items():
        if checked_text(f"only[{id!r}]", words) and not words.strip():
            raise InputError(f"only[{id!r}] = {words!r} is blank. Give other words, or '' for its own.")
    return chosen


def _refuse_strange(what: str, given: str, known: tuple[str, ...]) -> None:
    """Raise `UnknownName` for a word that an argument does not take."""
    if given not in known:
        raise unknown(what, given, known)


def _refuse_beyond(story: Session, scope: Scope) -> None:
    """Raise `InputError` in a bubble for what would outlive it."""
    mark = mark_of(story.state)
    if mark is not None and scope != "session":
        raise InputError(
            f"what happens in a bubble stays in it: write {scope} canon in story {mark.bubble_of!r}, or "
            "session canon here."
        )


def _where(channel: Channel | None) -> dict[str, Any]:
    """Metadata of where it counts as learned."""
    if channel is None:
        return {}
    ids = {"channel_id": channel.channel_id, "guild_id": channel.guild_id, "persona_id": channel.persona_id}
    return {"context_type": channel.context, **{key: id for key, id in ids.items() if id is not None}}


def _named(given: str | None, what: str, scope: Scope) -> str:
    if given is None:
        raise InputError(f"{scope} canon needs its {what}: give {what}='…'.")
    return given
