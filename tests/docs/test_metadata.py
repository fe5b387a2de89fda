"""The table of the metadata of memories names every key that a story can bring about, and no other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from earwitness import Channel, Character, Derivation, Earwitness, Lore
from earwitness.containers import pantheon_container
from earwitness.end.derivations import OUR_METADATA
from earwitness.events import Share, SharingEvent

ROW = re.compile(r"^\| (`.+?`) \| .+ \| .+ \|$", re.MULTILINE)
PLACE = Channel(context="dm", channel_id="42", guild_id="g7", persona_id="kim")


class Gossip:
    """Carol learns of everything that Bob hears."""

    def share(self, event: SharingEvent) -> list[Share]:
        heard = "bob" in event.message.participants and event.message.speaker == "alice"
        return [Share(character="carol", how="shared", shared_from="bob")] if heard else []


def documented(page: Any) -> set[str]:
    section = page.text.partition("## Metadata of memories\n")[2].partition("\n## ")[0]
    return {key for row in ROW.findall(section) for key in re.findall(r"`(\w+)`", row)}


async def everything(ew: Earwitness) -> set[str]:
    """The keys of all memories of a story in which everything happens once."""
    hub = pantheon_container("olympus")
    await ew.register(hub)
    story = await ew.session(
        "s1", cast=[Character("alice"), Character("bob"), Character("carol")], present=["alice", "bob"]
    )
    await story.prepare(plot="A sword is lost.", lore=[Lore(key="sword", text="It glows.", words=("blade",))])
    await story.say("alice", "Hello, Bob.", key="m1", channel=PLACE, present=["alice", "bob"])
    await story.say("alice", "*gives Bob the Sacred Sword*", key="m2", present=["alice", "bob"])
    await story.say("carol", "Good evening.", speak_as="Madame Noir", audience=["alice", "bob"])
    await story.change(current_scene="lair", weather="storm", flags={"gate": True})
    await story.update("Alice woke the dragon", character="alice", type="awoken", audience="public")
    await story.remember("alice", "Never again.", rests_on=["m1"])
    await story.derive(Derivation(content="Much happened.", owner="bob", rests_on=("m1", "m2"), replaces=True))
    await story.remember(None, "The gods watch.", container=hub)
    await story.documents.upload("bob", "# Debts\n\nAlice owes nine.", title="Ledger")
    branch = await story.fork("s2")
    await branch.remember(None, "The gods watch again.", container=hub)
    await branch.delivered()
    await story.delivered()
    memories = list(await ew.engine.store.list(hub.name))
    for owner in (*story.cast.ids, "world"):
        memories += (await story.backstage().inspect(owner)).memories
    return {key for memory in memories for key in memory.metadata}


async def test_the_table_of_metadata_is_what_memories_have(pages: Any, tmp_path: Path) -> None:
    async with Earwitness.open(tmp_path / "story.db", sharing_rules=[Gossip()], plugins=None) as ew:
        found = await everything(ew)
    assert found == documented(pages["docs/hosts.md"])
    assert set(OUR_METADATA) <= found
