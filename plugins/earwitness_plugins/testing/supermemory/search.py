"""Search: words shared with the query, within one namespace, and nothing that is not published yet."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import nlargest
from operator import itemgetter
from typing import Any

from earwitness.words import coverage

from .documents import EmulatedNamespace, Passage, Pipeline
from .filters import check
from .requests import SearchRequest
from .shapes import time_text


def found(
    namespace: EmulatedNamespace | None, asked: SearchRequest, pipeline: Pipeline, now: float
) -> list[dict[str, Any]]:
    """The rows of a search, best first; of equal ones, the newest."""
    holds = check(asked.filter)
    scored: list[tuple[float, float, str, Passage]] = []
    for kind, passage in _passages(namespace, asked, pipeline, now):
        if not holds(passage.metadata):
            continue
        similarity = coverage(asked.query, passage.text)
        if similarity >= asked.threshold:
            scored.append((similarity, passage.at, kind, passage))
    best = nlargest(asked.limit, scored, key=itemgetter(0, 1))  # of equal ones the first, as sorting them all would
    return [_row(kind, passage, similarity, asked) for similarity, _, kind, passage in best]


def _passages(
    namespace: EmulatedNamespace | None, asked: SearchRequest, pipeline: Pipeline, now: float
) -> Iterator[tuple[str, Passage]]:
    for document in pipeline.searched(namespace, now) if namespace else ():
        if asked.search_mode != "memories":
            yield from (("chunk", each) for each in pipeline.chunks(document, now))
        if asked.search_mode != "chunks":
            memories = pipeline.memories(document, now)
            wanted = asked.include.forgotten
            yield from (("memory", each) for each in memories if wanted or each.id not in document.forgotten)


def _row(kind: str, passage: Passage, similarity: float, asked: SearchRequest) -> dict[str, Any]:
    document = passage.document
    row: dict[str, Any] = {
        "id": passage.id,
        kind: passage.text,
        "metadata": {},
        "similarity": similarity,
        "isLatest": passage.id not in document.forgotten,
        "isInference": False,
        "system": {"updatedAt": time_text(passage.at)},
    }
    if asked.include.documents:
        times = {"createdAt": time_text(document.created), "updatedAt": time_text(document.latest.at)}
        row["included"] = {
            "document": {
                "id": document.id,
                "title": None,
                "type": "text",
                "metadata": dict(document.latest.metadata),
                "system": times,
            }
        }
    return row
