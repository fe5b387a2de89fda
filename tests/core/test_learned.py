"""How a memory was learned: typed, and worded in one place."""

import pytest

from earwitness import Memory
from earwitness.records.learned import Learned
from earwitness.records.memory_types import MetaValue
from earwitness.start.recalled import Recalled


def memory(content: str = "x", **metadata: MetaValue) -> Memory:
    """A memory in somebody's container."""
    return Memory(id="m", container="s-bob", content=content, metadata=metadata)


@pytest.mark.parametrize(
    ("metadata", "learned", "words"),
    [
        ({"permanent": True, "type": "lore"}, Learned(way="before"), "knew it before the story"),
        ({"speaker": "bob", "isSpeaker": True}, Learned(way="said", teller="bob"), "said it"),
        ({"speaker": "alice", "isSpeaker": False}, Learned(way="heard", teller="alice"), "heard it from Alice"),
        (
            {"speaker": "alice", "interactionType": "witnessed"},
            Learned(way="witnessed", teller="alice"),
            "witnessed Alice saying it",
        ),
        (
            {"speaker": "carol", "interactionType": "shared", "sharedFrom": "alice"},
            Learned(way="told", teller="alice"),
            "was told by Alice",
        ),
        ({"interactionType": "shared"}, Learned(way="told"), "was told by somebody"),
        ({"interactionType": "witnessed"}, Learned(way="witnessed"), "saw it happen"),
        ({"type": "character_update"}, Learned(way="heard"), "was there"),
        ({"type": "summary"}, Learned(way="noted"), "noted it"),
        (
            {"type": "summary", "interactionType": "shared", "sharedFrom": "alice"},
            Learned(way="told", teller="alice"),
            "was told by Alice",
        ),
    ],
)
def test_a_memory_says_how_its_owner_came_to_know_it(
    metadata: dict[str, MetaValue], learned: Learned, words: str
) -> None:
    assert memory(**metadata).learned == learned
    assert learned.words(str.title) == words
    assert str(learned) == words.replace("Alice", "alice")


def test_what_was_told_along_with_a_message_in_the_prompt_is_news() -> None:
    heard = memory(speaker="alice", isSpeaker=False)
    assert str(Recalled(memory=heard, score=1, parts={}).learned) == "heard it from alice"
    assert str(Recalled(memory=heard, score=1, parts={"news": 1}).learned) == "learned it as news of the world"


def test_the_words_that_find_a_piece_of_lore_are_no_part_of_its_text() -> None:
    lore = memory("[blade, relic]\nIt glows.", words=["blade", "relic"])
    assert lore.text == "It glows."
    assert Recalled(memory=lore, score=1, parts={}).text == "It glows."
    assert memory("[softly]\nIt glows.").text == "[softly]\nIt glows."
