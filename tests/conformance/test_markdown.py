"""The store of files keeps the contract and the promises."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from errno import ENOSPC
from pathlib import Path
from unittest.mock import patch

from earwitness.loading.resources import Resources
from earwitness.protocols import Store
from earwitness.testing.promises import PromisesSuite
from earwitness.testing.store import StoreSuite
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.ledgers.sqlite import SqliteLedger
from earwitness_plugins.stores.markdown import MarkdownStore, folder

EMBEDDER = StaticEmbedder()


class TestMarkdownStore(StoreSuite):
    examples = 15
    atomic = "each container is a file of its own, written wholly or not at all"

    @contextmanager
    def cut_short(self, store: Store, after: int) -> Iterator[None]:
        """The disk is full after none or one of the two files of the batch."""
        files = iter(range(after % 2))
        replaced = folder.replaced

        def full(path: Path, text: str, still: Callable[[], bool]) -> bool:
            if next(files, None) is None:
                raise OSError(ENOSPC, "No space left on device")
            return replaced(path, text, still)

        with patch.object(folder, "replaced", full):
            yield

    def make_store(self) -> MarkdownStore:
        return MarkdownStore(path=str(self.folder / "story.db"), embedder=EMBEDDER)


class TestPromisesOnMarkdown(PromisesSuite):
    examples = 5

    def make_store_and_ledger(self) -> tuple[MarkdownStore, SqliteLedger]:
        path = str(self.folder / "story.db")
        return MarkdownStore(path=path, embedder=EMBEDDER), SqliteLedger(path=path, resources=Resources())
