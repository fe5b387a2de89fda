"""Replaying a scene through END: its roster becomes a cast, its lines become messages, in their own session.

Keys are the lines' places in the scene, so that a second run changes nothing and an interrupted one goes on.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from earwitness.app import Earwitness
from earwitness.ids import MAX_ID, WORLD
from earwitness.importing import Scene, SceneLine
from earwitness.outcome import Outcome, Settlement
from earwitness.records.base import Record
from earwitness.records.character import Cast, Character, Kind

WINDOW = 256
AT_ONCE = 4
NARRATOR = "narrator"


class Line(Record):
    """One message as it went."""

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
    new: bool
    """It was not there before."""
    failures: tuple[str, ...] = ()
    """What failed, by name."""


class Replayed(Record):
    """One scene as it went."""

    session: str
    """Session id."""
    names: dict[str, str]
    """Character id → name as written."""
    lines: tuple[Line, ...]
    """Every message, in order."""

    @property
    def new(self) -> int:
        """How many messages were not there before."""
        return sum(line.new for line in self.lines)

    @property
    def heard(self) -> dict[str, int]:
        """Character id → how many messages they perceived."""
        return dict(Counter(id for line in self.lines for id in line.heard))


class Roles:
    """Who in a scene is who in the session."""

    def __init__(self, scene: Scene, cast: Cast) -> None:
        """`cast`: of the session, if there is one; whoever is in it under a name plays that part."""
        self._cast = cast
        self._kinds: dict[str, Kind] = dict.fromkeys(scene.personas, "persona")
        self.by_name: dict[str, str] = {}
        for name in dict.fromkeys((*scene.roster, *(line.speaker for line in scene.lines if line.speaker))):
            known = _called(name, cast)
            self.by_name[name] = known.id if known else self._free(character_id(name))
        told = next((each.id for each in cast if each.kind == "narrator"), None) or self._free(NARRATOR)
        self.narrator = told if any(line.speaker is None for line in scene.lines) else ""

    def _free(self, id: str) -> str:
        return distinct((*self._cast.ids, *self.by_name.values(), id))[-1]

    def cast(self) -> list[Character]:
        """Those who are not in the session's cast yet, the narrator last."""
        told = [Character(id, name=name, kind=self._kinds.get(name, "character")) for name, id in self.by_name.items()]
        everybody = [*told, Character(self.narrator, kind="narrator")] if self.narrator else told
        return [each for each in everybody if each.id not in self._cast]

    def speaker(self, line: SceneLine) -> str:
        """Character id of whoever says it."""
        return self.narrator if line.speaker is None else self.by_name[line.speaker]

    def present(self, line: SceneLine) -> tuple[str, ...] | None:
        """Ids of those the source says perceive it."""
        return (
            None if line.present is None else tuple(self.by_name[name] for name in line.present if name in self.by_name)
        )


async def replay_all(
    ew: Earwitness,
    scenes: Iterable[tuple[str, Scene]],
    *,
    gold: bool = False,
    seen: Callable[[Line], None] = lambda line: None,
    done: Callable[[Replayed], None] = lambda replayed: None,
) -> None:
    """Replay scenes into the sessions named with them, a few at a time; `done` is told of them in order."""
    turnstile = asyncio.Semaphore(AT_ONCE)

    async def one(session: str, scene: Scene) -> Replayed:
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
    seen: Callable[[Line], None] = lambda line: None,
) -> Replayed:
    """Run a scene through END. `gold`: the source's word on who is present is taken for the host's.

    In a session with other messages, `cast` is who is in it, and `prefix` keeps the keys apart.

    Many messages are told at once, and settled before the next are told.
    """
    roles = Roles(scene, cast or Cast())
    story = await ew.session(session, cast=roles.cast())
    lines: list[Line] = []
    for window in windows(_spoken(scene), WINDOW):
        told = await story.say_all(
            {
                "speaker": roles.speaker(line),
                "content": line.text,
                "key": f"{prefix}{line.key or number}",
                "present": roles.present(line) if gold else None,
            }
            for number, line in window
        )
        for (_, line), outcome in zip(window, told, strict=True):
            lines.append(_line(session, roles.speaker(line), line, outcome, await outcome.settled()))
            seen(lines[-1])
    return Replayed(session=session, names={id: name for name, id in roles.by_name.items()}, lines=tuple(lines))


def _called(name: str, cast: Cast) -> Character | None:
    return next((each for each in cast if each.name == name), None) or cast.resolve(name)


def _line(session: str, speaker: str, line: SceneLine, outcome: Outcome, settled: Settlement) -> Line:
    return Line(
        session=session, key=outcome.key, speaker=speaker, text=line.text, new=outcome.created,
        heard=tuple(settled.participants),
        failures=tuple(f"{failed.by}: {failed.failure}" for failed in settled.failures),
    )  # fmt: skip


def _spoken(scene: Scene) -> Iterator[tuple[int, SceneLine]]:
    """The lines that say something, with their place in the scene."""
    return ((number, line) for number, line in enumerate(scene.lines) if line.text.strip())


def windows(lines: Iterable[tuple[int, SceneLine]], size: int) -> Iterator[Sequence[tuple[int, SceneLine]]]:
    """The lines, so many at a time."""
    rest = iter(lines)
    return iter(lambda: tuple(islice(rest, size)), ())


# ── ids for names as written ────────────────────────────────────────────────────────────────────────────────────────


def session_id(name: str) -> str:
    """A session id from a scene's: letters, digits, `.`, `_` and `-`."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-")[:MAX_ID] or "scene"


def character_id(name: str) -> str:
    """A character id from a name as written: `Lady Capulet` → `lady_capulet`."""
    id = re.sub(r"[\W_]+", "_", name.casefold()).strip("_")[: MAX_ID - 10] or "somebody"
    return f"{id}_" if id == WORLD else id


def distinct(ids: Iterable[str]) -> list[str]:
    """The ids in order, a later one that was there already with a number behind it."""
    found: dict[str, None] = {}
    for id in ids:
        found[_free(id, found)] = None
    return list(found)


def _free(id: str, taken: Mapping[str, None]) -> str:
    number = 1
    while (name := id if number == 1 else f"{id}_{number}") in taken:
        number += 1
    return name
