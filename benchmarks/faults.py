"""Does a story on a service that fails lose anything, write anything twice, or make its host wait?

`--turns` turns are played with their memories in an emulated Supermemory. A share `--failing` of all requests fails:
refused (429, 500), dropped, late or never answered. In the middle the service is away for a tenth of the turns, and the
program that plays is killed twice (`kill -9`) and started again. At the end, what the service holds is compared with
what the same story leaves on the embedded store, and the recalls' times are shown.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import click
import numpy as np
from kit.options import output
from kit.report import Report, Table, at_most, curves

from earwitness import Earwitness, EarwitnessError, Session, Settings
from earwitness_plugins.testing.supermemory import Emulator, Faults

KEY, STORY = "faults", "s1"
CAST = ("alice", "bob", "carol", "dave")
THINGS = ("the sword", "a crown", "the old map", "silver coins", "the ferry", "her lantern", "the north gate")
RECALL_MS = 500
PLAYED = {"plugins": []}
SAID = ("speaker", "participants", "location", "isSpeaker", "interactionType")
"""Metadata that must be the same on both stores."""


# ── the program that plays, and is killed ────────────────────────────────────────────────────────────────────────────


async def play(path: str, turns: int, first: int, store: Any) -> None:
    """Play turns, print each with its recall's milliseconds, and wait until the store has everything."""
    parent = os.getppid()
    async with Earwitness.open(settings=Settings.of(path=path, store=store, **PLAYED)) as ew:
        story = await ew.session(STORY, cast=CAST, present=CAST[:3])
        for number in range(first, turns):
            click.echo(f"{number} {await one_turn(story, number):.3f}")
        while os.getppid() == parent:  # nobody else would end it if its parent was killed
            with contextlib.suppress(EarwitnessError):
                await story.delivered()
                break
            await asyncio.sleep(0.2)
    click.echo("done")


