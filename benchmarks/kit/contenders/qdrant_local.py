"""Qdrant's local mode, which commits point by point: filled in minutes in place of hours."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def unsynced() -> Iterator[None]:
    """What is written meanwhile is not brought to the disk point by point: for filling, which is not measured."""
    _set("OFF", "MEMORY")
    try:
        yield
    finally:
        _set("FULL", "DELETE")


def _set(synchronous: str, journal: str) -> None:
    from qdrant_client.local.persistence import CollectionPersistence

    for each in gc.get_objects():
        if isinstance(each, CollectionPersistence):
            each.storage.execute(f"PRAGMA synchronous = {synchronous}")
            each.storage.execute(f"PRAGMA journal_mode = {journal}").fetchall()
