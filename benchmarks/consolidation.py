"""How much of the evidence is still found once memories are summed up, without a model?

Each file is a conversation with questions (LoCoMo's format or REALTALK's). It becomes a story: each turn is said, both
speakers hear it, and a session is a game day. Each question is recalled for the second speaker, ten memories at most,
before and after `story.consolidate` with each policy; *by hand*, and as soon as there are too many, all but the newest
20 memories are summed up. The rest of the evidence is counted by its words: a turn that is found whole counts 1; of one
that a found summary rests on, the share of its words in the sentences that were kept. *Answers* are the words of the
answer that stand in the evidence.

The same turns are then said to a chat assistant, closed after each session, and asked while its service is away: only
the long-term memory on this machine can answer.

With several files, what sentences weigh is chosen, too: for each conversation, the weights that keep the most of the
evidence of the others. That looks at the summaries alone.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, product
from pathlib import Path
from typing import Any, NamedTuple

import click
from kit.conversations import Asked, Conversation, Said
from kit.options import conversation_files, output
from kit.report import Report, Table, bars

from earwitness import Earwitness, Memory, Settings
from earwitness.errors import StorageError
from earwitness.records.memory import Hit
from earwitness.sentences import sentences
from earwitness.testing.reference import MemoryStore
from earwitness.words import STOP_WORDS, plain, terms
from earwitness_plugins.consolidation import ConsolidationTask, Remembered
from earwitness_plugins.consolidation.settings import ConsolidationPolicy, ConsolidationSettings
from earwitness_plugins.consolidators.extractive import WEIGHTS, SentenceWeights, best_lines

COUNT, BUDGET = 10, 2_500
Policies = Mapping[str, ConsolidationPolicy | None]
POLICIES: Policies = {
    "none": None,
    "repetition = 0.3": ConsolidationPolicy(repetition=0.3),
    "age = 15": ConsolidationPolicy(age=15),
    "age = 5": ConsolidationPolicy(age=5),
    "by hand": ConsolidationPolicy(count=1),
}
GRID = [SentenceWeights(*each) for each in product((1.0, 1.5, 2.0), (1.0, 0.7, 0.5), (1.0, 0.8, 0.6), (1.0, 2.0, 3.0))]
"""What the weights are chosen from."""
MOST = ConsolidationSettings().most


Words = Mapping[str, frozenset[str]]
"""Turn id → words."""


class Score(NamedTuple):
    """What is found of one question's evidence, as in `Kept`."""

    evidence: float
    answers: float | None
    short: float
    prompt: int


class Kept(NamedTuple):
    """What is found of the evidence of one conversation's questions."""

    evidence: float
    """The share of its words."""
    answers: float
    """The share of the words of answers that stand in it."""
    short: float
    """The share of its words in the best that have `BUDGET` characters together."""
    prompt: float
    """Characters of what one recall finds."""
    memories: int
    """How many memories the speaker has."""
    characters: int
    """How many characters these have."""


@click.command(help=__doc__)
@conversation_files
@output
@click.option("--questions", type=int, help="So many questions of each conversation. [default: all]")
@click.option("--policy", "only", multiple=True, type=click.Choice(list(POLICIES)), help="Only this one.")
def main(
    conversations: Sequence[Conversation], as_json: bool, plot: Path | None, questions: int | None, only: Sequence[str]
) -> None:
    """Read, tell, ask, sum up, ask again."""
    if not all(each.questions for each in conversations):
        raise click.UsageError("there is no question with evidence in one of these files.")
    policies = {name: policy for name, policy in POLICIES.items() if not only or name in only}
    found = [asyncio.run(_measured(each, each.questions[:questions], policies)) for each in conversations]
    assistants = [asyncio.run(_assistant(each, each.questions[:questions])) for each in conversations]
    _report(conversations, found, assistants).show(as_json=as_json, plot=plot)


# ── stories ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def _measured(conversation: Conversation, asked: Sequence[Asked], policies: Policies) -> dict[str, Kept]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "told.db"
        await _told(path, conversation)
        found: dict[str, Kept] = {}
        for name, policy in policies.items():
            copy = Path(folder) / "asked.db"
            shutil.copy(path, copy)
            found[name] = await _asked(copy, conversation, asked, policy)
        return found


def _settings(path: Path) -> Settings:
    recall = {"memories": COUNT, "token_budget": None, "timeout": 60.0}
    return Settings.of(path=str(path), detector="everyone", recall=recall, consolidation={"write": "auto"})


async def _told(path: Path, conversation: Conversation) -> None:
    people = sorted({turn.speaker for turn in conversation.turns})
    async with Earwitness.open(settings=_settings(path)) as ew:
        story = await ew.session("s1", cast=people, present=people)
        day = 0
        for turn in conversation.turns:
            if turn.session != day:
                day = turn.session
                await story.change(game_day=day)
            await story.say(turn.speaker, turn.text or "…", key=turn.id)
        await story.delivered()


