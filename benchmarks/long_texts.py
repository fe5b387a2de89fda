"""How long does a hostile text of 64 KB keep everything else in the process waiting?

Each text of `kit/hostile.py` is said, recalled for, searched for, asked about and previewed in a story of its own. Two
numbers are taken: `held_ms`, the most CPU time that one step of the event loop took, without the garbage collector, and
`pause_ms`, the longest time in which the loop ran nothing else, with what other threads, other programs and the garbage
collector took of it.
"""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import click
from kit import hostile
from kit.options import output
from kit.report import Report, Table, Target, at_most, bars

from earwitness.app import Earwitness
from earwitness.session import Session

MOST_MS = 50.0
BEAT = 0.002
SAID_BEFORE = 40
COLUMNS = ("held_ms", "pause_ms", "by")


class LoopWatch:
    """Measures, while it is entered, how long the event loop is held; milliseconds."""

    def __init__(self) -> None:
        self.held = 0.0
        self.pause = 0.0
        self._ended = False
        self._thread = threading.get_ident()
        self._collected = 0.0
        self._collects_since = 0.0

    def __enter__(self) -> None:
        watch, run = self, asyncio.Handle._run  # noqa: SLF001 - asyncio has no public place for a clock
        self._run = run

        def timed(handle: asyncio.Handle) -> None:
            began = watch._worked()
            run(handle)
            if not watch._ended:  # the step in which the watch ends goes on with other work
                watch.held = max(watch.held, 1000 * (watch._worked() - began))

        asyncio.Handle._run = timed  # type: ignore[method-assign]  # noqa: SLF001
        gc.callbacks.append(self._note_collection)
        self._beating = asyncio.ensure_future(self._beat())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ended = True
        self._beating.cancel()
        gc.callbacks.remove(self._note_collection)
        asyncio.Handle._run = self._run  # type: ignore[method-assign]  # noqa: SLF001

    def _worked(self) -> float:
        """The CPU time of this thread without the garbage collector, in seconds."""
        return time.thread_time() - self._collected

    def _note_collection(self, phase: str, info: Mapping[str, int]) -> None:
        """Count what the garbage collector takes on the loop's thread."""
        if threading.get_ident() != self._thread:
            return
        if phase == "start":
            self._collects_since = time.thread_time()
        else:
            self._collected += time.thread_time() - self._collects_since

    async def _beat(self) -> None:
        last = time.perf_counter()
        while True:
            await asyncio.sleep(BEAT)
            now = time.perf_counter()
            self.pause, last = max(self.pause, 1000 * (now - last - BEAT)), now


@click.command(help=__doc__)
@output
@click.option("--size", default=64_000, show_default=True, help="Bytes of each text.")
@click.option("--only", multiple=True, type=click.Choice(list(hostile.texts(0))), help="Try only these texts.")
def main(as_json: bool, plot: Path | None, size: int, only: Sequence[str]) -> None:
    """Try each text, report."""
    texts = {name: text for name, text in hostile.texts(size).items() if not only or name in only}
    asyncio.run(_measured("The sword."))  # what is imported and read at its first use
    found = {name: asyncio.run(_measured(text)) for name, text in texts.items()}
    _report(size, found).show(as_json=as_json, plot=plot)


async def _measured(text: str) -> Mapping[str, LoopWatch]:
    """Operation → what it did to the loop."""
    found: dict[str, LoopWatch] = {}
    async with Earwitness.open(":memory:") as ew:
        story = await ew.session("s1", cast=["alice", "bob", "charlie"], present=["alice", "bob"])
        await story.say_all({"speaker": "bob", "content": f"This is the sword number {n}."} for n in range(SAID_BEFORE))
        await story.delivered()
        for name, operation in _operations(story, text).items():
            found[name] = watch = LoopWatch()
            with watch, suppress(ValueError):  # what Earwitness refuses took time all the same
                await asyncio.sleep(2 * BEAT)
                await operation
                await asyncio.sleep(2 * BEAT)
    return found


def _operations(story: Session, text: str) -> Mapping[str, Awaitable[Any]]:
    backstage = story.backstage()
    return {
        "turn(query=)": story.turn("alice", query=text),
        "search": backstage.search("alice", text),
        "say, settled": _settled(story, text),
        "turn": story.turn("alice"),
        "turn.fill": _filled(story, text),
        "who_knows of it": backstage.who_knows(text),
        "who_knows": backstage.who_knows("the sword number 7"),
        "preview": backstage.preview("alice", text),
        "remember, tell": _played(story, text),
        "change": _changed(story, text),
    }


async def _settled(story: Session, text: str) -> None:
    await (await story.say("bob", text, key="long")).settled()


async def _filled(story: Session, text: str) -> None:
    turn = await story.turn("alice")
    turn.fill(f"You are Alice. ###SUPERMEMORY###\nBob: {text}")
    turn.text()


async def _played(story: Session, text: str) -> None:
    await (await story.remember("alice", text)).settled()
    await (await story.tell("alice", "charlie", "long")).settled()


async def _changed(story: Session, text: str) -> None:
    await (await story.change(quest=text, description=text)).settled()


def _report(size: int, found: Mapping[str, Mapping[str, LoopWatch]]) -> Report:
    rows = [[name, *_worst(watches)] for name, watches in found.items()]
    rows.sort(key=lambda row: -row[1])
    results = {
        name: {by: {"held_ms": each.held, "pause_ms": each.pause} for by, each in watches.items()}
        for name, watches in found.items()
    }
    title = f"The longest hold of the event loop, texts of {size:,} bytes"
    draw = bars(title, "ms", {row[0]: row[1] for row in rows})
    return Report("long_texts", {"texts": results}, [Table(title, ["", *COLUMNS], rows)], draw, _targets(rows))


def _worst(watches: Mapping[str, LoopWatch]) -> tuple[float, float, str]:
    by = max(watches, key=lambda name: watches[name].held)
    return watches[by].held, max(each.pause for each in watches.values()), by


def _targets(rows: Sequence[Sequence[Any]]) -> list[Target]:
    return [at_most(f"the longest hold, of {rows[0][0]!r} in {rows[0][3]}, in ms", rows[0][1], MOST_MS)]


if __name__ == "__main__":
    main()
