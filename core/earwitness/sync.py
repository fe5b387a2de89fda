"""The same API without `async`, for scripts and notebooks.

::

    from earwitness.sync import Earwitness

    with Earwitness.open("story.db") as ew:
        story = ew.session("s1", cast=["alice", "bob"])
        outcome = story.say("alice", "Bob, let us find the Sacred Sword!")
        print(outcome.settled().participants)

Every class mirrors the asynchronous one of its name and takes its docstrings. The work is done in a thread with an
event loop of its own, so it goes on where a loop runs already, as in a notebook. Plugins and strategies, plain or
`async`, run in that thread. Exceptions and Ctrl-C come through as they are.
"""

# ruff: noqa: D102 - methods take their docstrings from the asynchronous face, when the class is made

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Self, TypeVar

from .app import Earwitness as AsyncEarwitness
from .backstage.backstage import Backstage as AsyncBackstage
from .backstage.records import Before, Explanation, Overview, Preview, Replanned, Shelf, WhoKnows
from .engine import Engine
from .errors import InputError, NotOpen
from .filters import EVERYTHING, Filter
from .held import OPEN_ALREADY
from .loading.settings import Settings
from .loading.strategies import LoadFailure, Strategies
from .middle.fill import Prompt
from .outcome import Outcome as AsyncOutcome
from .outcome import Settlement
from .preparing import Lore
from .records.character import Cast, Character
from .records.journal import Original
from .records.message import Context, Participant
from .records.plan import Delivery
from .records.state import State
from .records.update import Audience, Update
from .session import Session as AsyncSession
from .start.recalled import Recalled
from .transplant import Seen, unseen
from .turn import Turn as AsyncTurn

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

P = ParamSpec("P")
T = TypeVar("T")


class _Thread:
    """The thread with the event loop, for as long as an instance is open."""

    def __init__(self) -> None:
        self.portal: BlockingPortal | None = None

    def __call__(self, call: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the call gives once it is done. Raises what it raises, and `NotOpen` when nothing is open."""
        if self.portal is None:
            raise NotOpen(
                "this Earwitness is not open. Use it and its sessions in `with Earwitness.open(…) as ew:`, or between "
                "`ew.start()` and `ew.close()`."
            )
        future = self.portal.start_task_soon(partial(call, *args, **kwargs))
        try:
            return future.result()
        finally:
            future.cancel()  # after Ctrl-C nobody waits any more; what is done already cannot be cancelled

    def each(self, items: AsyncIterator[T]) -> Iterator[T]:
        """The items, one after the other."""
        with suppress(StopAsyncIteration):
            while True:
                yield self(items.__anext__)


class _Mirror(Generic[T]):
    """One object of the asynchronous face, and the thread in which it lives."""

    def __init__(self, call: _Thread, behind: T) -> None:
        self._call = call
        self._behind = behind

    def __repr__(self) -> str:
        return repr(self._behind)


def _documented(original: type) -> Callable[[type[T]], type[T]]:
    """Make a class decorator: methods without a docstring of their own take the original's."""

    def decorate(face: type[T]) -> type[T]:
        for name, member in vars(face).items():
            bare = getattr(member, "__func__", member)  # of a class method
            if not name.startswith("_") and not bare.__doc__:
                bare.__doc__ = getattr(original, name).__doc__
        return face

    return decorate


@_documented(AsyncEarwitness)
class Earwitness:
    """An open store of stories. Use it with `with Earwitness.open(…)`, or between `start` and `close`."""

    def __init__(self, behind: AsyncEarwitness) -> None:
        if not isinstance(behind, AsyncEarwitness):
            raise InputError(f"Earwitness({behind!r}) opens nothing: write Earwitness.open({behind!r}).")
        self._behind = behind
        self._call = _Thread()
        self._closing = ExitStack()

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        settings: Settings | Mapping[str, Any] | str | Path | None = None,
        plugins: Iterable[object] | object = (),
        strategies: Mapping[str, Any] | None = None,
        **changes: Any,
    ) -> Self:
        """Wire an instance together; nothing is opened before `with` or `start`. All else is as in the other face."""
        return cls(AsyncEarwitness.open(path, settings=settings, plugins=plugins, strategies=strategies, **changes))

    def __enter__(self) -> Self:
        from anyio.from_thread import start_blocking_portal

        with ExitStack() as opening:
            portal = opening.enter_context(start_blocking_portal())
            opening.enter_context(portal.wrap_async_context_manager(self._behind))
            self._call.portal, self._closing = portal, opening.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._call.portal = None
        if error is not None and not isinstance(error, Exception):
            error = _Interrupted()  # Ctrl-C itself would end the loop before it has closed its files
        self._closing.__exit__(type(error) if error else None, error, traceback)

    def start(self) -> Self:
        if self._call.portal is not None:
            raise InputError(OPEN_ALREADY)
        return self.__enter__()

    def close(self) -> None:
        if self._call.portal is not None:
            self.__exit__(None, None, None)

    @property
    def engine(self) -> Engine:
        """Its parts, which are asynchronous."""
        return self._behind.engine

    @property
    def strategies(self) -> Strategies:
        """The strategies it can make."""
        return self._behind.strategies

    @property
    def failures(self) -> tuple[LoadFailure, ...]:
        """Plugins that could not be loaded."""
        return self._behind.failures

    def session(
        self,
        id: str,
        *,
        cast: Iterable[Character | str] = (),
        state: Mapping[str, Any] | None = None,
        present: Iterable[str] = (),
    ) -> Session:
        return Session(self._call, self._call(self._behind.session, id, cast=cast, state=state, present=present))

    def sessions(self) -> tuple[str, ...]:
        return self._call(self._behind.sessions)

    def open_session(self, id: str) -> Session:
        return Session(self._call, self._call(self._behind.open_session, id))

    def forget(self, session: str) -> None:
        self._call(self._behind.forget, session)

    def import_session(
        self, lines: Iterable[Mapping[str, Any]], *, id: str | None = None, seen: Seen = unseen
    ) -> Session:
        given = list(lines)  # they may come from a session of this thread, which could not ask itself
        return Session(self._call, self._call(self._behind.import_session, given, id=id, seen=seen))


