"""Fit how much each clue weighs for being spoken to, and score it with one novel or one style left out.

    python scripts/fit_addressees.py [--write] corpora/overheard/addressees/dev.jsonl NOVEL.jsonl…

Files whose rows note `spans` are books; the others are talk. Logistic regression with an L2 penalty, each novel and
each style counting alike. Rows without a label are read as what was said before, and not scored. Needs NumPy.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from earwitness.records.character import Cast, Character
from earwitness.records.message import Message
from earwitness.records.moment import Moment
from earwitness.records.state import State
from earwitness_plugins.detectors.dialogue import weights
from earwitness_plugins.detectors.dialogue.clues import Situation
from earwitness_plugins.detectors.dialogue.conversation import Conversation
from earwitness_plugins.detectors.dialogue.line_words import LineParser
from earwitness_plugins.importers.addressees import AddresseesImporter
from earwitness_plugins.importers.labelled import LabelledScene

RECENT = 24
PENALTY = 1 / 3
HEAD = (
    "# How much each clue weighs, in log-odds: `scripts/fit_addressees.py` writes this file. "
    "`dialogue/weights.py` explains it.\n"
)


@dataclass(frozen=True)
class Candidate:
    """Somebody who may be spoken to by a line."""

    group: str
    line: int
    id: str
    last: bool
    clues: Mapping[str, float]
    meant: bool


@dataclass(frozen=True)
class Read:
    """Lines of one kind: candidates, and line → whom it is said to."""

    candidates: list[Candidate]
    gold: dict[int, frozenset[str]]
    groups: dict[int, str]


def main() -> None:
    """Read, score with one group left out, fit on all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    kinds = {"book": Read([], {}, {}), "talk": Read([], {}, {})}
    for file in given.files:
        for scene in AddresseesImporter().read(file).scenes:
            _read(scene, Path(file).stem, kinds)
    found = {kind: _fitted(kind, read) for kind, read in kinds.items() if read.candidates}
    if given.write:
        weights._FILE.write_text(_toml(found), "utf-8")  # noqa: SLF001 - its own writer


def _read(scene: LabelledScene, stem: str, kinds: Mapping[str, Read]) -> None:
    cast = Cast(members=tuple(Character(f"c{at}", name=name) for at, name in enumerate(scene.roster)))
    ids = {member.name: member.id for member in cast.members}
    lines = [line for line in scene.lines if line.speaker]
    kind = "book" if any(line.notes for line in lines) else "talk"
    read, parser = kinds[kind], LineParser(cast.members)
    group = stem if kind == "book" else scene.dataset
    messages = [_message(at, ids[str(line.speaker)], line.text, line.notes) for at, line in enumerate(lines)]
    for at, line in enumerate(lines):
        if line.addressees is None:
            continue
        number = len(read.gold)
        gold = frozenset(ids.get(name, name) for name in line.addressees)
        read.gold[number], read.groups[number] = gold, group
        moment = Moment(
            message=messages[at], recent=tuple(messages[max(0, at - RECENT) : at]), cast=cast, state=State()
        )
        situation = Situation(Conversation.of(moment, parser, RECENT), parser.titles)
        for id in _candidates(situation):
            clues = situation.clues(id)
            read.candidates.append(Candidate(group, number, id, id == situation.last, clues, id in gold))


def _candidates(situation: Situation) -> Iterator[str]:
    talk = situation.talk
    spoke = {line.speaker for line in talk.before}
    yield from sorted((spoke | talk.now.words.called | talk.now.words.named) - {talk.now.speaker})


def _message(at: int, speaker: str, text: str, notes: Mapping[str, Any]) -> Message:
    return Message(
        key=f"q{at}",
        sequence=at,
        speaker=speaker,
        content=text,
        game_day=1,
        scene="s",
        timestamp="",
        metadata=dict(notes),
    )


def _fitted(kind: str, read: Read) -> dict[str, dict[str, float]]:
    names = sorted({name for each in read.candidates for name in each.clues})
    table = np.array([[each.clues[name] for name in names] for each in read.candidates])
    meant = np.array([each.meant for each in read.candidates], float)
    last = np.array([each.last for each in read.candidates])
    groups = np.array([each.group for each in read.candidates])
    chance = np.zeros(len(meant))
    for group in sorted(set(groups)):
        for is_last in (True, False):
            train, test = (groups != group) & (last == is_last), (groups == group) & (last == is_last)
            weighed = _regression(table[train], meant[train], _alike(groups[train]))
            chance[test] = 1 / (1 + np.exp(-table[test] @ weighed))
    _report(kind, read, chance)
    found = {}
    for name, is_last in (("last", True), ("others", False)):
        kept = last == is_last
        weighed = _regression(table[kept], meant[kept], _alike(groups[kept]))
        found[name] = {clue: round(float(value), 2) for clue, value in zip(names, weighed, strict=True)}
    return found


def _alike(groups: Any) -> Any:
    """A weight for each row, so that each group counts alike."""
    counted = Counter(groups)
    return np.array([len(groups) / len(counted) / counted[group] for group in groups])


def _regression(table: Any, meant: Any, weight: Any, steps: int = 12) -> Any:
    """Newton's method."""
    found = np.zeros(table.shape[1])
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-np.clip(table @ found, -30, 30)))
        slope = table.T @ (weight * (chance - meant)) + PENALTY * found
        curve = (table * (weight * chance * (1 - chance))[:, None]).T @ table + PENALTY * np.eye(len(found))
        found -= np.linalg.solve(curve, slope)
    return found


def _report(kind: str, read: Read, chance: Sequence[float]) -> None:
    said: dict[int, set[str]] = defaultdict(set)
    for each, likely in zip(read.candidates, chance, strict=True):
        if likely >= 0.5:
            said[each.line].add(each.id)
    for group in [*sorted(set(read.groups.values())), "all"]:
        lines = [line for line in read.gold if group in (read.groups[line], "all")]
        both = sum(len(said[line] & read.gold[line]) for line in lines)
        named = sum(len(said[line]) + len(read.gold[line]) for line in lines)
        exact = sum(said[line] == read.gold[line] for line in lines)
        print(f"{kind:5} {group:32} F1 {2 * both / max(1, named):.3f}  exact {exact / len(lines):.3f}  n {len(lines)}")


def _toml(found: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    tables = [
        f"\n[{kind}.{name}]\n" + "".join(f"{clue} = {value}\n" for clue, value in clues.items() if value)
        for kind, models in found.items()
        for name, clues in models.items()
    ]
    return HEAD + "".join(tables)


if __name__ == "__main__":
    main()
