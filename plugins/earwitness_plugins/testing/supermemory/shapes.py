"""Documents, memories and lists in the shapes of the API."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from .documents import EmulatedDocument, EmulatedNamespace, Passage, Pipeline
from .requests import PageQuery


def time_text(at: float) -> str:
    """Seconds since 1970 as the API writes a time, to the millisecond."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def document(each: EmulatedDocument, pipeline: Pipeline, now: float) -> dict[str, Any]:
    """A document as `GET …/document/{id}` gives it."""
    published = pipeline.published(each, now)
    return {
        "id": each.id,
        "title": None,
        "type": "text",
        "summary": None,
        "content": published.content if published else None,
        "metadata": dict(each.latest.metadata),
        "system": {
            "status": pipeline.status(each, now),
            "dreamingStatus": pipeline.dreaming_status(each, now),
            "createdAt": time_text(each.created),
            "updatedAt": time_text(each.latest.at),
        },
    }


def chunk(each: Passage) -> dict[str, Any]:
    """A chunk of a document."""
    return {
        "id": each.id,
        "position": int(each.id.rpartition("_")[2]),
        "content": each.text,
        "type": "text",
        "metadata": dict(each.metadata),
        "system": {"createdAt": time_text(each.at)},
    }


def memory(each: Passage) -> dict[str, Any]:
    """A memory extracted from a document."""
    return {
        "id": each.id,
        "memory": each.text,
        "metadata": {},
        "isStatic": False,
        "isInference": False,
        "isLatest": True,
        "isForgotten": each.id in each.document.forgotten,
        "version": 1,
        "system": {"createdAt": time_text(each.at), "updatedAt": time_text(each.at)},
    }


def namespace(each: EmulatedNamespace, memories: int) -> dict[str, Any]:
    """A namespace in a list."""
    return {
        "id": f"ns_{each.name}",
        "namespace": each.name,
        "documentCount": len(each.documents),
        "memoryCount": memories,
        "description": each.supporting_context or None,
        "system": _times(each),
    }


def namespace_details(each: EmulatedNamespace) -> dict[str, Any]:
    """A namespace by itself."""
    return {
        "namespace": each.name,
        "supportingContext": each.supporting_context or None,
        "system": _times(each),
    }


def paged(rows: Sequence[Any], page: PageQuery) -> tuple[Sequence[Any], dict[str, Any]]:
    """One page of rows, and its `pagination`."""
    start = (page.page - 1) * page.limit
    pagination = {
        "currentPage": page.page,
        "limit": page.limit,
        "totalItems": len(rows),
        "totalPages": -(-len(rows) // page.limit),
    }
    return rows[start : start + page.limit], pagination


def _times(each: EmulatedNamespace) -> dict[str, str]:
    return {"createdAt": time_text(each.created), "updatedAt": time_text(each.updated)}
