"""How many of the turns that hold the answer to a question does the store find?

Each file is a conversation with questions (LoCoMo's format or REALTALK's). It becomes one container with one memory a
turn, in the text that END writes: `Message: {speaker}: ({date}) {what was said} [shows {picture}] GameDay: {session}`
under the time, as in a character's container. Each question is searched as it is. SQLite's FTS5 searches the same
texts, with speaker and date, in the same run; the interval of the difference is a paired bootstrap over questions.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
from kit.baseline import Fts5
from kit.conversations import Conversation, Said
from kit.options import conversation_files, output
from kit.report import Report, Table, at_least, bars
from kit.scoring import MEASURES, Doubles, paired_bootstrap, scores

from earwitness.formats import character_memory
from earwitness.loading.resources import Resources
from earwitness.records.memory import Memory
from earwitness.words import plain
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.stores.sqlite import SqliteStore

COUNT = 10
LEAST_RECALL = 0.68
LEAST_GAIN = 0.03


class Answered(NamedTuple):
    """One question's scores, in the order of MEASURES."""

    conversation: str
    category: str
    ours: tuple[float, float, float]
    baseline: tuple[float, float, float]


@click.command(help=__doc__)
@conversation_files
@output
@click.option("--rerank/--no-rerank", default=True, show_default=True, help="Whether the store ranks again.")
def main(conversations: Sequence[Conversation], as_json: bool, plot: Path | None, rerank: bool) -> None:
    """Read, ask, report."""
    answered = asyncio.run(_all_answered(conversations, rerank))
    if not answered:
        raise click.UsageError("there is no question with evidence in these files.")
    _report(answered, conversations).show(as_json=as_json, plot=plot)


async def _all_answered(conversations: Iterable[Conversation], rerank: bool) -> list[Answered]:
    store = SqliteStore(path=":memory:", embedder=StaticEmbedder(), resources=Resources(), rerank=rerank)
    await store.open()
    try:
        return [answer for each in conversations for answer in await _answered(store, each)]
    finally:
        await store.close()


async def _answered(store: SqliteStore, conversation: Conversation) -> list[Answered]:
    contents = [_content(turn) for turn in conversation.turns]
    turns = [turn.id for turn in conversation.turns]
    await store.put(_memories(conversation, contents))
    baseline = Fts5([plain(content) for content in contents])
    answered = []
    for question in conversation.questions:
        hits = await store.search(conversation.name, question.text, limit=COUNT)
        ours = [hit.memory.message_keys[0] for hit in hits]
        theirs = [turns[place] for place in baseline.best(question.text, COUNT)]
        answered.append(
            Answered(
                conversation.name,
                question.category,
                scores(ours, question.evidence),
                scores(theirs, question.evidence),
            )
        )
    return answered


def _memories(conversation: Conversation, contents: Sequence[str]) -> list[Memory]:
    return [
        Memory(
            id=f"{place:06}",
            container=conversation.name,
            content=content,
            metadata={"type": "message", "speaker": turn.speaker, "gameDay": turn.session, "messageIds": [turn.id]},
        )
        for place, (turn, content) in enumerate(zip(conversation.turns, contents, strict=True))
    ]


def _content(turn: Said) -> str:
    return character_memory(turn.speaker, f"({turn.when}) {turn.text}", turn.session, turn.session)


def _report(answered: Sequence[Answered], conversations: Sequence[Conversation]) -> Report:
    ours, baseline = _matrix(answered, "ours"), _matrix(answered, "baseline")
    gains = {name: paired_bootstrap(ours[:, place] - baseline[:, place]) for place, name in enumerate(MEASURES)}
    results: dict[str, Any] = {
        **_means(ours),
        "questions": len(answered),
        "turns": sum(len(each.turns) for each in conversations),
        "by_category": _grouped(answered, "category"),
        "by_conversation": _grouped(answered, "conversation"),
        "baseline": {"name": "FTS5 BM25 (porter unicode61)", **_means(baseline)},
        "difference": {name: gain._asdict() for name, gain in gains.items()},
    }
    gain = gains["recall@10"]
    targets = [
        at_least("recall@10", results["recall@10"], LEAST_RECALL),
        at_least("recall@10 above FTS5", gain.mean, LEAST_GAIN),
        at_least("lower end of that difference's 95 % interval", gain.low, 0.0),
    ]
    pictured = {f"{who} {name}": means[name] for name in MEASURES for who, means in _both(results).items()}
    return Report("recall", results, _tables(results), bars("Evidence found", "share", pictured), targets)


def _tables(results: dict[str, Any]) -> list[Table]:
    rows: list[list[Any]] = [[who, *(means[name] for name in MEASURES)] for who, means in _both(results).items()]
    for name, gain in results["difference"].items():
        rows.append([f"difference of {name}: {gain['mean']:+.3f} ({gain['low']:+.3f} to {gain['high']:+.3f})"])
    padded = [row + [""] * (1 + len(MEASURES) - len(row)) for row in rows]
    groups = [
        [f"{kind.removeprefix('by_')} {group}", means["questions"], *(means[name] for name in MEASURES)]
        for kind in ("by_category", "by_conversation")
        for group, means in results[kind].items()
    ]
    return [
        Table(f"{results['questions']} questions to {results['turns']} turns", ["", *MEASURES], padded),
        Table("Earwitness by group", ["", "questions", *MEASURES], groups),
    ]


def _both(results: dict[str, Any]) -> dict[str, dict[str, float]]:
    return {"Earwitness": results, "FTS5": results["baseline"]}


def _grouped(answered: Iterable[Answered], by: str) -> dict[str, dict[str, float]]:
    groups: dict[str, list[Answered]] = defaultdict(list)
    for answer in answered:
        groups[getattr(answer, by)].append(answer)
    return {name: {**_means(_matrix(groups[name], "ours")), "questions": len(groups[name])} for name in sorted(groups)}


def _matrix(answered: Iterable[Answered], whose: str) -> Doubles:
    return np.array([getattr(answer, whose) for answer in answered])


def _means(matrix: Doubles) -> dict[str, float]:
    return {name: float(mean) for name, mean in zip(MEASURES, matrix.mean(axis=0), strict=True)}


if __name__ == "__main__":
    main()
