"""The table of privacy, row by row: learned in × asked in, each with same or other channel, guild and persona."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, combinations, product
from typing import get_args

import pytest

from earwitness.filters import matches
from earwitness.records.channel import Context
from earwitness_relationships.privacy.place import Place, readable
from earwitness_relationships.privacy.table import CONTEXTS, PrivacyTable, privacy_table
from earwitness_relationships.settings import Bond, Policy, PrivacySettings
from earwitness_relationships.testing.reference_privacy import may_recall
from earwitness_relationships.testing.reference_privacy import table as rows

GRADED = privacy_table(PrivacySettings())
SAME_CONTEXT = privacy_table(PrivacySettings(policy="same_context"))
BONDS: tuple[Bond, ...] = get_args(Bond)
EVERY_COMBINATION = [frozenset(each) for each in chain.from_iterable(combinations(BONDS, n) for n in range(5))]


def graded(learned: Context, asked: Context, bonds: frozenset[Bond]) -> bool:
    """The rule in the words of the issue."""
    if learned == "dm":
        return asked == "dm" and "same_persona" in bonds
    if learned == "private_channel":
        in_the_channel = asked == "private_channel" and "same_channel" in bonds
        return in_the_channel or (asked == "dm" and "same_persona" in bonds)
    return bool(bonds & {"same_persona", "was_there"}) if asked == "dm" else "same_guild" in bonds


def same_context(learned: Context, asked: Context, bonds: frozenset[Bond]) -> bool:
    """The other rule."""
    return learned == asked and (learned != "dm" or "same_persona" in bonds)


@pytest.mark.parametrize("learned", CONTEXTS)
@pytest.mark.parametrize("asked", CONTEXTS)
def test_graded_allows_what_was_learned_where_its_listeners_are(learned: Context, asked: Context) -> None:
    for bonds in EVERY_COMBINATION:
        assert GRADED.allows(learned, asked, bonds) == graded(learned, asked, bonds), bonds


@pytest.mark.parametrize("learned", CONTEXTS)
@pytest.mark.parametrize("asked", CONTEXTS)
def test_same_context_allows_what_was_learned_in_the_kind_of_channel_asked_in(learned: Context, asked: Context) -> None:
    for bonds in EVERY_COMBINATION:
        assert SAME_CONTEXT.allows(learned, asked, bonds) == same_context(learned, asked, bonds)


def test_settings_tighten_a_row() -> None:
    silent = privacy_table(PrivacySettings(tighten={"public_channel": {"dm": ()}}))
    strict = privacy_table(PrivacySettings(tighten={"public_channel": {"dm": ("same_channel",)}}))
    assert GRADED.allows("public_channel", "dm", ("was_there",))
    assert not silent.allows("public_channel", "dm", BONDS)
    assert not strict.allows("public_channel", "dm", ("was_there",))
    assert strict.allows("public_channel", "dm", ("same_channel", "was_there"))


def test_no_settings_loosen_a_row() -> None:
    every = {learned: dict.fromkeys(CONTEXTS, BONDS) for learned in CONTEXTS}
    for policy in ("graded", "same_context"):
        base, wide = privacy_table(PrivacySettings(policy=policy)), PrivacySettings(policy=policy, tighten=every)
        for learned, asked, bonds in product(CONTEXTS, CONTEXTS, EVERY_COMBINATION):
            assert privacy_table(wide).allows(learned, asked, bonds) <= base.allows(learned, asked, bonds)


def test_what_no_row_allows_is_buried() -> None:
    buried = privacy_table(PrivacySettings(tighten={"dm": {"dm": ()}}))
    assert [context for context in CONTEXTS if buried.is_buried(context)] == ["dm"]
    assert not any(GRADED.is_buried(context) for context in CONTEXTS)


# ── the filter, on metadata as it is stored ──────────────────────────────────────────────────────────────────────────

IDS = (None, "a", "b")
SESSIONS = ("s1", "s2")


def bonds_of(metadata: dict[str, object], place: Place) -> frozenset[Bond]:
    """What a memory and a place have in common, without any filter."""
    session = metadata.get("sessionId", place.session)
    one_session = place.channel_id is not None or session == place.session
    channel = metadata.get("channelId") == place.channel_id and one_session
    guild = metadata.get("guildId") == place.guild_id
    there = session == place.session and bool({*metadata["participants"]} & {*place.characters})  # type: ignore[misc]
    persona = metadata.get("personaId") == place.persona_id
    learned = metadata.get("contextType", "private_channel")
    if persona and place.persona_id is None and learned != "public_channel":  # its channel says who is in it
        persona = channel and guild and (learned == place.context or place.channel_id is None)
    found: dict[Bond, bool] = {
        "same_channel": channel and guild,
        "same_guild": guild,
        "same_persona": persona,
        "was_there": there or (persona and place.persona_id is not None),
    }
    return frozenset(bond for bond, holds in found.items() if holds)


def places() -> list[Place]:
    """Every place, asked in session `s1`. The persona `a` is the character `kenji` there, and `b` is `mary`."""
    characters = {None: (), "a": ("kenji",), "b": ("mary",)}
    return [
        Place("s1", context, channel, guild, persona, characters[persona])
        for context, channel, guild, persona in product(CONTEXTS, IDS, IDS, IDS)
    ]


def memories() -> list[dict[str, object]]:
    """The metadata of every memory."""
    found = []
    for context, channel, guild, persona, session, there in product(
        (*CONTEXTS, None), IDS, IDS, IDS, (None, *SESSIONS), (["kenji", "alice"], ["alice"])
    ):
        ids = {"channelId": channel, "guildId": guild, "personaId": persona, "contextType": context}
        given = {**ids, "sessionId": session, "participants": there}
        found.append({key: value for key, value in given.items() if value is not None})
    return found


@pytest.mark.parametrize("table", [GRADED, SAME_CONTEXT], ids=["graded", "same_context"])
def test_the_filter_says_what_the_table_says(table: PrivacyTable) -> None:
    stored = memories()
    for place in places():
        filter = readable(table, place)
        for metadata in stored:
            learned: Context = metadata.get("contextType", "private_channel")  # type: ignore[assignment]
            allowed = table.allows(learned, place.context, bonds_of(metadata, place))
            assert matches(filter, metadata) == allowed, (metadata, place)


@pytest.mark.parametrize("context", ["DM", "group", "public"])
def test_what_was_learned_in_no_known_context_is_read_nowhere(context: str) -> None:
    metadata = {"contextType": context, "participants": ["kenji"], "personaId": "a", "channelId": "a", "guildId": "a"}
    for stored in (metadata, {"contextType": context}):
        assert not any(matches(readable(GRADED, place), stored) for place in places())


def test_what_is_permanent_is_read_everywhere() -> None:
    lore = {"permanent": True, "contextType": "dm", "personaId": "z"}
    assert all(matches(readable(SAME_CONTEXT, place), lore) for place in places())


def test_the_filter_of_a_place_is_made_once() -> None:
    assert readable(GRADED, Place("s1", "dm")) is readable(GRADED, Place("s1", "dm"))


@pytest.mark.parametrize("policy", ["graded", "same_context"])
def test_the_filter_says_what_the_reference_says(policy: Policy) -> None:
    """The reference was written without looking at the table."""
    made = privacy_table(PrivacySettings(policy=policy))
    for (learned, asked), there in product(rows(), ((), ("kenji",))):
        place = Place("s1", asked.context, asked.channel_id, asked.guild_id, asked.persona_id, ("kenji",))
        known = [asked.persona_id] if there and asked.persona_id else []
        metadata = {**learned.metadata, "participants": there}
        if asked.persona_id is None:
            place = replace(place, characters=())
        assert matches(readable(made, place), metadata) == may_recall(policy, learned, asked, known), (learned, asked)