async def _asked(
    path: Path, conversation: Conversation, asked: Sequence[Asked], policy: ConsolidationPolicy | None
) -> Kept:
    turns = {turn.id: turn for turn in conversation.turns}
    reader = max(turn.speaker for turn in conversation.turns)
    async with Earwitness.open(settings=_settings(path)) as ew:
        story = await ew.open_session("s1")
        before = (await story.backstage().inspect(reader)).memories
        keys = {each.id: key for each in before for key in each.message_keys}
        if policy is not None:
            await story.consolidate(reader, policy=policy)
            await story.delivered()
        held = (await story.backstage().inspect(reader)).memories
        answers = []
        for each in asked:
            turn = await story.turn(reader, query=each.text, in_prompt=[])
            told = [each.memory for each in sorted(turn.memories, key=lambda recalled: -recalled.score)]
            answers.append(_scored(each, turns, lambda few: _words_found(few, turns, keys), told))
    characters = sum(len(each.text) for each in held)
    return _mean(answers, len(held), characters)


def _words_found(memories: Iterable[Memory], turns: Mapping[str, Said], keys: Mapping[str, str]) -> Words:
    """Turn id → those of its words that these memories tell."""
    found: dict[str, frozenset[str]] = {}
    for memory in memories:
        grounds = memory.metadata.get("restsOn") or ()
        if not grounds:
            found |= {key: _words(turns[key].text) for key in memory.message_keys if key in turns}
        for id in grounds if isinstance(grounds, list) else ():
            turn = turns[keys[str(id)]]
            found[turn.id] = _words_in(turn, memory.text)
    return found


def _words_in(turn: Said, text: str) -> frozenset[str]:
    """The words of those sentences of a turn that a text holds."""
    kept = [each.strip() for each in sentences(turn.text) if f"{turn.speaker}: {each.strip()}" in text]
    return frozenset[str]().union(*map(_words, kept))


def _scored(
    asked: Asked, turns: Mapping[str, Said], found_in: Callable[[Sequence[Memory]], Words], told: Sequence[Memory]
) -> Score:
    """What was found of one question's evidence and answer; best first."""
    every = {id: _words(turns[id].text) for id in asked.evidence if id in turns}
    ends = accumulate(len(each.text) for each in told)
    few = [each for each, end in zip(told, ends, strict=True) if end <= BUDGET or each is told[0]]
    found = found_in(told)
    wanted = _words(asked.answer) & frozenset[str]().union(*every.values())
    there = frozenset[str]().union(*(found.get(id, frozenset()) for id in every))
    return Score(
        evidence=_share(every, found) / len(asked.evidence),
        answers=len(wanted & there) / len(wanted) if wanted else None,
        short=_share(every, found_in(few)) / len(asked.evidence),
        prompt=sum(len(each.text) for each in told),
    )


def _share(every: Words, found: Words) -> float:
    return sum(len(found.get(id, frozenset()) & words) / len(words) for id, words in every.items() if words)


