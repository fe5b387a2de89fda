"""What does an edit of an early message cost, when gossip about it arrived since, the longer the story goes on?

Two speak, a third one hears of it two days later. A day has 50 messages, and in *long days* there is but one change of
the day, near the end. The fifth message is edited: *first* after the story was opened again, and then *again*, the
median of `--rounds`. CPU time of all threads, in ms.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import click
from kit import made
from kit.options import numbers, output
from kit.report import Report, Table, at_most, curves

from earwitness import Character, Earwitness, Session

CAST = ("ann", "ben", "cid", "dan")
RULES = """
inn:
  members: [ann, ben, cid, dan]
  rules: {share_direct_interactions: true, share_with: [cid], delay: 2}
"""
DAY = 50
EDITED = "early"
MOST_GROWTH = 1.5


@click.command(help=__doc__)
@output
@click.option("--sizes", default="200,400,1600", show_default=True, help="Messages of the story, ascending.")
@click.option("--rounds", default=5, show_default=True)
def main(as_json: bool, plot: Path | None, sizes: str, rounds: int) -> None:
    """Tell stories, edit them, report."""
    rows = []
    for long_days in (False, True):
        for size in numbers(sizes):
            click.echo(f"a story of {size:,} messages …", err=True)
            rows.append(asyncio.run(_measured(size, rounds, long_days=long_days)))
    _report(rows).show(as_json=as_json, plot=plot)


async def _measured(size: int, rounds: int, *, long_days: bool) -> dict[str, Any]:
    with TemporaryDirectory(prefix="earwitness-bench-") as folder:
        (Path(folder) / "rules.yaml").write_text(RULES)
        async with _opened(folder) as ew:
            await _told(await ew.session("bench", cast=[*map(Character, CAST)]), size, long_days=long_days)
        async with _opened(folder) as ew:
            story = await ew.session("bench")
            first, *again = [await _edited(story, f"Other words, {number}.") for number in range(rounds + 1)]
    return {"days": "long" if long_days else "short", "messages": size, "first_ms": first, "again_ms": median(again)}


def _opened(folder: str) -> Earwitness:
    return Earwitness.open(Path(folder) / "story.db", settings={"relationships": {"rules": f"{folder}/rules.yaml"}})


async def _told(story: Session, size: int, *, long_days: bool) -> None:
    day = 1
    for number, text in enumerate(made.sentences(0, size)):
        if number == max(size - DAY, DAY) if long_days else number and number % DAY == 0:
            day += 2 if long_days else 1
            await story.change(game_day=day)
        await story.say(CAST[number % 2], text, present=CAST[:2], key=EDITED if number == 4 else None)
    await story.delivered()


async def _edited(story: Session, text: str) -> float:
    began = time.process_time()
    await story.edit(EDITED, text)
    await story.delivered()
    return (time.process_time() - began) * 1000


def _report(rows: list[dict[str, Any]]) -> Report:
    columns = ("days", "messages", "first_ms", "again_ms")
    title = "An edit of the fifth message"
    table = Table(title, columns, [[row[column] for column in columns] for row in rows])
    short = [row for row in rows if row["days"] == "short"]
    grown = short[-1]["again_ms"] / short[0]["again_ms"]
    target = at_most(f"CPU with {short[-1]['messages']:,} messages, times that with the fewest", grown, MOST_GROWTH)
    lines = {
        f"{days} days, {when}": [(row["messages"], row[f"{when}_ms"]) for row in rows if row["days"] == days]
        for days in ("short", "long")
        for when in ("first", "again")
    }
    return Report(
        "edits", {"edits": rows}, [table], curves(title, "messages", "ms CPU", lines, log_x=True), [target], {}
    )


if __name__ == "__main__":
    main()
