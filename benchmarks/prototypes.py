"""Does likeness to prototypes tell what `rules` does not read: unmarked thoughts, leavings, comings, told in prose?

`benchmarks/prototypes/*.txt` holds sentences of five kinds, written from knowledge of the language. A logistic
regression over the vectors of the table `static` and a few counts (tense, person, modals, …) is fitted on them, and on
labelled sentences of all styles of a corpus but one. Both are asked about English prose of `CORPUS`, outside of
quotation marks, of its part dev: how often is a sentence that ranks above half of those looked for really one?
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
from kit.report import Report, Table, bars
from numpy.typing import NDArray

from earwitness.sentences import sentences
from earwitness_plugins.detectors.discretion.inner_prose import is_inner
from earwitness_plugins.embedders.static import StaticEmbedder

FOLDER = Path(__file__).parent / "prototypes"
KINDS = ("thought", "leaving", "coming", "staying", "told")
LOOKED_FOR = KINDS[:3]
ACTS = {"leaving": {"leaves", "sleeps"}, "coming": {"arrives", "returns", "wakes"}}
QUOTED = re.compile(r'["“«„][^"”»“]{1,900}?(?:["”»“]|$)|‘[^’]{2,900}?[,.!?…]’|(?m:^\s*[—–].*$)')
COUNTED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:I|my|me)\b",
        r"\b(?:he|she|they|his|her|him|them)\b",
        r"\byou\b",
        r"\b(?:would|could|should|might|must|ought)\b",
        r"\b(?:is|are|am|has|have|do|does)\b",
        r"\b(?:\w+ed|was|were|had|went|came|took)\b",
        r"\?",
        r"!",
        r"\b(?:not|never|no)\b|n['’]t\b",
        r"\b(?:th[io]nk\w*|thought|kn[eo]w|wonder\w*|hope\w*|fe(?:el|lt)|want\w*|remember\w*|wish\w*)\b",
        r"\b(?:only|still|always|ever|perhaps|maybe|surely|poor|fool|good|bad)\b",
        r"\b(?:hands?|eyes|head|door|table|chair|window|face|floor)\b",
        r"\bhad\s+(?:\w+ed|been|gone|done|never)\b",
    )
)
Doubles = NDArray[np.float64]


class Prose(NamedTuple):
    """The prose of one message."""

    style: str
    sentences: tuple[str, ...]
    private: tuple[bool, ...]
    """Of each sentence, whether only its speaker perceives it."""
    acts: frozenset[str]


@click.command(help=__doc__)
@click.argument("corpus", type=click.Path(path_type=Path, exists=True), default=Path("corpora/overheard"))
@click.option("--json", "as_json", is_flag=True)
@click.option("--plot", type=click.Path(path_type=Path))
def main(corpus: Path, as_json: bool, plot: Path | None) -> None:
    """Ask both about the prose of a corpus."""
    found = list(_prose(corpus / "participants" / "dev.jsonl"))
    rows = []
    for kind in LOOKED_FOR:
        texts, groups, wanted, styles = _asked(found, kind)
        features = _features(texts)
        by_prototypes = _grouped(features @ _fitted(*_prototypes(kind)), groups)
        by_others = _by_other_styles(features, groups, wanted, styles)
        inner = _grouped(np.array([float(is_inner(text)) for text in texts]), groups)
        share = float(wanted.mean())
        scored = [_precision(each, wanted) for each in (by_prototypes, by_others)]
        rule = float(wanted[inner > 0].mean()) if kind == "thought" else float("nan")
        rows.append([kind, len(wanted), share, *scored, rule])
    columns = ["looked for", "asked", "share of all", "by prototypes", "by other styles", "is_inner (rules)"]
    results = {row[0]: dict(zip(columns[1:], row[1:], strict=True)) for row in rows}
    table = Table("Precision where half is found", columns, rows)
    draw = bars("Likeness to prototypes", "precision where half is found", {row[0]: row[3] for row in rows})
    Report("prototypes", results, [table], draw).show(as_json=as_json, plot=plot)


def _prose(path: Path) -> Iterator[Prose]:
    for line in path.read_text("utf-8").splitlines():
        scene = json.loads(line)
        for message in scene["messages"] if scene["language"] == "en" else ():
            if message["speaker"] and '"' not in message["text"] and not QUOTED.search(message["text"]):
                continue  # what is said, as it is
            private = [each["text"] for each in message.get("parts", ()) if each["present"] == [message["speaker"]]]
            told = [each.strip() for each in sentences(QUOTED.sub(" … ", message["text"])) if re.search(r"\w", each)]
            if told:
                alone = tuple(any(each[:40] in piece for piece in private) for each in told)
                acts = frozenset(each["act"] for each in message.get("acts", ()))
                yield Prose(scene["style"], tuple(told), alone, acts)


def _asked(found: Sequence[Prose], kind: str) -> tuple[list[str], NDArray[np.intp], NDArray[np.bool_], list[str]]:
    """Sentences, the number of what each belongs to, and of these which are wanted, and their styles."""
    texts = [text for each in found for text in each.sentences]
    if kind == "thought":
        wanted = [private for each in found for private in each.private]
        return texts, np.arange(len(texts)), np.array(wanted), [each.style for each in found for _ in each.sentences]
    groups = np.repeat(np.arange(len(found)), [len(each.sentences) for each in found])
    return texts, groups, np.array([bool(each.acts & ACTS[kind]) for each in found]), [each.style for each in found]


def _features(texts: Sequence[str]) -> Doubles:
    counts = np.array([[min(3, len(each.findall(text))) for each in COUNTED] for text in texts], dtype=float)
    lengths = np.log1p([[len(text.split())] for text in texts])
    return np.hstack([np.ones((len(texts), 1)), counts, lengths, 4 * StaticEmbedder().embed(texts)])


def _prototypes(kind: str) -> tuple[Doubles, NDArray[np.bool_]]:
    read = {each: (FOLDER / f"{each}.txt").read_text("utf-8").splitlines() for each in KINDS}
    texts = [text for lines in read.values() for text in lines]
    return _features(texts), np.array([each == kind for each, lines in read.items() for _ in lines])


def _fitted(features: Doubles, wanted: NDArray[np.bool_], ridge: float = 5.0) -> Doubles:
    """The weights of a logistic regression, by Newton's method."""
    weights = np.zeros(features.shape[1])
    for _ in range(15):
        likely = 1 / (1 + np.exp(-np.clip(features @ weights, -30, 30)))
        slope = features.T @ (likely - wanted) + ridge * weights
        curve = (features * (likely * (1 - likely))[:, None]).T @ features + ridge * np.eye(len(weights))
        weights -= np.linalg.solve(curve, slope)
    return weights


def _by_other_styles(
    features: Doubles, groups: NDArray[np.intp], wanted: NDArray[np.bool_], styles: Sequence[str]
) -> Doubles:
    """Each style by weights fitted on the labels of the others; what is asked about several has the best of them."""
    style = np.array(styles)
    scores = np.full(len(wanted), -np.inf)
    for left_out in np.unique(style):
        known = (style != left_out)[groups]
        found = _grouped(features @ _fitted(features[known], wanted[groups][known]), groups)
        scores[style == left_out] = found[style == left_out]
    return scores


def _grouped(scores: Doubles, groups: NDArray[np.intp]) -> Doubles:
    best = np.full(groups.max() + 1, -np.inf)
    np.maximum.at(best, groups, scores)
    return best


def _precision(scores: Doubles, wanted: NDArray[np.bool_]) -> float:
    """How many of those ranked highest are wanted, where half of the wanted are among them."""
    ranked = wanted[np.argsort(-scores, kind="stable")]
    behind = int(np.searchsorted(np.cumsum(ranked), np.ceil(wanted.sum() / 2))) + 1
    return float(ranked[:behind].mean())


if __name__ == "__main__":
    main()
