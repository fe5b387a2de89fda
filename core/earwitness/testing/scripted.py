"""Scripted strategies: they follow the text, so that tests of the promises need no plugin and read like a scene.

`ByScript` reads from the text who hears it: `The key is under the mat. (heard by bob, carol)`. A part of a message can
have its own audience: `Good evening. {to bob: The key is under the mat.}`.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import anyio

from ..events import (
    PlanEvent,
    ReadEvent,
    ReadProviderEvent,
    ReadRequest,
    RecallAnswer,
    RecallEvent,
    Share,
    SharingEvent,
    Strike,
    WorldAgentEvent,
    WorldAnswer,
    WorldView,
)
from ..filters import EVERYTHING, Filter
from ..hooks import Plugin
from ..records.moment import Moment, Movement, Perceived, Presence, Segment
from ..records.update import Knowledge

_HEARD = re.compile(r"\(heard by ([^)]*)\)")
_ASIDE = re.compile(r"\{(to|ooc|thinks) ?([^:}]*): ([^}]*)\}")
_MOVED = re.compile(r"\((\w+) (enter|leave)s\)")


class ByScript:
    """A detector: `(heard by bob, carol)` names the perceivers, otherwise everybody here; `(bob leaves)` moves him.

    `{to bob: …}` is a whisper within the message, `{thinks: …}` a thought, and `{ooc: …}` is out of character. A
    character who is only named in the text is `mentioned` and perceives nothing. `asked` are the texts it was asked
    about.
    """

    def __init__(self) -> None:
        self.asked: list[str] = []

    def detect(self, moment: Moment) -> Presence:
        """Read the script."""
        text = moment.message.content
        self.asked.append(text)
        named = {id: Perceived(probability=0.1, role="mentioned") for id in moment.cast.ids if id in text.casefold()}
        hears = Perceived(probability=0.9, role="present", evidence=("the script says so",))
        heard = _HEARD.search(text)
        there = [each.strip() for each in heard[1].split(",")] if heard else moment.state.here
        heard_by = {**named, **{id: hears for id in there if id}}
        return Presence(characters=heard_by, movements=tuple(_moves(text)), segments=tuple(_segments(text)))


def _moves(text: str) -> Iterable[Movement]:
    for who, how in _MOVED.findall(text):
        yield Movement(character=who, kind=how, evidence="the script says so")


def _segments(text: str) -> Iterable[Segment]:
    if not _ASIDE.search(text):
        return
    for part in filter(str.strip, re.split(r"(\{[^}]*\})", text)):
        aside = _ASIDE.fullmatch(part)
        if aside is None:
            yield Segment(text=part, kind="spoken")
        elif aside[1] == "ooc":
            yield Segment(text=aside[3], kind="ooc")
        elif aside[1] == "thinks":
            yield Segment(text=aside[3], kind="thought", audience=())
        else:
            yield Segment(text=aside[3], kind="whisper", audience=tuple(re.findall(r"\w+", aside[2])))


class Crier:
    """A World Agent: tells everybody present all the news they may know, each item citing itself."""

    async def propose(self, event: WorldAgentEvent) -> WorldAnswer:
        """Read the news."""
        there = [id for id, who in event.presence.characters.items() if who.probability >= 0.5]
        return WorldAnswer(knowledge={id: await _news(event.world, id) for id in there})


async def _news(world: WorldView, character: str) -> tuple[Knowledge, ...]:
    return tuple(Knowledge(text=item.body, cites=(item.memory_id,)) for item in await world.news(character))


class Gossip:
    """A sharing rule: says who tells whom everything they perceive, hop by hop, each hop `delay` game days later."""

    def __init__(self, tells: Mapping[str, Sequence[str]], *, delay: float = 0) -> None:
        self.tells = tells
        self.delay = delay

    def share(self, event: SharingEvent) -> Iterable[Share]:
        """A share for everybody reached, each from the first teller who reaches them."""
        hops = dict.fromkeys(event.message.participants, 0)
        for teller in (queue := list(hops)):
            for listener in self.tells.get(teller, ()):
                if listener not in hops:
                    hops[listener] = hops[teller] + 1
                    queue.append(listener)
                if hops[listener] > hops[teller]:
                    due = event.message.message.game_day + hops[listener] * self.delay
                    yield Share(character=listener, shared_from=teller, rule="gossip", due=due)


class Retold:
    """A sharing rule: the same shares for every message, whoever perceived it."""

    def __init__(self, *shares: Share) -> None:
        self.shares = shares

    def share(self, event: SharingEvent) -> Iterable[Share]:
        """The given shares."""
        return self.shares


class Only:
    """A guard: readers see only memories that match the filter, and the named owners get no delivery."""

    def __init__(self, filter: Filter = EVERYTHING, *, strikes: Sequence[str] = ()) -> None:
        self.seen = filter
        self.strikes = strikes

    def filter(self, event: ReadEvent) -> Filter:
        """The given filter."""
        return self.seen

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        """A strike of every delivery to the named owners."""
        struck = [each for each in event.plan.deliveries if each.owner in self.strikes]
        return [Strike(delivery_id=each.id, reason="not for them") for each in struck]


class Reads:
    """A read provider: the same requests for every recall. `asked` are the events it received."""

    def __init__(self, *requests: ReadRequest) -> None:
        self.requests = requests
        self.asked: list[ReadProviderEvent] = []

    def reads(self, event: ReadProviderEvent) -> Iterable[ReadRequest]:
        """The given requests."""
        self.asked.append(event)
        return self.requests


class Adds(Plugin):
    """A plugin that adds the given ids to every recall."""

    def __init__(self) -> None:
        self.ids: tuple[str, ...] = ()

    def on_recall(self, event: RecallEvent) -> RecallAnswer:
        """Add them all, with weight."""
        return RecallAnswer(add=self.ids, weights=dict.fromkeys(self.ids, 10.0))


class Faulty:
    """Any object with some methods or parts replaced; the others work as before.

    It shares no transaction, which would pass by the replaced methods; nor does `put_new` pass by a replaced `put`.
    """

    def __init__(self, inner: object, **replaced: Any) -> None:
        self._inner = inner
        self._replaced = replaced

    def __getattr__(self, name: str) -> Any:
        if name in {"prepared", "record_applied"}:
            raise AttributeError(name)
        if name == "put_new" and "put" in self._replaced:
            return self._replaced["put"]
        return self._replaced.get(name) or getattr(self._inner, name)


# ── misbehaving third-party code ────────────────────────────────────────────────────────────────────────────────────


def breaks(*asked: object, **more: object) -> Any:
    """Raise at once."""
    raise RuntimeError("the model is on fire")


async def breaks_later(*asked: object, **more: object) -> Any:
    """Raise when awaited."""
    raise RuntimeError("the model is on fire")


async def hangs(*asked: object, **more: object) -> Any:
    """Never answer."""
    await anyio.sleep_forever()


async def gives_up(*asked: object, **more: object) -> Any:
    """Cancel itself, as a client library does when its own task group fails."""
    raise anyio.get_cancelled_exc_class()


class Panic(BaseException):
    """What an extension written in another language raises: no `Exception`."""


def panics(*asked: object, **more: object) -> Any:
    """Raise what is not an `Exception`, at once."""
    raise Panic("index out of bounds")


async def panics_later(*asked: object, **more: object) -> Any:
    """Raise what is not an `Exception`, when awaited."""
    raise Panic("index out of bounds")


async def never_ends(*asked: object, **more: object) -> Any:
    """Never answer, and swallow every cancellation."""
    while True:
        with suppress(anyio.get_cancelled_exc_class()):
            await anyio.sleep(0.001)


def answers_nonsense(*asked: object, **more: object) -> Any:
    """Answer with another type."""
    return 42


def says_nothing(*asked: object, **more: object) -> Any:
    """Answer nothing."""
    return None


FAULTS: tuple[Callable[..., Any | Awaitable[Any]], ...] = (
    breaks,
    breaks_later,
    hangs,
    gives_up,
    panics,
    panics_later,
    never_ends,
    answers_nonsense,
    says_nothing,
)
"""Every way in which a strategy may fail."""


class ScriptedStrategy:
    """A detector, World Agent, sharing rule, guard or read provider whose every method is this function."""

    def __init__(self, does: Callable[..., Any]) -> None:
        self.detect = self.propose = self.share = self.filter = self.strike = self.reads = does