async def one_turn(story: Session, number: int) -> float:
    """Recall, answer; every twentieth turn a day goes by. Returns how many milliseconds the recall took."""
    speaker = CAST[number % 3]
    if number % 20 == 19:
        await story.change(game_day=1 + number // 20, key=f"day-{number}")
    began = perf_counter()
    turn = await story.turn(speaker)
    took = (perf_counter() - began) * 1000
    whispered = f"*whispers to {CAST[(number + 1) % 3].title()}* " if number % 7 == 3 else ""
    await turn.say(f'{whispered}"This is line {number}, about {THINGS[number % len(THINGS)]}."', key=f"k{number}")
    return took


def service_store(url: str) -> dict[str, Any]:
    """A service, and a store here that answers in its stead; with the settings that both have by default."""
    return {
        "name": "fallback",
        "primary": {"name": "supermemory", "api_key": KEY, "base_url": url},
        "fallback": "sqlite",
    }


# ── the one that kills it ────────────────────────────────────────────────────────────────────────────────────────────


def played(path: str, turns: int, service: Emulator, kills: set[int], away: range) -> tuple[list[float], list[float]]:
    """Milliseconds of every recall, and of the first ones after a kill, while the player is killed after some turns and
    the service is away for others."""
    times: list[float] = []
    begun: list[int] = []
    first: int | None = 0
    left = set(kills)
    while first is not None:
        how = ["--player", path, service.url, "--turns", str(turns), "--first", str(first)]
        command = [sys.executable, __file__, *how]
        begun.append(len(times))
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as player:
            first = _watched(player, service, left, away, times)
    return times, [times[place] for place in begun[1:] if place < len(times)]


def _watched(
    player: subprocess.Popen[str], service: Emulator, kills: set[int], away: range, times: list[float]
) -> int | None:
    """Watch one player. Returns the turn to begin with again, or `None` if it has come to the end."""
    try:
        for line in player.stdout or ():
            if line == "done\n":
                return None
            number, took = int(line.split()[0]), float(line.split()[1])
            times.append(took)
            service.away = number in away
            if number in kills:
                kills.remove(number)
                return number
    finally:
        player.kill()
    raise click.ClickException("the player has ended before the end of the story.")


def held_by(service: Emulator) -> dict[str, Any]:
    """Container and memory id → what the service holds; a list where it holds something twice."""
    found: dict[str, list[Any]] = {}
    for documents in service.content(KEY).values():
        for each in documents.values():
            name = f"{each.metadata['earwitnessContainer']} {each.metadata['earwitnessId']}"
            found.setdefault(name, []).append([each.content, *(each.metadata.get(field) for field in SAID)])
    return {name: several[0] if len(several) == 1 else several for name, several in found.items()}


async def expected(folder: Path, turns: int) -> dict[str, Any]:
    """The same of the embedded store."""
    found = {}
    async with Earwitness.open(settings=Settings.of(path=str(folder / "expected.db"), **PLAYED)) as ew:
        story = await ew.session(STORY, cast=CAST, present=CAST[:3])
        for number in range(turns):
            await one_turn(story, number)
        await story.settled()
        for owner in (*CAST, "world"):
            for each in (await story.backstage().inspect(owner)).memories:
                said = [each.metadata.get(field) for field in SAID]
                found[f"{each.container} {each.id}"] = [each.content, *said]
    return found


@click.command(help=__doc__)
@output
@click.option("--turns", default=2_000, show_default=True)
@click.option("--failing", default=0.3, show_default=True, help="Share of requests that fail.")
@click.option("--lag", default=0.5, show_default=True, help="Seconds until the service finds what was written.")
@click.option("--seed", default=0, show_default=True, help="Of the faults.")
@click.option("--player", nargs=2, hidden=True, metavar="FILE URL")
@click.option("--first", default=0, hidden=True)
def main(
    as_json: bool,
    plot: Path | None,
    turns: int,
    failing: float,
    lag: float,
    seed: int,
    player: tuple[str, str] | None,
    first: int,
) -> None:
    """Play and compare, or be the one who plays."""
    if player:
        asyncio.run(play(player[0], turns, first, service_store(player[1])))
        return
    away = range(turns * 9 // 20, turns * 11 // 20)
    with tempfile.TemporaryDirectory() as folder, Emulator(lag=lag) as service:
        service.faults = Faults(rate=failing, seed=seed)
        began = perf_counter()
        times, firsts = played(str(Path(folder) / "story.db"), turns, service, {turns * 2 // 5, turns * 7 // 10}, away)
        seconds, held, accidents = perf_counter() - began, held_by(service), service.accidents
        wanted = asyncio.run(expected(Path(folder), turns))
    _report(times, firsts, held, wanted, dict(accidents), seconds).show(as_json=as_json, plot=plot)


def _report(
    times: list[float], firsts: list[float], held: Any, wanted: Any, accidents: dict[Any, int], seconds: float
) -> Report:
    wrong = [name for name in {*held, *wanted} if held.get(name) != wanted.get(name)]
    p50, p99 = (float(np.percentile(times, share)) for share in (50, 99))
    found = {"recalls": len(times), "recall_p50_ms": p50, "recall_p99_ms": p99, "recall_most_ms": max(times)}
    found["first_recall_after_a_kill_most_ms"] = max(firsts, default=0.0)
    results = {**found, "memories": len(wanted), "wrong": sorted(wrong), "accidents": accidents, "seconds": seconds}
    rows = [[name, value] for name, value in {**found, "memories": len(wanted), "wrong": len(wrong)}.items()]
    rows += [[f"requests: {kind}", count] for kind, count in accidents.items()]
    targets = [
        at_most("memories lost, twice or other than expected", len(wrong), 0),
        at_most("recall, p99 ms", p99, RECALL_MS),
        at_most("first recall after a kill, ms", max(firsts, default=0.0), RECALL_MS),
    ]
    return Report(
        "faults",
        json.loads(json.dumps(results)),
        [Table("A story on a service that fails", ("", "found"), rows)],
        curves("A story on a service that fails", "recall", "ms", {"in order": list(enumerate(times))}),
        targets,
    )


if __name__ == "__main__":
    main()
