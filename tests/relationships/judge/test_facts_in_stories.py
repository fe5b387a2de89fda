"""Whole stories with facts, consolidation and retelling on: nobody recalls what neither rules nor privacy allow.

Facts are drawn by rules, and by a model that remembers all it was ever shown and would tell it to everybody.
`EARWITNESS_LEAK_STORIES` says how many stories.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness, Memory
from earwitness.end import grounds, knowers
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_plugins.facts import exchanges, model_answer, reconciliation
from earwitness_plugins.models.records import ModelReply, ModelRequest
from earwitness_plugins.sharing_rules import facts as rule
from earwitness_relationships.propagation.retell import Retelling
from earwitness_relationships.testing.cases import PEOPLE
from earwitness_relationships.testing.eventful_stories import eventful_case, eventful_disagreements

STORIES = int(os.environ.get("EARWITNESS_LEAK_STORIES", "24")) // 2
SCOPES = ("session", "personal", "user")
WORD = re.compile(r"\b(?:Secret|Edited|Dreamword)\w*")


class Gossiping:
    """A model that says of everybody, about every message, all the secret words that it was ever shown."""

    def __init__(self) -> None:
        self.words: dict[str, None] = {}

    async def complete(self, request: ModelRequest) -> ModelReply:
        text = request.messages[-1].content
        shown = json.loads(text[text.index("{") : text.rindex("}") + 1])
        self.words |= dict.fromkeys(WORD.findall(text))
        return ModelReply(text=json.dumps({"facts": [f for each in shown["messages"] for f in self._about(each)]}))

    def _about(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        own = WORD.search(message["text"])
        quote = f"I live in {own[0]}" if own else "nobody else"
        plain = {
            "subject": message["speaker"],
            "about": "home",
            "source": message["label"],
            "quote": quote,
            "confidence": 1,
        }
        honest = {
            **plain,
            "value": own[0] if own else "",
            "text": f"{message['name']} lives in {own[0] if own else ''}.",
        }
        everything = " and ".join(self.words)
        lies = [
            {**plain, "subject": who, "text": f"{who} lives in {everything}.", "relation": "contradicts"}
            for who in PEOPLE
        ]
        last = {
            **plain,
            "value": everything,
            "about": everything,
            "text": everything,
            "relation": "changes",
            "earlier": "f1",
        }
        return [honest, last, *lies[:2], {**last, "quote": everything, "source": "m1"}]

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        yield await self.complete(request)


class InOtherWords:
    """A reteller that rewords what it is given."""

    def retell(self, text: str, telling: Retelling) -> str:
        return f"They say: {text.removesuffix('.')}, and so on."


class CountingStore(MemoryStore):
    """Counts the facts and summaries that it is given."""

    facts = summaries = 0

    async def put(self, memories: Sequence[Memory]) -> None:
        CountingStore.facts += sum(each.type == "fact" for each in memories)
        CountingStore.summaries += sum("replaces" in each.metadata for each in memories)
        await super().put(memories)


def opener(strategy: str, scope: str) -> Callable[[dict[str, Any]], AbstractAsyncContextManager[Earwitness]]:
    def opened(settings: dict[str, Any]) -> AbstractAsyncContextManager[Earwitness]:
        parts = {"embedder": "none", "detector": "none", "world_agent": "none", "strict": True}
        table = {"strategy": strategy, "write": "auto", "scope": scope, "exchange": 1}
        told = {**settings["relationships"], "retellers": {"in_other_words": f"{__name__}.InOtherWords"}}
        model = {"model": "gossiping", "name": f"{__name__}.Gossiping", "budget_per_turn": {"calls": 500}}
        more: dict[str, Any] = {**parts, **settings, "relationships": told, "facts": table, "model": model}
        more["consolidation"] = {"write": "auto", "policy": {"count": 1}, "keep": 0, "least": 2}
        return Earwitness.open(store=CountingStore(), ledger=MemoryLedger(), **more)

    return opened


async def found(tmp_path: Path, strategy: str, stories: range) -> list[str]:
    complaints: list[str] = []
    for number in stories:
        (folder := tmp_path / str(number)).mkdir()
        retell = "in_other_words" if number % 2 else None
        given, opened = eventful_case(number), opener(strategy, SCOPES[number % len(SCOPES)])
        complaints += map(str, await eventful_disagreements(given, folder, opened, personal=True, retell=retell))
    return complaints


@pytest.mark.parametrize("strategy", ["rules", "language_model", "hybrid"])
async def test_nobody_recalls_a_fact_that_they_may_not(tmp_path: Path, strategy: str) -> None:
    stories = {"rules": range(0, STORIES, 3), "language_model": range(0, STORIES, 2), "hybrid": range(1, STORIES, 5)}
    CountingStore.facts = CountingStore.summaries = 0
    assert "\n".join(await found(tmp_path, strategy, stories[strategy])) == ""
    assert CountingStore.facts > 0
    assert CountingStore.summaries > 0


def everybody_heard_it(messages: Any, cast: Any, found: Any) -> Any:
    lines = tuple(exchanges.HeardLine(each, each.content, found[each.key]) for each in messages if found.get(each.key))
    return [exchanges.HeardExchange(frozenset(cast.ids), lines)] if lines else []


def for_all(scope: Any, cast: Any, message: Any, listener: Any, heard: Any) -> dict[str, object]:
    return {"owner": "eve", "knowers": ()}


async def nobody(story: Any, proposal: Any) -> tuple[str, ...]:
    return ()


PLANTED: dict[str, tuple[str, list[tuple[Any, str, Any]]]] = {
    "everybody is taken to have heard everything": (
        "language_model",
        [
            ("earwitness_plugins.jobs.facts", "exchanges", everybody_heard_it),
            (knowers.Copies, "missing", lambda *_: None),
        ],
    ),
    "whatever a model says is believed": (
        "language_model",
        [(model_answer, "_strange", lambda *_: None), (model_answer, "_is_in", lambda *_: True)],
    ),
    "facts are kept with somebody else": ("rules", [(rule, "place_of", for_all)]),
    "so are those of a model": (
        "language_model",
        [(reconciliation, "place_of", for_all), ("earwitness_plugins.review.queue", "strangers", nobody)],
    ),
    "facts forget in which channel they were learned": (
        "rules",
        [(grounds, "shared_channel", lambda memories: {"contextType": "public_channel"})],
    ),
}


@pytest.mark.parametrize("fault", PLANTED)
async def test_a_planted_fault_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    strategy, patches = PLANTED[fault]
    for owner, name, instead in patches:
        monkeypatch.setattr(*((f"{owner}.{name}", instead) if isinstance(owner, str) else (owner, name, instead)))
    for number in range(12):
        (folder := tmp_path / str(number)).mkdir()
        if await found(folder, strategy, range(number, number + 1)):
            return
    pytest.fail("nothing was found")