def _mean(scores: Sequence[Score], memories: int, characters: int) -> Kept:
    known = [each.answers for each in scores if each.answers is not None]
    return Kept(
        evidence=sum(each.evidence for each in scores) / len(scores),
        answers=sum(known) / len(known) if known else 0.0,
        short=sum(each.short for each in scores) / len(scores),
        prompt=sum(each.prompt for each in scores) / len(scores),
        memories=memories,
        characters=characters,
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(terms(plain(text))) - STOP_WORDS


# ── chat assistants ──────────────────────────────────────────────────────────────────────────────────────────────────


class Service(MemoryStore):
    """A service that can be away."""

    away = False

    async def search(self, container: str, query: str, **more: Any) -> Sequence[Hit]:
        """What a store finds, unless it is away."""
        if self.away:
            raise StorageError("the service is away")
        return await super().search(container, query, **more)


async def _assistant(conversation: Conversation, asked: Sequence[Asked]) -> Kept:
    turns = {turn.id: turn for turn in conversation.turns}
    with tempfile.TemporaryDirectory() as folder:
        service = Service()
        settings = Settings.of(path=str(Path(folder) / "bot.db"))
        async with Earwitness.open(settings=settings, store=service) as ew:
            for session in sorted({turn.session for turn in conversation.turns}):
                talk = ew.conversation(f"session:{session}")
                for turn in conversation.turns:
                    if turn.session == session:
                        await talk.add("user", turn.text or "…")
                await talk.close()
            service.away = True
            facts = [fact for key in await ew.conversation.keys() for fact in await ew.conversation(key).facts()]
            answers = []
            for each in asked:
                lines = (await ew.conversation("asks").context(each.text, limit=COUNT)).memories
                told = [Memory(id=line, container="", content=line, metadata={}) for line in lines]
                answers.append(_scored(each, turns, lambda few: _lines_found(few, turns), told))
    return _mean(answers, len(facts), sum(map(len, facts)))


def _lines_found(told: Sequence[Memory], turns: Mapping[str, Said]) -> Words:
    text = "\n".join(each.content for each in told)
    return {id: _words_in(turn._replace(speaker="user"), text) for id, turn in turns.items()}


# ── what sentences weigh ─────────────────────────────────────────────────────────────────────────────────────────────


def _tasks(conversation: Conversation) -> Iterator[tuple[Sequence[Said], ConsolidationTask]]:
    """The turns as a story's consolidation puts them together."""
    settings = ConsolidationSettings()
    for begin in range(0, len(conversation.turns), MOST):
        part = conversation.turns[begin : begin + MOST]
        told = tuple(Remembered(label=turn.id, text=turn.text, speaker=turn.speaker) for turn in part)
        most = min(settings.characters, max(100, sum(len(each.line) for each in told)))
        yield part, ConsolidationTask(session="s1", owner="x", remembered=told, most=most)


def _kept(conversation: Conversation, by: SentenceWeights) -> tuple[float, float]:
    """The shares of evidence and answers that summaries with these weights keep, found or not."""
    turns = {turn.id: turn for turn in conversation.turns}
    found: Words = {
        turn.id: _words_in(turn, text)
        for part, task in _tasks(conversation)
        for text in ["\n".join(best_lines(task, by))]
        for turn in part
    }
    kept = _mean([_scored(each, turns, lambda few: found, ()) for each in conversation.questions], 0, 0)
    return kept.evidence, kept.answers


def _chosen(conversations: Sequence[Conversation]) -> dict[str, Any]:
    """For each conversation: the weights that keep the most in the others, and what they keep in it."""
    kept = {by: [_kept(each, by) for each in conversations] for by in (SentenceWeights(1.5, 1, 1, 1), WEIGHTS, *GRID)}
    found: dict[str, Any] = {}
    for place, each in enumerate(conversations):
        best = max(GRID, key=lambda by: sum(sum(pair) for at, pair in enumerate(kept[by]) if at != place))
        found[each.name] = {"weights": best._asdict(), "kept": kept[best][place], "shipped": kept[WEIGHTS][place]}
        found[each.name]["without"] = kept[SentenceWeights(1.5, 1, 1, 1)][place]
    return found


# ── the report ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _report(
    conversations: Sequence[Conversation], found: Sequence[Mapping[str, Kept]], assistants: Sequence[Kept]
) -> Report:
    policies = {name: _together([each[name] for each in found]) for name in found[0]}
    policies["a chat assistant, its service away"] = _together(assistants)
    results: dict[str, Any] = {"policies": {name: each._asdict() for name, each in policies.items()}}
    results["by_conversation"] = {
        conversation.name: {name: each._asdict() for name, each in kept.items()}
        for conversation, kept in zip(conversations, found, strict=True)
    }
    tables = [_policies(policies)]
    if len(conversations) > 1:
        results["chosen"] = _chosen(conversations)
        tables.append(_choices(results["chosen"]))
    draw = bars("Evidence found", "share of its words", {name: each.evidence for name, each in policies.items()})
    return Report("consolidation", results, tables, draw)


def _together(kept: Sequence[Kept]) -> Kept:
    mean = Kept(*(sum(column) / len(kept) for column in zip(*kept, strict=True)))
    return mean._replace(memories=round(mean.memories), characters=round(mean.characters))


def _policies(policies: Mapping[str, Kept]) -> Table:
    rows = [
        (name, *(f"{share:.3f}" for share in kept[:3]), *(f"{round(count):,}" for count in kept[3:]))
        for name, kept in policies.items()
    ]
    best = f"evidence in {BUDGET:,} characters"
    columns = ("policy", "evidence", "answers", best, "characters found", "memories", "characters in all")
    return Table(f"Found among the best {COUNT}, mean of the conversations", columns, rows)


def _choices(chosen: Mapping[str, Any]) -> Table:
    rows = [
        (
            name,
            " ".join(f"{value:g}" for value in each["weights"].values()),
            *map(_pair, (each["without"], each["kept"], each["shipped"])),
        )
        for name, each in chosen.items()
    ]
    columns = ("left out", "weights", "rare words alone", "chosen on the others", "shipped")
    return Table("Kept in summaries: evidence / answers", columns, rows)


def _pair(kept: tuple[float, float]) -> str:
    return f"{kept[0]:.3f} / {kept[1]:.3f}"


if __name__ == "__main__":
    main()
