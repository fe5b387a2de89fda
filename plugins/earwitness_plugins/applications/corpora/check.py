"""Is a corpus what its card says? Format, counts, parts, lines that occur twice, agreement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from earwitness.errors import quoted
from earwitness.imports import Scene
from earwitness.loading.strategies import Strategies
from earwitness.records.base import Record
from earwitness_plugins.applications.evaluation.data import strange_speakers, strangers

from .agreement import Agreement, agreements
from .folder import Corpus, CorpusScene, Promises, belongs_to_test, read_corpus
from .likeness import Likeness, PlacedLine, alike
from .other_data import other_scenes

ENGLISH = "en"
MOST = 20
"""Number of problems of one kind that are listed."""


class CorpusCounts(Record):
    """What a corpus holds."""

    scenes: int
    """Number of scenes."""
    messages: int
    """Number of messages."""
    test: int
    """Number of scenes in the part `test`."""
    styles: dict[str, int]
    """Style → number of scenes."""
    languages: dict[str, int]
    """Language → number of scenes."""
    absent: float
    """Share of the scenes with a message that somebody of the roster does not perceive."""
    questions: int
    """Number of questions about who knows what."""
    queries: int
    """Number of recall queries."""


class CorpusCheck(Record):
    """The result of a check."""

    name: str
    """Name of the corpus."""
    counts: CorpusCounts
    """What it holds."""
    agreement: dict[str, Agreement]
    """Kind of label → agreement of its two annotators."""
    problems: tuple[str, ...]
    """Everything that is not as it should be, in sentences; empty = the corpus is what it says."""


def check(folder: Path, strategies: Strategies, against: Sequence[str] = ()) -> CorpusCheck:
    """Check a corpus. `against` are files and folders of other data, which it must share no lines with.

    Raises `InputError` and `StoryError` for what cannot be read at all.
    """
    corpus = read_corpus(folder)
    counts, agreement = _counts(corpus), agreements(folder)
    others = [line for path, scene in other_scenes(strategies, against) for line in _lines(path, scene)]
    problems = [
        *_short(corpus.promises, counts, agreement),
        *_misplaced(corpus),
        *_strange(corpus.scenes),
        *_unknown_scenes(corpus),
        *_twice(corpus.scenes),
        *_copied(corpus.scenes, others),
    ]
    return CorpusCheck(name=corpus.promises.name, counts=counts, agreement=agreement, problems=tuple(problems))


def _counts(corpus: Corpus) -> CorpusCounts:
    scenes = corpus.scenes
    return CorpusCounts(
        scenes=len(scenes),
        messages=sum(len(scene.labelled.lines) for scene in scenes),
        test=sum(scene.part == "test" for scene in scenes),
        styles=dict(sorted(Counter(scene.style for scene in scenes).items())),
        languages=dict(Counter(scene.language for scene in scenes).most_common()),
        absent=sum(map(_somebody_absent, scenes)) / max(len(scenes), 1),
        questions=len({(each.scene, each.fact) for _, each in corpus.questions}),
        queries=corpus.queries,
    )


def _somebody_absent(scene: CorpusScene) -> bool:
    roster = {*scene.labelled.roster}
    return any(line.perceivers is not None and {*line.perceivers} < roster for line in scene.labelled.lines)


def _short(promises: Promises, counts: CorpusCounts, agreement: dict[str, Agreement]) -> Iterator[str]:
    """Counts below what the card promises."""
    if not counts.scenes:
        yield "There is no scene: participants/dev.jsonl and participants/test.jsonl are missing or empty."
    foreign = counts.scenes - counts.languages.get(ENGLISH, 0)
    there = agreement["present"].equal if "present" in agreement else 0.0
    wanted = [
        ("scenes", counts.scenes, promises.scenes),
        ("messages", counts.messages, promises.messages),
        ("scenes that are not in English", foreign, promises.other_languages),
        ("recall queries", counts.queries, promises.queries),
        ("of the scenes with somebody absent", counts.absent, promises.somebody_absent),
        ("of the messages with equal perceivers from both annotators", there, promises.agreement),
        *((f"scenes of the style {style}", count, promises.scenes_per_style) for style, count in counts.styles.items()),
    ]
    for what, count, least in wanted:
        if count < least:
            yield f"{_number(count)} {what}; the card promises {_number(least)}."


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.1%}"


def _misplaced(corpus: Corpus) -> Iterator[str]:
    """Scenes in the wrong part, and names of scenes that occur twice."""
    names = Counter(scene.labelled.name for scene in corpus.scenes)
    for name, count in names.items():
        if count > 1:
            yield f"The scene {quoted(name)} is there {count} times."
    if (modulo := corpus.promises.test_modulo) is None:
        return
    for scene in corpus.scenes:
        right = "test" if belongs_to_test(scene.labelled.name, modulo) else "dev"
        if scene.part != right:
            yield f"The scene {quoted(scene.labelled.name)} is in {scene.part}; by its hash it belongs to {right}."


def _strange(scenes: Iterable[CorpusScene]) -> Iterator[str]:
    """Labels outside the roster, speakers who do not perceive their own words, pieces that are not part of the text."""
    for scene in scenes:
        name = scene.labelled.name
        yield from (f"{name}, {each}" for each in (*strangers(scene.labelled), *strange_speakers(scene.labelled)))
        for index, line in enumerate(scene.labelled.lines):
            place = f"{name}, messages[{index}]"
            if line.speaker and line.perceivers is not None and line.speaker not in line.perceivers:
                yield f"{place}: the speaker {quoted(line.speaker)} is not in 'present'."
            for piece in line.pieces:
                if piece.text not in line.text:
                    yield f"{place}: the piece {quoted(piece.text)} is not part of the text."


def _unknown_scenes(corpus: Corpus) -> Iterator[str]:
    known = {(scene.part, scene.labelled.name) for scene in corpus.scenes}
    for part, name in sorted({(part, question.scene) for part, question in corpus.questions} - known):
        yield f"A question in {part} is about the scene {quoted(name)}, which is not in {part}."


def _twice(scenes: Iterable[CorpusScene]) -> Iterator[str]:
    lines = [line for scene in scenes for line in _lines("", scene.labelled)]
    yield from map(_likeness, list(alike(lines))[:MOST])


def _copied(scenes: Iterable[CorpusScene], others: Sequence[PlacedLine]) -> Iterator[str]:
    lines = [line for scene in scenes for line in _lines("", scene.labelled)]
    yield from map(_likeness, list(alike(lines, others))[:MOST] if others else [])


def _lines(path: str, scene: Scene) -> Iterator[PlacedLine]:
    for index, line in enumerate(scene.lines):
        yield PlacedLine(f"{path and f'{path}: '}scene {scene.id}, messages[{index}]", line.text, scene.id)


def _likeness(found: Likeness) -> str:
    return (
        f"{found.line.place} is like {found.other.place} ({found.share:.0%} of its runs of words): "
        f"{quoted(found.line.text)}"
    )
