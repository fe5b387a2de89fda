"""Does a story hold with a real language model that understands next to nothing?

A World Agent `language_model` asks SmolLM2-135M, which llama.cpp serves on a socket of this machine, about each of
`--turns` messages, through the real `openai` client. An answer is *valid*; or *repaired*: asked for once more, or
parts of it were left out; or *replaced* by that of the rules. The story's report says which. This proves the protocol,
and says nothing about quality.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import Any

import click
from kit.options import output
from kit.report import Report, Table, at_most, bars

from earwitness import Earwitness, Outcome, Settings
from earwitness_plugins.testing.tiny_model import TinyModel

CAST = ("alice", "bob", "charlie")
LINES = (
    "We meet at the old well at midnight.",
    '*whispers to Bob* "The sword is under the stones."',
    "*leaves the room*",
    "Did anybody see the map?",
    "I am back. It rains.",
)
AGENT = "world_agent:language_model"
REPAIRED, REPLACED = ("the answer could not be read", "left out of the answer"), "answered by rules"
PATIENT = {"plugin_timeout": 300.0, "detector_timeout": 300.0}


@click.command(help=__doc__)
@click.option("--turns", default=50, show_default=True)
@click.option("--tokens", default=32, show_default=True, help="The longest answer.")
@output
def main(turns: int, tokens: int, as_json: bool, plot: Path | None) -> None:
    """Play and report."""
    if why := TinyModel.missing():
        report = Report("tiny_model", {}, [], bars("", "", {}), skipped={"SmolLM2-135M": why})
    else:
        report = _report(asyncio.run(_played(turns, tokens)))
    report.show(as_json=as_json, plot=plot)


async def _played(turns: int, tokens: int) -> dict[str, Any]:
    with TinyModel() as model:
        table = model.settings(max_tokens=tokens, timeout=120.0)
        settings = Settings.of(path=":memory:", model=table, world_agent="language_model", end=PATIENT)
        async with Earwitness.open(settings=settings) as ew:
            story = await ew.session("s1", cast=CAST, present=CAST)
            began = perf_counter()
            judged = []
            for number in range(turns):
                said = await story.say(CAST[number % 2], LINES[number % len(LINES)])
                judged.append(await _judged(said))
            seconds, total = perf_counter() - began, (await story.backstage().costs()).total
            return {
                "turns": turns,
                **{kind: judged.count(kind) for kind in ("valid", "repaired", "replaced", "unreported")},
                "messages": len(await story.messages()),
                "calls": total.calls,
                "tokens_in": total.tokens_in,
                "tokens_out": total.tokens_out,
                "seconds": seconds,
            }


async def _judged(said: Outcome) -> str:
    """How the story says that the answer about a message came about."""
    settled = await said.settled()
    answers = [each for each in settled.plan.answers if each.by == AGENT]
    calls = [call for each in answers if each.usage for call in each.usage.calls]
    known = {each.speaker for each in [settled.message]} | set(CAST)
    if len(answers) != 1 or not calls or not set(settled.participants) <= known:
        return "unreported"
    notes = answers[0].notes
    if answers[0].failure or any(note.startswith(REPLACED) for note in notes):
        return "replaced"
    return "repaired" if len(calls) > 1 or any(note.startswith(REPAIRED) for note in notes) else "valid"


def _report(found: dict[str, Any]) -> Report:
    counts = Counter({kind: found[kind] for kind in ("valid", "repaired", "replaced")})
    targets = [
        at_most("answers of which the report says nothing", found["unreported"], 0),
        at_most("messages lost", found["turns"] - found["messages"], 0),
    ]
    title = "A story with SmolLM2-135M"
    rows = [[name, value] for name, value in found.items()]
    return Report("tiny_model", found, [Table(title, ("", "found"), rows)], bars(title, "turns", counts), targets)


if __name__ == "__main__":
    main()
