"""How many tokens does a prompt save that holds memories instead of the whole history, and what of the evidence stays?

Each file is a conversation with questions (LoCoMo's format or REALTALK's). A question is asked at three places: after
the 20 messages that hold its evidence (`20 messages`), at the end of the session that holds it (`session`), and at the
end of all sessions (`everything`). The full history is every message up to there. Against it stand the last 5 messages,
5 memories found among one speaker's, and 3 among the world's. What is in the prompt already is not told twice. Messages
count as `Speaker: text`, memories as `turn.fill` writes them: `1. Speaker, on day 3: text`, or, *plain*, as it does
with `format = "plain"` and templates without the day. Smaller mixes stand beside it. With several conversations, a mix
is chosen, too: for each of them the one that saves enough in the others and keeps the most of their evidence.

Evidence is counted as questions whose answers are in known messages: the share of these messages that the prompt holds.
Tokens are those of WordPiece with the vocabulary of the shipped embedder (lower-cased English, some 30,000 tokens).
Other tokenizers count otherwise, but on both sides: the share saved differs little.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
from kit.conversations import Asked, Conversation, Said
from kit.options import conversation_files, output
from kit.report import Report, Table, at_least, bars

from earwitness.formats import character_memory
from earwitness.loading.resources import Resources
from earwitness.records.memory import Memory
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.stores.sqlite import SqliteStore


class Mix(NamedTuple):
    """What stands against the full history."""

    last: int
    """Number of last messages, besides the question itself."""
    memories: int
    """Number of memories, one speaker's and the world's together."""
    plain: bool = False
    """Whether a memory is its words alone, without number and day."""

    def __str__(self) -> str:
        return f"last {self.last} + {self.memories}{', plain' if self.plain else ''}"


MIXES = {
    "last 5 + 5 + 3": Mix(5, 8),
    "last 3 + 4 + 2": Mix(3, 6),
    "last 2 + 3 + 1": Mix(2, 4),
    "last 1 + 5, plain": Mix(1, 5, plain=True),
    "question + 5": Mix(0, 5),
}
CHOICES = [Mix(last, memories, plain) for plain in (False, True) for last in range(4) for memories in range(3, 7)]
"""What a choice is made from."""
LAST, MEMORIES = 5, 8
WINDOW = 20
PLACES = (f"{WINDOW} messages", "session", "everything")
COLUMNS = ("questions", "full", "short", "saved", "evidence", "by_last")
LEAST_SAVED, LEAST_EVIDENCE = 0.67, 0.9


class Prompt(NamedTuple):
    """One question at one place."""

    place: str
    conversation: str
    """Name of its conversation."""
    mix: Mix
    """Of MIXES, or of CHOICES."""
    full: int
    """Tokens of the full history."""
    short: int
    """Tokens of the last messages and the memories."""
    evidence: float
    """Share of the question's evidence in the short prompt; the full one has all of it."""
    by_last: float
    """Share that the last messages alone have."""


@click.command(help=__doc__)
@conversation_files
@output
def main(conversations: Sequence[Conversation], as_json: bool, plot: Path | None) -> None:
    """Read, ask, report."""
    prompts = asyncio.run(_all_prompts(conversations))
    if not prompts:
        raise click.UsageError("there is no question with evidence in these files.")
    _report(prompts).show(as_json=as_json, plot=plot)


async def _all_prompts(conversations: Iterable[Conversation]) -> list[Prompt]:
    embedder = StaticEmbedder()
    store = SqliteStore(path=":memory:", embedder=embedder, resources=Resources())
    await store.open()
    try:
        asking = Asking(store, embedder)
        return [prompt for each in conversations for prompt in await asking.prompts(each)]
    finally:
        await store.close()


class Asking:
    """Asks the questions of conversations, each of a container that holds what was said up to that place."""

    def __init__(self, store: SqliteStore, embedder: StaticEmbedder) -> None:
        self._store, self._embedder = store, embedder
        self._kept: set[str] = set()

    async def prompts(self, conversation: Conversation) -> list[Prompt]:
        """Every question at every place where its evidence has been said."""
        texts = [_content(turn) for turn in conversation.turns]
        said = [self._count(f"{turn.speaker}: {turn.text}") for turn in conversation.turns]
        told = [self._count(f"1. {turn.speaker}, on day {turn.session}: {turn.text}") for turn in conversation.turns]
        found = []
        for question in conversation.questions:
            for place, span in _spans(conversation.turns, question):
                ranked = await self._ranked(conversation, texts, span, question)
                for mix in {*MIXES.values(), *(CHOICES if place == PLACES[0] else ())}:
                    last, chosen = _told(mix, span, ranked)
                    line = said if mix.plain else told
                    found.append(
                        Prompt(
                            place,
                            conversation.name,
                            mix,
                            full=sum(said[index] for index in span),
                            short=sum(said[index] for index in last) + sum(line[index] for index in chosen),
                            evidence=_share(conversation.turns, last | chosen, question),
                            by_last=_share(conversation.turns, last, question),
                        )
                    )
        return found

    def _count(self, text: str) -> int:
        return len(self._embedder.tokens(text))

    async def _ranked(
        self, conversation: Conversation, texts: Sequence[str], span: range, question: Asked
    ) -> list[int]:
        """Indices of the messages that a search finds, best first: as many as any mix needs."""
        container = f"{conversation.name}-{span.start}-{span.stop}"
        if container not in self._kept:
            self._kept.add(container)
            remembered = zip(span, texts[span.start : span.stop], strict=True)
            await self._store.put([_memory(container, place, text) for place, text in remembered])
        hits = await self._store.search(container, question.text, limit=LAST + MEMORIES)
        return [int(hit.memory.id) for hit in hits]


