"""The suites agree with the references, and the references with each other."""

from earwitness.testing.reference import MemoryStore
from earwitness.testing.store import StoreSuite

BY_WORDS = "ranks by words only"
IN_MEMORY = "keeps nothing outside its process"


class TestMemoryStore(StoreSuite):
    persistent = IN_MEMORY
    shared = IN_MEMORY
    ranks_by_meaning = BY_WORDS

    def make_store(self) -> MemoryStore:
        return MemoryStore()
