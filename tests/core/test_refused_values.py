"""A value that a record cannot be made of is refused in our words: quoted, with what is allowed, and what was meant."""

from collections.abc import Callable
from typing import Any, cast

import pytest

from earwitness import (
    Channel,
    Character,
    Derivation,
    Earwitness,
    Lore,
    Membership,
    Movement,
    Participant,
    Perceived,
    Settings,
    Share,
    Strike,
    Update,
    Whereabouts,
)
from earwitness.errors import InputError
from earwitness.lore import as_lore
from earwitness.records.disguise import Unmasking
from earwitness_relationships.graph.records import Relation


def rules(**settings: object) -> Earwitness:
    return Earwitness.open("never.db", detector={"name": "rules", **settings})


CONTEXTS = "Allowed: 'dm', 'private_channel' or 'public_channel'."
REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "a context": (lambda: Channel(context="pm"), f"Channel: context = 'pm' is not allowed. {CONTEXTS}"),
    "a slip": (
        lambda: Channel(context="public_chanel"),
        f"context = 'public_chanel' is not allowed. {CONTEXTS} Did you mean 'public_channel'?",
    ),
    "a number": (lambda: Channel(channel_id=42), 'channel_id = 42 cannot be used: text is needed: "42".'),
    "a kind": (
        lambda: Character("a", kind="persna"),
        "kind = 'persna' is not allowed. Allowed: 'character', 'persona' or 'narrator'. Did you mean 'persona'?",
    ),
    "one alias": (lambda: Character("a", aliases="Al"), "aliases = 'Al' cannot be used: a list is needed: [\"Al\"]."),
    "an alias": (lambda: Character("a", aliases=[3]), 'aliases[0] = 3 cannot be used: text is needed: "3".'),
    "how": (
        lambda: Share(character="a", how="sharedd"),
        "how = 'sharedd' is not allowed. Allowed: 'direct', 'witnessed' or 'shared'. Did you mean 'shared'?",
    ),
    "trust": (lambda: Share(character="a", how="shared", trust=7), "trust = 7 cannot be used: it must be at most 1."),
    "a derivation": (
        lambda: Derivation(owner="a", content="b", how="told"),
        "how = 'told' is not allowed.",
    ),
    "a role": (
        lambda: Participant(role="speker"),
        "'speaker', 'addressee', 'present', 'overhearing', 'absent' or 'mentioned'. Did you mean 'speaker'?",
    ),
    "perceived": (lambda: Perceived(role="listener"), "Perceived: role = 'listener' is not allowed."),
    "a movement": (
        lambda: Movement(character="a", kind="enters"),
        "Movement: kind = 'enters' is not allowed.",
    ),
    "a condition": (lambda: Whereabouts(condition="sleeping"), "Whereabouts: condition = 'sleeping' is not allowed."),
    "an audience": (lambda: Update(description="It rained.", audience="everybody"), "Update: audience"),
    "a day": (
        lambda: Membership(container="pantheon-a", member="z", since="x"),
        "Membership: since = 'x' cannot be used: a number is needed.",
    ),
    "a field": (lambda: Channel(contxt="dm"), "Channel: there is no 'contxt', only context, channel_id, guild_id"),
    "known by": (lambda: Lore(text="x", known_by="alice"), "known_by = 'alice' cannot be used: a list is needed"),
    "a weight": (lambda: Relation(source="a", target="b", type="T", weight=-1), "Relation: weight = -1"),
    "a setting": (lambda: Settings.of(recall={"permanent": "alway"}), "Did you mean 'always'?"),
    "lore": (lambda: as_lore({"txt": "x"}), "there is no 'txt', only text, key, known_by, words. Did you mean 'text'?"),
    "lore that is a number": (lambda: as_lore(cast(Any, 3)), "lore entry 3: 3 cannot be used: keys with values"),
    "a strategy's number": (lambda: rules(earshot="far"), "setting earshot = 'far' cannot be used: a whole number is"),
    "a strategy's word": (lambda: rules(perception="x"), "perception = 'x' cannot be used: it must be 'segments' or"),
    "a strategy's table": (
        lambda: rules(confidences={"lively": 3}),
        "detector 'rules': setting confidences: lively: 3 cannot be used: it must be at most 1.",
    ),
    "a strategy's key": (lambda: rules(confidences={"livly": 0.3}), "unknown key 'livly'. Allowed: addressed, called"),
    "a setting of two tables": (
        lambda: rules(threshold=0.4),
        "It is a setting of the tables [recall] and [end]: write",
    ),
    "a blocked plugin": (
        lambda: Earwitness.open("never.db", block=["chronicl"]),
        "unknown plugin 'chronicl'. Known: chronicle, language_model, relationships. Did you mean 'chronicle'?",
    ),
    "a secret": (lambda: Settings.of(proxy={"token": "abc"}), "********** cannot be used: at least 16 characters are"),
    "a slip beside what is missing": (
        lambda: Update(text="It rained."),
        "there is no 'text', only description",
    ),
    "a reason": (lambda: Strike(character="a"), "Strike: "),
    "a mask": (lambda: Unmasking(character=3), "Unmasking: "),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_value_that_cannot_be_used_is_quoted_with_what_is_allowed(name: str) -> None:
    make, said = REFUSED[name]
    with pytest.raises(InputError) as refused:
        make()
    assert said in str(refused.value)
    assert "Input should be" not in str(refused.value)
