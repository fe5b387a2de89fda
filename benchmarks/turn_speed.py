"""How much does a turn's recall add to the store's own search?

A character's container holds each of `--sizes` memories, beside `--messages` that were said. In rounds, one after the
other, the store is searched for a question with the filter and the number of candidates of a recall, and a turn recalls
for the same question: the ledger's news, the guards' filters, the search, ranking, and what was told along.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
from kit import made
from kit.measuring import Round, ratio, sampled, timing
from kit.options import numbers, output
from kit.profiling import Profile
from kit.report import Report, Table, Target, at_most, bars

from earwitness.app import Earwitness
from earwitness.filters import Compare, Or, equals
from earwitness.records.memory import Memory
from earwitness.session import Session

SEARCH, TURN = "the store's search", "a turn's recall"
CANDIDATES = 40
MOST_TIMES = 3.0
WARM = 10
COLUMNS = ("wall_ms", "wall_p99_ms", "cpu_ms")
Found = dict[str, list[Round]]


@click.command(help=__doc__)
@output
@click.option("--sizes", default="100,5000", show_default=True, help="Memories of the character.")
@click.option("--messages", default=20, show_default=True, help="Said before, and heard by the character.")
@click.option("--rounds", default=9, show_default=True)
@click.option("--questions", default=25, show_default=True, help="In each round.")
@click.option("--profile", is_flag=True, help="Show instead where the time of a turn's recall goes, in the last size.")
def main(
    as_json: bool, plot: Path | None, sizes: str, messages: int, rounds: int, questions: int, profile: bool
) -> None:
    """Fill, ask, report."""
    wanted = numbers(sizes)
    if profile:
        asyncio.run(_profiled(wanted[-1], messages, rounds * questions)).show(as_json=as_json, plot=plot)
        return
    found = {size: asyncio.run(_measured(size, messages, rounds, questions)) for size in wanted}
    _report(found).show(as_json=as_json, plot=plot)


async def _measured(size: int, messages: int, rounds: int, questions: int) -> Found:
    found: Found = {SEARCH: [], TURN: []}
    with TemporaryDirectory(prefix="earwitness-bench-") as folder:
        async with Earwitness.open(Path(folder) / "story.db") as ew:
            story = await _story(ew, size, messages)
            asked = [question.text for question in made.questions(WARM + rounds * questions)]
            await sampled(_turns(story, asked[:WARM]))
            for number in range(rounds):
                now = asked[WARM + number * questions :][:questions]
                found[SEARCH].append(await sampled(_searches(ew, story, now)))
                found[TURN].append(await sampled(_turns(story, now)))
    return found


async def _profiled(size: int, messages: int, count: int) -> Report:
    profile = Profile()
    with TemporaryDirectory(prefix="earwitness-bench-") as folder, profile.looking():
        async with Earwitness.open(Path(folder) / "story.db") as ew:
            story = await _story(ew, size, messages)
            asked = [question.text for question in made.questions(WARM + count)]
            await sampled(_turns(story, asked[:WARM]))
            profile.clear()
            samples = await sampled(_turns(story, asked[WARM:]))
            table = profile.table(count)
    cpu = sum(sample.cpu for sample in samples) / count
    return Report("turn_speed", {"profiled": count, "cpu_ms": cpu, "profile": table.rows}, [table], _no_picture)


async def _story(ew: Earwitness, size: int, messages: int) -> Session:
    cast = [name.lower() for name in made.SPEAKERS[:5]]
    story = await ew.session("bench", cast=cast, present=cast, state={"game_day": 1 + size // 100})
    for rows in made.batches([made.Span("bench-alice", 0, size)]):
        await ew.engine.store.put(
            [Memory(id=row.id, container=row.container, content=row.text, metadata=row.metadata) for row in rows]
        )
    for number, text in enumerate(made.sentences(2 * 10**9, messages)):
        await story.say(cast[number % 5], text)
    await story.delivered()
    return story


def _searches(ew: Earwitness, story: Session, questions: list[str]) -> list[Any]:
    known = Or((Compare("learnedDay", "<=", story.state.game_day), equals("permanent", True)))
    search = partial(ew.engine.store.search, "bench-alice", filter=known, limit=CANDIDATES)
    return [partial(search, question) for question in questions]


def _turns(story: Session, questions: list[str]) -> list[Any]:
    return [partial(story.turn, "alice", query=question) for question in questions]


def _no_picture(figure: Any) -> None:
    figure.text(0.5, 0.5, "a profile has no picture", ha="center")


def _report(found: dict[int, Found]) -> Report:
    rows, targets, data = [], list[Target](), {}
    for size, contenders in found.items():
        times = ratio(contenders[TURN], contenders[SEARCH])
        results = {name: timing(rounds) for name, rounds in contenders.items()}
        rows += [[f"{name}, {size:,} memories", each.wall, each.wall_p99, each.cpu] for name, each in results.items()]
        cpu = results[TURN].cpu / results[SEARCH].cpu
        data[str(size)] = {name: each._asdict() for name, each in results.items()} | {"times": times, "cpu_times": cpu}
        targets.append(at_most(f"{size:,} memories: a turn's recall, times the store's search", times, MOST_TIMES))
    title = "A turn's recall and the store's own search of the same question"
    draw = bars(title, "ms", {row[0]: row[1] for row in rows})
    return Report("turn_speed", {"sizes": data}, [Table(title, ["", *COLUMNS], rows)], draw, targets)


if __name__ == "__main__":
    main()
