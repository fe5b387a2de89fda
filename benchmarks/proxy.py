"""Do many chats through the proxy, with a model that breaks off and clients that go away, lose or double a line?

`--chats` chats of `--turns` turns each go on at once, through the real `openai` client, half of them streamed, against
a scripted model on a socket. By chance, drawn from `--seed`, the model dies in the middle of an answer, the client goes
away in mid-stream, an answer is asked for again, or the user corrects the last line. Whoever got no answer asks once
more. At the end, each story is compared with what its chat shows, and the costs with what the model was asked.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import click
import numpy as np
from kit.options import output
from kit.report import Report, Table, at_most, bars
from openai import APIError, AsyncOpenAI

from earwitness import Earwitness, Settings
from earwitness_plugins.applications.proxy.endpoint import serving
from earwitness_plugins.applications.proxy.settings import ProxySettings
from earwitness_plugins.testing.model import ScriptedAnswer, ScriptedModel, ScriptedRequest

TOKEN = "a-token-of-the-benchmark"
EVENTS = {"plain": 0.6, "model dies": 0.1, "client goes away": 0.1, "reroll": 0.1, "correction": 0.1}
"""What happens in a turn → how likely."""


class Model:
    """Answers each request in its own words, and dies in the middle of those that are marked."""

    def __init__(self) -> None:
        self.dies: set[str] = set()
        """Lines at which it dies once."""
        self.slow: set[str] = set()
        """Lines that it answers slowly once, so that a client can go away."""
        self.asked = 0
        """How often it was asked."""

    def __call__(self, request: ScriptedRequest) -> ScriptedAnswer:
        """The answer to a request."""
        self.asked += 1
        line = str(request.messages[-1]["content"])
        text = f"Answer {self.asked} to {line} " + "and so on, " * 8
        if line in self.dies:
            self.dies.discard(line)
            return ScriptedAnswer(text=text, drop="midway")
        drip = 0.1 if line in self.slow else 0.0
        self.slow.discard(line)
        return ScriptedAnswer(text=text, drip=drip)


@dataclass
class Chat:
    """One chat, as its front end shows it."""

    name: str
    client: AsyncOpenAI
    model: Model
    chance: random.Random
    lines: list[str] = field(default_factory=lambda: ["Good evening."])
    """What was said, by the character and the user in turns."""
    happened: Counter[str] = field(default_factory=Counter)
    times: list[float] = field(default_factory=list)
    """Milliseconds of each request that was answered."""

    async def play(self, turns: int) -> None:
        """Say so many lines, and take the answers."""
        for turn in range(turns):
            (event,) = self.chance.choices(list(EVENTS), weights=list(EVENTS.values()))
            self.happened[event] += 1
            await self.say(f"line {turn} of {self.name}", event)

    async def say(self, line: str, event: str) -> None:
        """One turn."""
        self.lines.append(line)
        if event == "model dies":
            self.model.dies.add(line)
        if event == "client goes away":
            self.model.slow.add(line)
            await self._go_away()
        self.lines.append(await self._answer())
        if event in {"reroll", "correction"}:
            self.lines.pop()
            if event == "correction":
                self.lines[-1] = f"{line}, corrected"
            self.lines.append(await self._answer())

    async def _answer(self) -> str:
        """The answer, asked for as often as it takes."""
        while True:
            began = perf_counter()
            with contextlib.suppress(APIError):
                said = await self._asked(stream=self.chance.random() < 0.5)
                self.times.append((perf_counter() - began) * 1000)
                return said
            self.happened["asked again"] += 1

    async def _asked(self, *, stream: bool) -> str:
        if not stream:
            whole = await self.client.chat.completions.create(**self._body())
            return whole.choices[0].message.content or ""
        pieces = await self.client.chat.completions.create(**self._body(), stream=True)
        return "".join([each.choices[0].delta.content or "" async for each in pieces if each.choices])

    async def _go_away(self) -> None:
        pieces = await self.client.chat.completions.create(**self._body(), stream=True)
        async for _ in pieces:
            break
        await pieces.close()

    def _body(self) -> dict[str, Any]:
        said = [{"role": ("assistant", "user")[n % 2], "content": each} for n, each in enumerate(self.lines)]
        prompt = {"role": "system", "content": "You are Alice. ###SUPERMEMORY###"}
        return {"model": f"m#session={self.name}&character=Alice&user=Kim", "messages": [prompt, *said]}


@click.command(help=__doc__)
@click.option("--chats", default=50, show_default=True)
@click.option("--turns", default=20, show_default=True)
@click.option("--seed", default=1, show_default=True)
@output
def main(chats: int, turns: int, seed: int, as_json: bool, plot: Path | None) -> None:
    """Play and compare."""
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(_played(Path(folder), chats, turns, seed))
    _report(found).show(as_json=as_json, plot=plot)


async def _played(folder: Path, chats: int, turns: int, seed: int) -> dict[str, Any]:
    answers = Model()
    with ScriptedModel(answers) as model:
        settings = Settings.of(path=str(folder / "story.db"), model=model.settings(model="m"))
        async with (
            Earwitness.open(settings=settings) as ew,
            serving(ew, token=TOKEN, settings=ProxySettings()) as proxy,
            AsyncOpenAI(base_url=proxy.url, api_key=TOKEN, max_retries=0, timeout=300) as client,
        ):
            played = [Chat(f"c{n}", client, answers, random.Random(f"{seed}-{n}")) for n in range(chats)]
            began = perf_counter()
            await asyncio.gather(*(each.play(turns) for each in played))
            seconds = perf_counter() - began
            compared = [await _compared(ew, each) for each in played]
    times = [each for chat in played for each in chat.times]
    return {
        "chats": chats,
        "turns": chats * turns,
        "lines": sum(len(each.lines) for each in played),
        "requests": answers.asked,
        "happened": dict(sum((each.happened for each in played), Counter[str]())),
        "lost": sum(each["lost"] for each in compared),
        "twice": sum(each["twice"] for each in compared),
        "out_of_order": sum(each["out_of_order"] for each in compared),
        "uncounted": answers.asked - sum(each["calls"] for each in compared),
        "seconds": seconds,
        "request_p50_ms": float(np.percentile(times, 50)),
        "request_p99_ms": float(np.percentile(times, 99)),
    }


async def _compared(ew: Earwitness, chat: Chat) -> Mapping[str, int]:
    """What a story holds against what its chat shows."""
    story = await ew.open_session(chat.name)
    await story.settled()
    shown = [f"{('Alice', 'Kim')[n % 2]}: {each.strip()}" for n, each in enumerate(chat.lines)]
    held = [f"{each.speaker}: {each.content.strip()}" for each in await story.messages()]
    lost, more = Counter(shown) - Counter(held), Counter(held) - Counter(shown)
    costs = await story.backstage().costs()
    return {
        "lost": lost.total(),
        "twice": more.total(),
        "out_of_order": int(not lost and not more and shown != held),
        "calls": costs.total.calls,
    }


def _report(found: dict[str, Any]) -> Report:
    rows = [[name, value] for name, value in found.items() if name != "happened"]
    rows += [[f"turns: {what}", count] for what, count in sorted(found["happened"].items())]
    targets = [
        at_most("lines lost", found["lost"], 0),
        at_most("lines twice, or that no chat shows", found["twice"], 0),
        at_most("chats out of order", found["out_of_order"], 0),
        at_most("calls that no story's costs count", abs(found["uncounted"]), 0),
    ]
    title = "Chats through the proxy"
    pictured = {"p50": found["request_p50_ms"], "p99": found["request_p99_ms"]}
    return Report("proxy", found, [Table(title, ("", "found"), rows)], bars(title, "ms a request", pictured), targets)


if __name__ == "__main__":
    main()
