"""`story.bubble("vampire-au")`: a session of its own, linked to its story. Nothing leaks from one into the other.

The link is noted in both journals. The guard of `[relationships]` keeps the wall where containers outlive sessions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from time import time
from typing import Any, NoReturn, get_args

from earwitness import Earwitness, Outcome, Session, Turn
from earwitness.errors import InputError, NotYetApplied, unknown
from earwitness.ids import check_new_session_id, check_shared_id

from ..bubble_mark import FACTS, BubbleMark, HubsThen, KnownInside, mark_of
from ..model import PACKAGE
from .cards import prepare_as
from .channels import seat_as
from .kept import begun
from .records import BubbleLink, BubbleStatus, KeepAs, Mode, Reconciliation

SHARED_STATE = ("game_day", "current_scene", "time_of_day", "place_names")
"""Keys of the state that a bubble begins with."""
_REPORTED = ("say_all", "reroll", "change", "update", "unmask", "enter", "leave", "move", "join", "channel")
_WRITTEN = ("remember", "derive", "tell", "close_conversation", "prepare")
CARRIES_ON = frozenset((*_REPORTED, *_WRITTEN))
"""What carries a story on."""


class Bubble:
    """An open bubble. Whatever a story can do, it can do: `await bubble.say(…)`.

    Once it has ended, it can still be read and corrected. What carries a story on raises `InputError`.
    """

    def __init__(self, session: Session, story: Session, link: BubbleLink) -> None:
        self.session = session
        """The bubble's session."""
        self._story = story
        self.link = link
        """Its name, session id and status."""

    def __repr__(self) -> str:
        return f"<Bubble {self.link.name!r} of {self._story.id!r}>"

    def __getattr__(self, name: str) -> Any:
        return self._over if name in CARRIES_ON and self._has_ended() else getattr(self.session, name)

    def _has_ended(self) -> bool:
        return links(self._story).get(self.link.name) != "open"

    async def _over(self, *_: Any, **__: Any) -> NoReturn:
        """Raise `InputError`: what happened now would never be reconciled."""
        raise ended(self.link.name)

    async def turn(self, character: str, **given: Any) -> Turn:
        """As `Session.turn`; what is said in the turn is said in the bubble, and refused once that has ended."""
        return (await self.session.turn(character, **given)).through(self)

    async def say(self, speaker: str, content: str, **given: Any) -> Outcome:
        """As `Session.say`. Raises `InputError` once the bubble has ended."""
        if self._has_ended():
            await self._over()
        return await self.session.say(speaker, content, **given)

    async def end(
        self, *, keep_as: KeepAs | None = None, mode: Mode = "append", publish: bool = False, role: str | None = None
    ) -> Reconciliation | None:
        """End the bubble. With `keep_as`, reconcile it at once; without, `story.canon.reconcile` may do so later."""
        canon = self._story.canon
        await canon.end(self.link.name, role=role)
        if keep_as is None:
            return None
        done: Reconciliation = await canon.reconcile(
            self.link.name, keep_as=keep_as, mode=mode, publish=publish, role=role, dry_run=False
        )
        return done