def _told(mix: Mix, span: range, ranked: Sequence[int]) -> tuple[frozenset[int], frozenset[int]]:
    """Indices of the last messages, and of those that the best memories of what is older bring back.

    Both containers hold the same messages here, so that 5 of the one and 3 others of the other are the best 8.
    """
    last = span[len(span) - mix.last :]
    older = [index for index in ranked if index not in last]
    return frozenset(last), frozenset(older[: mix.memories])


def _spans(turns: Sequence[Said], question: Asked) -> list[tuple[str, range]]:
    """The places where a question is asked, each with the messages that were said in its history."""
    held = [index for index, turn in enumerate(turns) if turn.id in question.evidence]
    if not held or len(held) < len(question.evidence):
        return []
    spans = [(PLACES[2], range(len(turns)))]
    of_session = [index for index, turn in enumerate(turns) if turn.session == turns[held[0]].session]
    session = range(of_session[0], of_session[-1] + 1)
    if held[-1] in session:
        spans.append((PLACES[1], session))
    if window := _window(held, len(turns)):
        spans.append((PLACES[0], window))
    return spans


def _window(held: Sequence[int], turns: int) -> range | None:
    """20 messages with all evidence in them, at a place that only the evidence's number decides."""
    first, last = held[0], held[-1]
    lowest, highest = max(0, last + 1 - WINDOW), min(first, turns - WINDOW)
    if lowest > highest:
        return None
    start = lowest + first % (highest - lowest + 1)
    return range(start, start + WINDOW)


def _share(turns: Sequence[Said], told: frozenset[int], question: Asked) -> float:
    return len(question.evidence & {turns[index].id for index in told}) / len(question.evidence)


def _memory(container: str, place: int, text: str) -> Memory:
    return Memory(id=f"{place:06}", container=container, content=text, metadata={"type": "message"})


def _content(turn: Said) -> str:
    return character_memory(turn.speaker, f"({turn.when}) {turn.text}", turn.session, turn.session)


def _report(prompts: Sequence[Prompt]) -> Report:
    grouped = {
        place: {
            name: _summary([each for each in prompts if (each.place, each.mix) == (place, mix)])
            for name, mix in MIXES.items()
        }
        for place in PLACES
        if any(each.place == place for each in prompts)
    }
    rows = [
        [f"{place}, {mix}", *(found[column] for column in COLUMNS)]
        for place, mixes in grouped.items()
        for mix, found in mixes.items()
    ]
    title = "Tokens of a prompt (WordPiece), and the evidence in it"
    table = Table(title, ["history, and what stands against it", *COLUMNS], rows)
    asked = next(iter(MIXES))
    pictured = {f"{place}: {what}": grouped[place][asked][what] for place in grouped for what in ("saved", "evidence")}
    targets = [
        target
        for mix, found in grouped.get(PLACES[0], {}).items()
        for target in (
            at_least(f"tokens saved, {PLACES[0]}, {mix}", found["saved"], LEAST_SAVED),
            at_least(f"evidence kept, {PLACES[0]}, {mix}", found["evidence"], LEAST_EVIDENCE),
        )
    ]
    tables, results = [table], {"tokenizer": "WordPiece of the shipped embedder", "by_history": grouped}
    if chosen := _chosen([each for each in prompts if each.place == PLACES[0]]):
        left_out = _summary([each for found in chosen.values() for each in found.left_out])
        named = {name: str(found.mix) for name, found in chosen.items()}
        results["chosen"] = {"mixes": named, **left_out}
        lines = [[f"{name}: {found.mix}", *_summary(found.left_out).values()] for name, found in chosen.items()]
        columns = ["left out: the others' choice", *COLUMNS]
        tables.append(Table("20 messages, chosen on the other conversations", columns, lines))
        targets.append(at_least("tokens saved where left out, as chosen", left_out["saved"], LEAST_SAVED))
        targets.append(at_least("evidence kept where left out, as chosen", left_out["evidence"], LEAST_EVIDENCE))
    return Report("tokens", results, tables, bars(title, "share", pictured), targets)


class Chosen(NamedTuple):
    """A choice that was made without one conversation."""

    mix: Mix
    left_out: Sequence[Prompt]
    """That conversation's prompts with it."""


def _chosen(prompts: Sequence[Prompt]) -> dict[str, Chosen]:
    """Conversation → what the others choose for it; empty for fewer than two."""
    names = sorted({each.conversation for each in prompts})
    found = {}
    for name in names if len(names) > 1 else ():
        others = {mix: _summary([e for e in prompts if e.mix == mix and e.conversation != name]) for mix in CHOICES}
        saving = [mix for mix in CHOICES if others[mix]["saved"] >= LEAST_SAVED] or CHOICES
        best = max(saving, key=lambda mix: others[mix]["evidence"])
        found[name] = Chosen(best, [e for e in prompts if e.mix == best and e.conversation == name])
    return found


def _summary(prompts: Sequence[Prompt]) -> dict[str, Any]:
    """Means over questions; what is saved is of all tokens together."""
    full, short = sum(each.full for each in prompts), sum(each.short for each in prompts)
    return {
        "questions": len(prompts),
        "full": full / len(prompts),
        "short": short / len(prompts),
        "saved": 1 - short / full,
        "evidence": float(np.mean([each.evidence for each in prompts])),
        "by_last": float(np.mean([each.by_last for each in prompts])),
    }


if __name__ == "__main__":
    main()
