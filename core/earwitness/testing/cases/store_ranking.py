"""Search: its results, their order, and queries as plain text."""

# ruff: noqa: S101
from __future__ import annotations

from unittest import SkipTest

from ...extras import TermIndex
from ...formats import character_memory, message_line, recall_query
from ...protocols import Store
from ...records.backends import TermHolders
from ..samples import ODD_TEXTS, memory
from ..suite import case
from .store_base import StoreCases

TALE = (
    "Alice found the sword in the cave.",
    "Bob baked bread at dawn.",
    "The dragon guards the northern pass.",
    "Charlie lost his purse in the tavern.",
    "It rained all day on the market.",
    "The ferryman asked for two silver coins.",
)


class Ranking(StoreCases):
    """Searching inside one container."""

    async def _tell(self, store: Store) -> None:
        await store.put([memory("c", f"m{n}", text, gameDay=n) for n, text in enumerate(TALE)])
        await self.until_searchable(store)

    @case
    async def test_the_words_of_a_memory_find_it(self, store: Store) -> None:
        """The words match in whole or in part and in any letter case.

        The memory is the first hit, exactly as it was put.
        """
        await self._tell(store)
        for n, query in enumerate(
            ("the sword in the cave", "BREAD", "dragon", "Charlie's purse", "rained", "silver coins")
        ):
            hits = await store.search("c", query)
            assert hits[0].memory == memory("c", f"m{n}", TALE[n], gameDay=n), query

    @case
    async def test_other_words_for_the_same_thing_find_it(self, store: Store) -> None:
        """No word of the query is in the memory."""
        self.needs("ranks_by_meaning")
        await self._tell(store)
        for n, query in ((0, "blade"), (3, "lose money pub wallet"), (4, "weather was wet")):
            assert f"m{n}" in [hit.memory.id for hit in await store.search("c", query, limit=2)], query

    @case
    async def test_a_word_in_a_script_without_spaces_is_found(self, store: Store) -> None:
        """Chinese and Japanese sentences are not one word."""
        self.needs("splits_every_script")
        await store.put(
            [memory("c", "sword", "聖剣は洞窟にある"), memory("c", "bread", "パンを焼いた"), memory("c", "en", TALE[2])]
        )
        await self.until_searchable(store)
        assert (await store.search("c", "洞窟"))[0].memory.id == "sword"

    @case
    async def test_hits_come_best_first_and_no_more_than_asked(self, store: Store) -> None:
        """Scores descend and lie between 0 and 1; each memory comes once."""
        await self._tell(store)
        for query in ("the dragon in the tavern", "bread", "nothing of the sort", *ODD_TEXTS):
            for limit in (0, 1, 3, 50):
                hits = await store.search("c", query, limit=limit)
                scores = [hit.score for hit in hits]
                assert len(hits) == len({hit.memory.id for hit in hits}) <= min(limit, len(TALE))
                assert scores == sorted(scores, reverse=True)
                assert all(0 <= score <= 1 for score in scores)

    @case
    async def test_a_longer_list_begins_with_the_shorter_one(self, store: Store) -> None:
        """Asking for more does not change the best hits."""
        await self._tell(store)
        every = [hit.memory.id for hit in await store.search("c", "the dragon in the tavern", limit=6)]
        for limit in range(1, 6):
            fewer = [hit.memory.id for hit in await store.search("c", "the dragon in the tavern", limit=limit)]
            assert fewer == every[:limit]

    @case
    async def test_ties_stand_in_the_order_of_their_ids(self, store: Store) -> None:
        """This holds whatever the order of writing, and for repeated searches."""
        await store.put([memory("c", id, "the very same words") for id in ("m3", "m1", "m5", "m2", "m4")])
        await store.put([memory("c", "m0", "the very same words")])
        await self.until_searchable(store)
        for limit in (3, 6, 6):
            ids = [hit.memory.id for hit in await store.search("c", "the very same words", limit=limit)]
            assert ids == [f"m{n}" for n in range(limit)]

    @case
    async def test_what_was_put_is_found_at_once(self, store: Store) -> None:
        """New, replaced and removed memories count from one call to the next."""
        self.needs("searchable_at_once")
        for n in range(12):
            await store.put([memory("c", f"m{n}", f"the password is xyzzy{n}")])
            assert (await store.search("c", f"xyzzy{n}"))[0].memory.id == f"m{n}"
        await store.put([memory("c", "m3", "there is no password")])
        assert "xyzzy3" not in (await store.search("c", "xyzzy3"))[0].memory.content
        await store.remove({"c": ["m4"]})
        assert all(hit.memory.id != "m4" for hit in await store.search("c", "xyzzy4", limit=50))

    @case
    async def test_an_index_of_terms_says_who_holds_them(self, store: Store) -> None:
        """Terms are those of `earwitness.words`, of current memories, without the fixed parts of our formats."""
        self.needs("searchable_at_once")
        if not isinstance(store, TermIndex):
            raise SkipTest("the store has no index of terms: `who_knows` reads the whole world container")
        await self._tell(store)
        await store.put([memory("c", "m0", character_memory("Bob", "Swords for the dragon.", 1, 1))])
        await store.remove({"c": ["m3"]})
        found = await store.holders("c", ["sword", "dragon", "tavern", "bob", "messag"])
        assert found.count == len(TALE) - 1
        ids = {term: set(ids) for term, ids in found.ids.items()}
        assert ids == {"sword": {"m0"}, "dragon": {"m0", "m2"}, "tavern": set(), "bob": {"m0", "m1"}, "messag": set()}
        assert await store.holders("nowhere", ["sword"]) == TermHolders(count=0, ids={"sword": ()})

    @case
    async def test_any_query_is_only_text(self, store: Store) -> None:
        """Operators, quotes, SQL, markup and empty queries raise no error, and return only what is there."""
        await self._tell(store)
        for query in ODD_TEXTS:
            hits = await store.search("c", query, limit=50)
            assert {hit.memory.id for hit in hits} <= {f"m{n}" for n in range(len(TALE))}

    @case
    async def test_the_recall_query_finds_what_the_talk_is_about(self, store: Store) -> None:
        """The query of a turn has headings and a closing question, and the memories have headings of their own."""
        await store.put([memory("c", f"m{n}", character_memory("Bob", text, n, n)) for n, text in enumerate(TALE)])
        await self.until_searchable(store)
        for n, said in ((2, "Is there a dragon on the northern pass?"), (5, "Did the ferryman want silver coins?")):
            query = recall_query(9, [message_line("Alice", said, 9)], "Bob")
            assert (await store.search("c", query, limit=3))[0].memory.id == f"m{n}"