class _Interrupted(Exception):
    """Stands for Ctrl-C and the like."""


@_documented(AsyncSession)
class Session(_Mirror[AsyncSession]):
    """One story. Made by `Earwitness.session`."""

    @property
    def id(self) -> str:
        return self._behind.id

    @property
    def cast(self) -> Cast:
        return self._behind.cast

    @property
    def state(self) -> State:
        return self._behind.state

    def turn(
        self,
        character: str,
        *,
        query: str | None = None,
        in_prompt: Sequence[str] | None = None,
        context: Context = "private_channel",
        **recall: Any,
    ) -> Turn:
        began = self._call(
            self._behind.turn, character, query=query, in_prompt=in_prompt, context=context, **recall
        )  # fmt: skip
        return Turn(self._call, began)

    def say(
        self,
        speaker: str,
        content: str,
        *,
        key: str | None = None,
        present: Iterable[str] | None = None,
        context: Context = "private_channel",
        metadata: Mapping[str, Any] | None = None,
        in_turn: bool = False,
    ) -> Outcome:
        told = self._call(
            self._behind.say, speaker, content,
            key=key, present=present, context=context, metadata=metadata, in_turn=in_turn,
        )  # fmt: skip
        return Outcome(self._call, told)

    def say_all(self, messages: Iterable[Mapping[str, Any]]) -> list[Outcome]:
        return [Outcome(self._call, told) for told in self._call(self._behind.say_all, messages)]

    def edit(
        self, key: str, content: str, *, present: Iterable[str] | None = None, own_key: str | None = None
    ) -> Outcome:
        return Outcome(self._call, self._call(self._behind.edit, key, content, present=present, own_key=own_key))

    def reroll(self, content: str, *, key: str | None = None, own_key: str | None = None) -> Outcome:
        return Outcome(self._call, self._call(self._behind.reroll, content, key=key, own_key=own_key))

    def retract(self, target: str, *, by: str = "author", own_key: str | None = None) -> Outcome:
        return Outcome(self._call, self._call(self._behind.retract, target, by=by, own_key=own_key))

    def change(
        self,
        *,
        description: str | None = None,
        audience: Audience | list[str] = "present",
        updates: Iterable[Update] = (),
        key: str | None = None,
        **changes: Any,
    ) -> Outcome:
        told = self._call(
            self._behind.change, description=description, audience=audience, updates=updates, key=key, **changes
        )
        return Outcome(self._call, told)

    def update(
        self,
        description: str,
        *,
        character: str | None = None,
        type: str | None = None,
        audience: Audience | list[str] = "present",
        key: str | None = None,
        **metadata: Any,
    ) -> Outcome:
        told = self._call(
            self._behind.update, description,
            character=character, type=type, audience=audience, key=key, **metadata,
        )  # fmt: skip
        return Outcome(self._call, told)

    def enter(self, *characters: str, key: str | None = None) -> Outcome:
        return Outcome(self._call, self._call(self._behind.enter, *characters, key=key))

    def leave(self, *characters: str, to: str | None = None, key: str | None = None) -> Outcome:
        return Outcome(self._call, self._call(self._behind.leave, *characters, to=to, key=key))

    def move(self, character: str, place: str, *, key: str | None = None) -> Outcome:
        return Outcome(self._call, self._call(self._behind.move, character, place, key=key))

    def join(self, *members: Character | str, key: str | None = None) -> Outcome:
        return Outcome(self._call, self._call(self._behind.join, *members, key=key))

    def prepare(
        self,
        *,
        plot: str | Mapping[str, str] | None = None,
        cards: Mapping[str, str] | None = None,
        examples: Mapping[str, str | Sequence[str]] | None = None,
        lore: Iterable[Lore | Mapping[str, Any] | str] = (),
        originals: Iterable[Original] = (),
        key: str | None = None,
    ) -> Outcome:
        told = self._call(
            self._behind.prepare,
            plot=plot, cards=cards, examples=examples, lore=lore, originals=originals, key=key,
        )  # fmt: skip
        return Outcome(self._call, told)

    def settled(self) -> None:
        self._call(self._behind.settled)

    def fork(self, id: str, *, at: str | int | None = None, seen: Seen = unseen) -> Session:
        return Session(self._call, self._call(self._behind.fork, id, at=at, seen=seen))

    def forget(self, character: str) -> None:
        self._call(self._behind.forget, character)

    def backstage(self, role: str = "author") -> Backstage:
        return Backstage(self._call, self._behind.backstage(role))


