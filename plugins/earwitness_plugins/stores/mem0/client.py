"""mem0's own vector store and history, without its language model, its embedder and its telemetry."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from earwitness.errors import SettingsError
from earwitness_plugins.qdrant.connection import refuse_locked
from earwitness_plugins.qdrant.folders import IN_MEMORY
from earwitness_plugins.services.durable import refuse_file

EXTRA = "mem0"
_TELEMETRY = "MEM0_TELEMETRY"
_HOME = "MEM0_DIR"
HistoryRecord = Mapping[str, Any]
"""A line of mem0's history: `memory_id`, `old_memory`, `new_memory`, `event`, and times."""


class Mem0Client:
    """What mem0's `Memory` consists of here. Its other methods are those of the Qdrant client below.

    Args:
        folder: of Qdrant's local storage.
        history: the file of the history.
        collection: its name.
        dimension: length of a vector.
    """

    def __init__(self, folder: str, history: str, collection: str, dimension: int) -> None:
        """Raises `SettingsError` without mem0, `StorageError` if a file has the folder's place, `StorageLocked` if the
        folder is open, and what Qdrant raises.
        """
        if folder != IN_MEMORY:
            refuse_file(Path(folder), "the store 'mem0' needs a folder (its setting `path`)")
        with _discreet(folder):
            try:
                from mem0.memory.storage import SQLiteManager
                from mem0.utils.factory import VectorStoreFactory
            except ModuleNotFoundError as missing:
                raise SettingsError(f"the store 'mem0' needs mem0: pip install 'earwitness[{EXTRA}]'.") from missing
        refuse_locked(folder)  # after the imports: it needs a package that comes with mem0
        config = {"path": folder, "collection_name": collection, "embedding_model_dims": dimension, "on_disk": True}
        self._vectors: Any = VectorStoreFactory.create("qdrant", config)
        if history != IN_MEMORY:
            Path(history).parent.mkdir(parents=True, exist_ok=True)
        self._history = SQLiteManager(history)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._vectors.client, name)

    def insert(
        self, points: Sequence[str], vectors: list[list[float]], payloads: list[Any], history: Iterable[HistoryRecord]
    ) -> None:
        """Write records as `Memory.add(infer=False)` does, with ids of our own, and say so in the history."""
        with _without_advice():
            self._vectors.insert(vectors=vectors, payloads=payloads, ids=[*points])
        self._history.batch_add_history([dict(each) for each in history])

    def forget(self, points: Sequence[str], history: Iterable[HistoryRecord]) -> None:
        """Delete records, and say so in the history."""
        for point in points:
            self._vectors.delete(point)
        self._history.batch_add_history([dict(each) for each in history])

    def close(self) -> None:
        """Close both files."""
        self._history.close()
        self._vectors.client.close()


@contextmanager
def _without_advice() -> Iterator[None]:
    """mem0 advises to install what its search by words needs. Ours does not need it."""
    logger = logging.getLogger("mem0.vector_stores.qdrant")
    logger.addFilter(_is_no_advice)
    try:
        yield
    finally:
        logger.removeFilter(_is_no_advice)


def _is_no_advice(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith("fastembed not installed")


@contextmanager
def _discreet(folder: str) -> Iterator[None]:
    """What mem0 decides when it is imported: whether it reports to its makers (no), and where it makes its own folder
    (in ours, not in the user's home). A host that has decided is left alone.
    """
    undecided = [] if "mem0" in sys.modules else [name for name in (_TELEMETRY, _HOME) if name not in os.environ]
    for name in undecided:
        os.environ[name] = "False" if name == _TELEMETRY else _home_in(folder)
    try:
        yield
    finally:
        for name in undecided:
            del os.environ[name]


def _home_in(folder: str) -> str:
    """Where mem0 keeps what is its own; for a store in memory, until the program ends."""
    if folder != IN_MEMORY:
        return str(Path(folder) / ".mem0")
    made = mkdtemp(prefix="earwitness-mem0-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made
