"""Replays scenes through END: the roster becomes a cast, and the lines become messages in a session of their own.

Keys are the lines' places in the scene, so that a second run changes nothing and an interrupted one goes on.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from earwitness.app import Earwitness
from earwitness.errors import InputError
from earwitness.formats import as_said
from earwitness.imports import Scene, SceneLine
from earwitness.outcome import Outcome, Settlement
from earwitness.patterns import lazy_pattern
from earwitness.records.base import Record
from earwitness.records.channel import Channel
from earwitness.records.character import Cast
from earwitness.session import Session

from .roles import Roles

WINDOW = 256
AT_ONCE = 4
THERE = "there"
"""The end of the key under which those who are there from a scene's first line on enter a story that goes on."""
_MESSAGE = lazy_pattern(r"messages\[(\d+)\]:? ")
"""How an error of `say_all` begins."""


class ReplayedLine(Record):
    """One replayed message."""

    session: str
    """Session id."""
    key: str
    """The message's key."""
    speaker: str
    """Character id."""
    text: str
    """What was said."""
    heard: tuple[str, ...]
    """Ids of those who perceived it."""
    addressees: tuple[str, ...] = ()
    """Ids of those of them who are spoken to, the most certain first."""
    new: bool
    """Whether the session did not have it before."""
    failures: tuple[str, ...] = ()
    """Plugins and strategies that failed, and why."""


class ReplayedScene(Record):
    """One replayed scene."""

    session: str
    """Session id."""
    names: dict[str, str]
    """Character id → name as written."""
    lines: tuple[ReplayedLine, ...]
    """Every message, in order."""

    @property
    def new(self) -> int:
        """Number of messages that the session did not have before."""
        return sum(line.new for line in self.lines)

    @property
    def heard(self) -> dict[str, int]:
        """Character id → how many messages they perceived."""
        return dict(Counter(id for line in self.lines for id in line.heard))


async def replay_all(
    ew: Earwitness,
    scenes: Iterable[tuple[str, Scene]],
    *,
    gold: bool = False,
    seen: Callable[[ReplayedLine], None] = lambda line: None,
    done: Callable[[ReplayedScene], None] = lambda replayed: None,
) -> None:
    """Replay scenes into the sessions named with them, a few at a time. `done` is called for each, in order."""
    turnstile = asyncio.Semaphore(AT_ONCE)

    async def one(session: str, scene: Scene) -> ReplayedScene:
        async with turnstile:
            return await replay(ew, scene, session, gold=gold, seen=seen)

    async with asyncio.TaskGroup() as group:
        for task in [group.create_task(one(session, scene)) for session, scene in scenes]:
            done(await task)


async def replay(
    ew: Earwitness,
    scene: Scene,
    session: str,
    *,
    gold: bool = False,
    cast: Cast | None = None,
    prefix: str = "",
    seen: Callable[[ReplayedLine], None] = lambda line: None,
) -> ReplayedScene:
    """Replay a scene through END. With `gold`, what the source says of who is present, and who perceives a line, counts
    as the host's word.

    In a session with other messages, `cast` is who is in it, and `prefix` keeps the keys apart.

    Many messages are told at once, and settled before the next are told.
    """
    roles = Roles(scene, cast or Cast())
    story = await ew.session(session, cast=roles.cast(), present=roles.there_at_first(scene))
    await _enter(story, roles.there_at_first(scene), scene, prefix)
    lines: list[ReplayedLine] = []
    for window in windows(spoken(scene), WINDOW):
        with _naming_the_line(scene, window):
            outcomes = await story.say_all(
                {"key": f"{prefix}{line.key or number}", **_as_said(line, roles, scene.channel, gold=gold)}
                for number, line in window
            )
        for (_, line), outcome in zip(window, outcomes, strict=True):
            lines.append(_line(session, roles.speaker(line), line, outcome, await outcome.settled()))
            seen(lines[-1])
    return ReplayedScene(session=session, names={id: name for name, id in roles.by_name.items()}, lines=tuple(lines))


async def refuse_other_story(ew: Earwitness, session: str, scene: Scene) -> None:
    """Raise `InputError` if the session has messages already, and the scene's first line is none of them."""
    first = next((line.key or str(number) for number, line in spoken(scene)), None)
    if first is None or session not in await ew.sessions():
        return
    story = await ew.open_session(session)
    if story.state.message_count and not await story.has(first):
        raise InputError(
            f"the story {session!r} is there already, and is not this transcript. Choose another id with --session, "
            f"or go on with it: earwitness import FILE --into {session}"
        )


def place_of(scene: Scene, line: SceneLine) -> str:
    """`talk, line 7`: where a line is in its file, as an error says it."""
    return scene.id if line.line is None else f"{scene.id}, line {line.line}"


@contextmanager
def _naming_the_line(scene: Scene, window: Sequence[tuple[int, SceneLine]]) -> Iterator[None]:
    """Errors of several messages told at once name the line in place of the message's number among them."""
    try:
        yield
    except InputError as error:
        if not (found := _MESSAGE.match(str(error))):
            raise
        _, line = window[int(found[1])]
        raise type(error)(f"{place_of(scene, line)}: {str(error)[found.end() :]}") from error


async def _enter(story: Session, there: Sequence[str], scene: Scene, prefix: str) -> None:
    """Bring those who are there from the first line on into a story that was going on before this scene."""
    missing = [id for id in there if id not in story.state.here]
    first = next((line.key or str(number) for number, line in spoken(scene)), None)
    if not missing or first is None:
        return
    if not await story.has(f"{prefix}{first}"):
        await story.enter(*missing, key=f"{prefix}{THERE}")


def _as_said(line: SceneLine, roles: Roles, channel: Channel, *, gold: bool) -> dict[str, Any]:
    """A line as `say` takes it; who is there and who perceives it only with `gold`, or where the line is certain of it.

    A direct message has no place.
    """
    where = line.channel or channel
    word: dict[str, Any] = {"present": roles.ids(line.present), "audience": roles.ids(line.audience)}
    place = None if where.context == "dm" else line.place
    said = {"speaker": roles.speaker(line), "content": line.text, "speak_as": line.speak_as}
    return {**said, "channel": where, "place": place, **(word if gold or line.certain else {})}


def _line(session: str, speaker: str, line: SceneLine, outcome: Outcome, settled: Settlement) -> ReplayedLine:
    return ReplayedLine(
        session=session,
        key=outcome.key,
        speaker=speaker,
        text=line.text,
        new=outcome.created,
        heard=tuple(settled.participants),
        addressees=settled.addressees,
        failures=tuple(f"{failed.by}: {failed.failure}" for failed in settled.failures),
    )


def spoken(scene: Scene) -> Iterator[tuple[int, SceneLine]]:
    """The lines that say something, with their index in the scene. A model's bare reasoning says nothing."""
    return ((number, line) for number, line in enumerate(scene.lines) if as_said(line.text).strip())


def windows(lines: Iterable[tuple[int, SceneLine]], size: int) -> Iterator[Sequence[tuple[int, SceneLine]]]:
    """The lines in groups of `size`."""
    rest = iter(lines)
    return iter(lambda: tuple(islice(rest, size)), ())