@_documented(AsyncTurn)
class Turn(_Mirror[AsyncTurn]):
    """One character's turn, from recall to saying. Made by `Session.turn`."""

    @property
    def character(self) -> str:
        return self._behind.character

    @property
    def query(self) -> str:
        return self._behind.query

    @property
    def memories(self) -> tuple[Recalled, ...]:
        return self._behind.memories

    @property
    def notes(self) -> tuple[str, ...]:
        return self._behind.notes

    @property
    def pending(self) -> tuple[str, ...]:
        return self._behind.pending

    @property
    def failures(self) -> tuple[str, ...]:
        return self._behind.failures

    def fill(self, prompt: Prompt, memories: Sequence[Recalled] | None = None, **changes: Any) -> Prompt:
        return self._behind.fill(prompt, memories, **changes)

    def text(self, **changes: Any) -> str:
        return self._behind.text(**changes)

    def say(
        self, content: str, *, key: str | None = None, present: Iterable[str] | None = None, **more: Any
    ) -> Outcome:
        return Outcome(self._call, self._call(self._behind.say, content, key=key, present=present, **more))


@_documented(AsyncOutcome)
class Outcome(_Mirror[AsyncOutcome]):
    """What a host holds once an entry is durable. What was decided comes with `settled()`; before, it raises."""

    @property
    def key(self) -> str:
        """The entry's key."""
        return self._behind.key

    @property
    def sequence(self) -> int:
        """Its place in the journal."""
        return self._behind.sequence

    @property
    def created(self) -> bool:
        """False when the key was there already and nothing new was told."""
        return self._behind.created

    def settled(self) -> Settlement:
        return self._call(self._behind.settled)

    @property
    def settlement(self) -> Settlement:
        return self._behind.settlement

    @property
    def participants(self) -> dict[str, Participant]:
        return self._behind.participants

    @property
    def deliveries(self) -> tuple[Delivery, ...]:
        return self._behind.deliveries

    @property
    def degraded(self) -> bool:
        return self._behind.degraded


@_documented(AsyncBackstage)
class Backstage(_Mirror[AsyncBackstage]):
    """The author's view of one session. Made by `Session.backstage`."""

    @property
    def role(self) -> str:
        """Noted with what is done."""
        return self._behind.role

    def who_knows(self, question: str) -> WhoKnows:
        return self._call(self._behind.who_knows, question)

    def explain(self, memory_id: str) -> Explanation:
        return self._call(self._behind.explain, memory_id)

    def preview(
        self, speaker: str, content: str, *, present: Iterable[str] | None = None, context: Context = "private_channel"
    ) -> Preview:
        return self._call(self._behind.preview, speaker, content, present=present, context=context)

    def replan(self, key: str) -> Replanned:
        return self._call(self._behind.replan, key)

    def inspect(
        self, owner: str, *, filter: Filter | str = EVERYTHING, limit: int | None = None, offset: int = 0
    ) -> Shelf:
        return self._call(self._behind.inspect, owner, filter=filter, limit=limit, offset=offset)

    def overview(self) -> Overview:
        return self._call(self._behind.overview)

    def before(self) -> Before:
        return self._call(self._behind.before)

    def retract(self, target: str) -> Outcome:
        return Outcome(self._call, self._call(self._behind.retract, target))

    def export(self) -> Iterator[dict[str, Any]]:
        return self._call.each(self._behind.export())
