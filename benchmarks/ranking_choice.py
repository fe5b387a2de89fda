"""Which shares should the parts of a ranking have? Chosen on all groups but one, measured on that one, in turn.

FILES are conversations with questions (LoCoMo's format or REALTALK's): a group each. With `--corpus`, the turns of a
corpus such as `overheard` are asked too, with the query that a turn asks and the memories that its character then had:
a group for each style. A grid of shares is tried on all of them; each question counts once. What is chosen on the
others is what a group would have got from people who had never seen it; what the ranking has now stands beside it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
from kit.conversations import Conversation, read
from kit.options import output
from kit.report import Report, Table, bars
from kit.scoring import Doubles, scores

from earwitness.formats import character_memory, message_line, recall_query
from earwitness.loading.resources import Resources
from earwitness.records.memory import Memory
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.ranking import fusion, neighbours, rerank
from earwitness_plugins.stores.sqlite import SqliteStore

IN_QUERY = 3
MEASURED = "recall@5"
"""What is maximised for turns, whose scenes are short; for questions it is recall@10."""


class Shares(NamedTuple):
    """One point of the grid."""

    words: float
    """The words' share in a fused score; the rest is the meaning's."""
    rerank: float
    """The share of the re-ranking."""
    before: float
    """How far a message is lifted towards a better one before it."""
    after: float
    """How far towards a better one after it."""

    def use(self) -> None:
        """Make the ranking use them."""
        fusion.WORDS_SHARE, rerank.SHARE, neighbours.BEFORE, neighbours.AFTER = self


NOW = Shares(fusion.WORDS_SHARE, rerank.SHARE, neighbours.BEFORE, neighbours.AFTER)
GRID = [Shares(*each) for each in product((0.5, 0.6, 0.7, 0.8), (0.2, 0.3, 0.4, 0.5), (0.0, 0.3, 0.6), (0.0, 0.25))]


class Asked(NamedTuple):
    """One question to one container."""

    container: str
    text: str
    evidence: frozenset[str]


class Group(NamedTuple):
    """Questions that are left out together."""

    name: str
    kind: str
    """`questions` or `turns`."""
    memories: list[Memory]
    asked: list[Asked]


@click.command(help=__doc__)
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--corpus", type=click.Path(exists=True, file_okay=False, path_type=Path), help="A corpus with turns.")
@output
def main(files: Sequence[Path], corpus: Path | None, as_json: bool, plot: Path | None) -> None:
    """Read, ask, choose, report."""
    groups = [_conversation(read(path)) for path in files]
    if corpus is not None:
        groups += _turns(corpus)
    if len(groups) < 3:
        raise click.UsageError("leaving one group out needs three or more: name more files, or a --corpus.")
    measured = asyncio.run(_measured(groups))
    _report(groups, measured).show(as_json=as_json, plot=plot)


def _conversation(found: Conversation) -> Group:
    memories = [
        _memory(found.name, place, turn.speaker, f"({turn.when}) {turn.text}", turn.session, turn.id)
        for place, turn in enumerate(found.turns)
    ]
    asked = [Asked(found.name, each.text, each.evidence) for each in found.questions]
    return Group(found.name, "questions", memories, asked)


def _memory(container: str, place: int, speaker: str, text: str, day: float, key: str) -> Memory:
    metadata = {"type": "message", "speaker": speaker, "gameDay": day, "messageIds": [key]}
    content = character_memory(speaker, text, day, day)
    return Memory(id=f"{container}-{place:06}", container=container, content=content, metadata=metadata)


def _turns(corpus: Path) -> list[Group]:
    """The turns of the part `dev`, a group for each style."""
    scenes = {each["scene"]: each for each in _rows(corpus / "participants" / "dev.jsonl")}
    groups: dict[str, Group] = {}
    for number, turn in enumerate(_rows(corpus / "recall" / "dev.jsonl")):
        group = groups.setdefault(turn["dataset"], Group(turn["dataset"], "turns", [], []))
        memories, asked = _turn(scenes[turn["scene"]], turn, f"turn-{number}")
        group.memories.extend(memories)
        group.asked.append(asked)
    return list(groups.values())


def _turn(scene: dict[str, Any], turn: dict[str, Any], container: str) -> tuple[list[Memory], Asked]:
    """What the character had perceived by then, according to the labels, and the query of the turn."""
    name, messages = turn["character"], scene["messages"][: turn["before"]]
    heard = [(place, each) for place, each in enumerate(messages) if name in (each["present"] or ())]
    lines = [message_line(each["speaker"] or "Narrator", each["text"], 1) for _, each in heard[-IN_QUERY:]]
    memories = [
        _memory(container, place, each["speaker"] or "Narrator", each["text"], 1, str(place))
        for place, each in heard[:-IN_QUERY]
    ]
    return memories, Asked(container, recall_query(1, lines, name), frozenset(map(str, turn["evidence"])))


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


async def _measured(groups: Sequence[Group]) -> Doubles:
    """The mean score of each group at each point of the grid, the present one first; shape (1 + grid, groups)."""
    store = SqliteStore(path=":memory:", embedder=StaticEmbedder(), resources=Resources())
    await store.open()
    try:
        for group in groups:
            await store.put(group.memories)
        rows = []
        for shares in (NOW, *GRID):
            shares.use()
            rows.append([await _score(store, group) for group in groups])
        return np.array(rows)
    finally:
        NOW.use()
        await store.close()


async def _score(store: SqliteStore, group: Group) -> float:
    at = 1 if group.kind == "questions" else 0
    found = [await store.search(each.container, each.text, limit=10) for each in group.asked]
    return float(
        np.mean(
            [
                scores([hit.memory.message_keys[0] for hit in hits], each.evidence)[at]
                for hits, each in zip(found, group.asked, strict=True)
            ]
        )
    )


def _report(groups: Sequence[Group], measured: Doubles) -> Report:
    rows, results = [], {}
    sizes = np.array([len(group.asked) for group in groups])
    for place, group in enumerate(groups):
        others = [other for other in range(len(groups)) if other != place]
        chosen = int((measured[1:, others] @ sizes[others]).argmax())
        left_out, now = float(measured[1 + chosen, place]), float(measured[0, place])
        rows.append([group.name, len(group.asked), now, left_out, " ".join(f"{each:g}" for each in GRID[chosen])])
        results[group.name] = {"now": now, "left_out": left_out, "chosen": GRID[chosen]._asdict()}
    means = [[kind, "", *_means(rows, groups, kind), ""] for kind in dict.fromkeys(each.kind for each in groups)]
    best = GRID[int((measured[1:] @ sizes).argmax())]
    table = Table(
        f"recall@10 of questions, {MEASURED} of turns; best on all: {best}",
        ["left out", "asked", "as it is", "chosen on the others", "words, rerank, before, after"],
        [*rows, *means],
    )
    pictured = {name: each["left_out"] for name, each in results.items()}
    return Report("ranking_choice", results, [table], bars("Chosen without it", "share", pictured))


def _means(rows: Sequence[Sequence[Any]], groups: Iterable[Group], kind: str) -> tuple[float, float]:
    mine = [row for row, group in zip(rows, groups, strict=True) if group.kind == kind]
    return float(np.mean([row[2] for row in mine])), float(np.mean([row[3] for row in mine]))


if __name__ == "__main__":
    main()
