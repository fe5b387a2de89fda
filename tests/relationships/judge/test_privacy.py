"""The guard's table lets be read exactly what the reference does."""

from collections.abc import Collection

import pytest

from earwitness import Channel
from earwitness.filters import matches
from earwitness_relationships.privacy.place import Place, readable
from earwitness_relationships.privacy.table import privacy_table
from earwitness_relationships.settings import PrivacySettings
from earwitness_relationships.testing.leaks import POLICIES
from earwitness_relationships.testing.reference_privacy import may_recall, table


def is_readable(policy: str, learned: Channel, asked: Channel, there: Collection[str]) -> bool:
    """What the guard's filter says of a memory of one session, asked for in the same one."""
    ids = {"channelId": learned.channel_id, "guildId": learned.guild_id, "personaId": learned.persona_id}
    stored = {name: value for name, value in ids.items() if value is not None}
    characters = () if asked.persona_id is None else (asked.persona_id,)
    place = Place("s1", asked.context, asked.channel_id, asked.guild_id, asked.persona_id, characters)
    privacy = privacy_table(PrivacySettings.model_validate({"policy": policy}))
    return matches(readable(privacy, place), {**stored, "contextType": learned.context, "participants": sorted(there)})


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("there", [(), ("here",), ("there",), ("someone",)])
def test_the_guard_and_the_reference_agree_on_every_row(policy: str, there: tuple[str, ...]) -> None:
    differ = [
        (str(learned), str(asked))
        for learned, asked in table()
        if is_readable(policy, learned, asked, there) != may_recall(policy, learned, asked, there)
    ]
    assert differ == []
