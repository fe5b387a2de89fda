"""Where changes of relations and pantheons are looked up and written: the graph of all stories, or one story."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from functools import wraps
from typing import Any, NamedTuple, Protocol, TypeVar, cast

import anyio
from pydantic import JsonValue

from earwitness import Cast, Earwitness, Outcome, Session
from earwitness.containers import pantheon_container
from earwitness.errors import InputError, NotYetApplied
from earwitness.records.state import IF_RETRACTED

from ..graph.records import Fact
from ..graph.view import GraphView
from ..model import PACKAGE, RelationshipsModel
from ..rules.book import book_of
from ..rules.records import RuleBook
from ..settings import RelationshipsSettings

Receipt = TypeVar("Receipt")
"""What a write returns: the version of the graph, or an outcome."""
Receipt_co = TypeVar("Receipt_co", covariant=True)
Method = TypeVar("Method", bound=Callable[..., Coroutine[Any, Any, Any]])
"""A method that looks up and writes at `self._desk`."""
DEFAULT_FILE = "earwitness.db"


class RulesNow(NamedTuple):
    """What holds before a change."""

    file: RuleBook
    """What the rule file says."""
    graph: GraphView
    """The graph."""
    book: RuleBook
    """The rules in force: the file's, with what the graph says of pantheons on top."""
    today: float | None
    """The game day; `None` = no day in particular, since all stories have days of their own."""
    messages: int = 0
    """How many messages the story has had; 0 for all stories."""
    cast: Cast | None = None
    """Who is in the story; `None` for all stories."""

    @property
    def moment(self) -> dict[str, JsonValue]:
        """The point after which somebody joins who is made a member now: in a story, or of the graph of all stories."""
        if self.today is None:
            return {"version": self.graph.version}
        return {"messages": self.messages, "day": self.today}


class Desk(Protocol[Receipt_co]):
    """Where changes are looked up and written."""

    @property
    def turn(self) -> anyio.Lock:
        """What a task holds from looking up until its change is written."""
        ...

    async def standing(self) -> RulesNow:
        """What holds now. Raises `StorageError`."""
        ...

    async def has_hub(self, slug: str) -> bool:
        """Whether a pantheon of this name has a hub, or had one. Raises `StorageError`."""
        ...

    async def write(self, facts: Sequence[Fact], key: str | None, if_retracted: Sequence[Fact] = ()) -> Receipt_co:
        """Write the facts, all or none. `key` makes a repeated call one; `if_retracted` are the facts that hold instead
        once the change is retracted. Raises `StorageError`."""
        ...


def in_turn(change: Method) -> Method:
    """The same change, once those of other tasks are written: each is checked against what the others have done."""

    @wraps(change)
    async def alone(self: Any, *args: Any, **given: Any) -> Any:
        async with self._desk.turn:
            return await change(self, *args, **given)

    return cast("Method", alone)


class EveryStory:
    """The graph of all stories."""

    def __init__(self, ew: Earwitness) -> None:
        self._ew, self._model = ew, model_of(ew)

    @property
    def turn(self) -> anyio.Lock:
        """That of the graph of all stories."""
        return self._model.turn(None)

    async def standing(self) -> RulesNow:
        """What holds now."""
        await self._model.open()
        view = await self._model.view()
        return RulesNow(self._model.file, view, book_of(self._model.file, view), None)

    async def has_hub(self, slug: str) -> bool:
        """Whether its container is registered."""
        return await _has_hub(self._ew, slug)

    async def write(self, facts: Sequence[Fact], key: str | None, if_retracted: Sequence[Fact] = ()) -> int:
        """Write the facts, and return the new version of the graph. A key is not needed: facts that are so already
        change nothing. Nothing is retracted here."""
        await self._model.open()
        return await self._model.write(facts)


class OneStory:
    """The graph of one story: that of all stories, with what its journal says on top."""

    def __init__(self, story: Session, ew: Earwitness) -> None:
        self._story = story
        self._ew, self._model = ew, model_of(ew)

    @property
    def turn(self) -> anyio.Lock:
        """That of the story."""
        return self._model.turn(self._story.id)

    async def standing(self) -> RulesNow:
        """What holds in the story now, once what was told before is decided."""
        await self._model.open()
        with suppress(NotYetApplied):  # the store may be away
            await self._story.settled()
        state = self._story.state
        picture = await self._model.picture(self._story.id, state)
        cast = self._story.cast
        return RulesNow(self._model.file, picture.graph, picture.book, state.game_day, state.message_count, cast)

    async def has_hub(self, slug: str) -> bool:
        """Whether its container is registered."""
        return await _has_hub(self._ew, slug)

    async def write(self, facts: Sequence[Fact], key: str | None, if_retracted: Sequence[Fact] = ()) -> Outcome:
        """Write the facts as an entry of the journal, and return it once it is decided: `retract` takes it back."""
        given = {PACKAGE: _noted(facts), **({f"{PACKAGE}{IF_RETRACTED}": _noted(if_retracted)} if if_retracted else {})}
        outcome = await self._story.change(facts=given, key=key)
        await outcome.settled()
        return outcome


async def _has_hub(ew: Earwitness, slug: str) -> bool:
    return bool(await ew.engine.ledger.claimed([pantheon_container(slug).name]))


def _noted(facts: Sequence[Fact]) -> list[JsonValue]:
    return [each.model_dump(mode="json", exclude_defaults=True) for each in facts]


def model_of(ew: Earwitness) -> RelationshipsModel:
    """What the instance shares. Raises `InputError` without the settings table `[relationships]`."""
    if not any(type(value) is RelationshipsSettings for _, value in ew.settings):
        raise InputError("relationships need the settings table [relationships]; it may be empty.")
    path = ew.settings.path or DEFAULT_FILE
    return RelationshipsModel.shared(ew.settings, ew.resources, ew.strategies, path)