class Bubbles:
    """Begins and resumes the bubbles of a story: `await story.bubble("vampire-au")`."""

    def __init__(self, story: Session, ew: Earwitness) -> None:
        self._story = story
        self._ew = ew

    async def __call__(self, name: str, *, knows: Iterable[KnownInside] = ("cards", "global")) -> Bubble:
        """Begin a bubble, or go on with it, with the story's cast and day.

        `knows` is what of ordinary life is known in it: the `cards`, lore, plot and examples of the story, and `global`
        canon (both by default), `personal` canon, what is known about `users`, `pantheons`, and everything from the
        `story` so far. What it knows is settled when it begins.
        Raises `InvalidId`, `InputError` without a table `[relationships]`, in a bubble, or for what nobody can know.
        """
        check_table(self._ew)
        check_shared_id("bubble", name)
        if mark_of(self._story.state) is not None:
            raise InputError(f"story {self._story.id!r} is a bubble itself. Begin {name!r} in the story it belongs to.")
        known = _checked(knows)
        id = check_new_session_id(bubble_id(self._story, name))
        with suppress(NotYetApplied):
            await self._story.settled()  # another process may have begun or ended it
        await self._refuse_a_session_of_this_name(name, id)
        if links(self._story).get(name) != "open":
            await (await self._story.change(facts={FACTS: [{"bubble": name}]})).decided()
        session = await self._opened(id, known)
        if mark_of(session.state) is None:
            await self._furnish(session, name, known)
        return Bubble(session, self._story, BubbleLink(name=name, id=id))

    async def session(self, name: str) -> Session:
        """The session of a bubble that was begun before, open or ended. Raises `UnknownName`, and `InputError` for a
        session that only has such an id."""
        found = await self._ew.open_session(link_of(self._story, name).id)
        if not is_begun(self._story, found):
            raise _stranger(name, self._story, found)
        await self._refuse_another_storys(name, found)
        return found

    async def _furnish(self, session: Session, name: str, known: tuple[KnownInside, ...]) -> None:
        """Give a new bubble what its story has at its beginning, and mark it as a bubble."""
        noted: list[Any] = []
        if "story" not in known:  # else it is a branch, and has all of it
            noted = [*self._story.state.facts_of(PACKAGE)]
            await seat_as(self._story, session)
            if "cards" in known:
                await prepare_as(self._ew, self._story, session)
        hubs = await self._hubs(len(noted)) if "pantheons" in known and "story" not in known else None
        mark = BubbleMark(
            bubble_of=self._story.id, bubble=name, begun=await begun(self._story, self._ew), knows=known, hubs=hubs
        ).model_dump(mode="json", exclude_defaults=True)
        facts = {FACTS: [mark], **({PACKAGE: noted} if noted else {})}
        await (await session.change(facts=facts, key="canon-mark")).decided()

    async def _hubs(self, facts: int) -> HubsThen | None:
        """What a bubble that begins now knows of its story's hubs."""
        then = await self._ew.engine.ledger.load(self._story.id)
        if then is None:
            return None
        joined = {id: then.joined.get(id, 0) for id in self._story.cast.ids}
        return HubsThen(entry=then.decided, day=then.state.game_day, time=time(), facts=facts, joined=joined)

    async def _refuse_a_session_of_this_name(self, name: str, id: str) -> None:
        """Raise `InputError` for a session that has the id of this bubble, and is none of the story's."""
        if id not in await self._ew.sessions():
            return
        found = await self._ew.open_session(id)
        if not is_begun(self._story, found) and name not in links(self._story):
            raise _stranger(name, self._story, found)
        await self._refuse_another_storys(name, found)

    async def _refuse_another_storys(self, name: str, session: Session) -> None:
        """Raise `InputError` for the bubble of an earlier story of the same id, which was forgotten."""
        mark = mark_of(session.state)
        if mark is None or mark.begun == await begun(self._story, self._ew):
            return
        if mark.begun is not None or name not in links(self._story):
            raise InputError(
                f"{session.id!r} is a bubble of an earlier story {self._story.id!r}. Forget it first, with "
                f"forget({session.id!r}), or choose another name."
            )

    async def _opened(self, id: str, known: tuple[KnownInside, ...]) -> Session:
        if id in await self._ew.sessions():
            return await self._ew.open_session(id)
        if "story" in known:
            return await self._story.fork(id)
        values = self._story.state.model_dump(mode="json", include=set(SHARED_STATE), exclude_none=True)
        return await self._ew.session(id, cast=self._story.cast.members, state=values)


def is_begun(story: Session, session: Session) -> bool:
    """Whether a session has begun as a bubble. Its id alone makes it none."""
    return session.id.startswith(f"{story.id}~") and mark_of(session.state) is not None


def _stranger(name: str, story: Session, session: Session) -> InputError:
    return InputError(
        f"there is a session {session.id!r} that is not a bubble of story {story.id!r}. Choose another name than "
        f"{name!r} for the bubble."
    )


def ended(name: str) -> InputError:
    """The error for what would carry on a bubble that has ended."""
    return InputError(f"bubble {name!r} has ended. To go on with it, open it again with story.bubble({name!r}).")


def check_table(ew: Earwitness) -> None:
    """Raise `InputError` without a table `[relationships]`, because nothing would guard the walls then."""
    if getattr(ew.settings, "relationships", None) is None:
        raise InputError(
            "canon needs a table [relationships] in the settings: that line in earwitness.toml is enough. In Python: "
            "Earwitness.open(…, relationships={})."
        )


def bubble_id(story: Session, name: str) -> str:
    """The session id of a bubble."""
    return f"{story.id}~{name}"


async def without_bubbles(ew: Earwitness) -> list[str]:
    """Ids of all sessions that are not bubbles of another one."""
    sessions = await ew.sessions()
    inside = {id for id in sessions if "~" in id and any(id.startswith(f"{other}~") for other in sessions)}
    marked = [id for id in inside if mark_of((await ew.open_session(id)).state) is not None]
    return [id for id in sessions if id not in marked]


def links(story: Session) -> dict[str, BubbleStatus]:
    """Name → status of every bubble of a story, as its journal says. A bubble itself has none."""
    found: dict[str, BubbleStatus] = {}
    if mark_of(story.state) is not None:
        return found
    for fact in story.state.facts_of(FACTS):
        if not isinstance(fact, Mapping):
            continue
        if "bubble" in fact and "bubble_of" not in fact:
            found[str(fact["bubble"])] = "open"
        elif "ended" in fact:
            found[str(fact["ended"])] = "ended"
        elif "reconciled" in fact:
            found[str(fact["reconciled"])] = "discarded" if fact.get("keep_as") == "discard" else "kept"
    return found


def link_of(story: Session, name: str) -> BubbleLink:
    """A bubble of the story. Raises `UnknownName`."""
    known = links(story)
    if name not in known:
        raise unknown("bubble", name, known)
    return BubbleLink(name=name, id=bubble_id(story, name), status=known[name])


def _checked(knows: Iterable[KnownInside]) -> tuple[KnownInside, ...]:
    known = tuple(dict.fromkeys(knows))
    if wrong := next((each for each in known if each not in get_args(KnownInside)), None):
        raise InputError(f"knows: {wrong!r} is not one of {', '.join(get_args(KnownInside))}.")
    return known
