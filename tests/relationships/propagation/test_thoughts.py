"""Whatever the rule, nobody tells what was only thought."""

from __future__ import annotations

import pytest

from earwitness import Channel

from .conftest import Village

MEMBERS = "  members: [alice, bob, dan]\n"
RULES = {
    "at once": f"t:\n{MEMBERS}  rules: [propagate_all]\n",
    "witnessed": f"t:\n{MEMBERS}  rules: {{propagate_all: {{to: all_members, as: witnessed}}}}\n",
    "summary": f"t:\n{MEMBERS}  rules: [propagate_all, {{retell: summary}}]\n",
    "hub": f"t:\n{MEMBERS}  rules: [propagate_all, {{hub_from: 2}}]\n",
    "conversation": f"t:\n{MEMBERS}  rules: [propagate_all, {{when: conversation}}]\n",
    "hops": f"t:\n{MEMBERS}  relationships:\n"
    "    - {from: alice, to: bob, rules: [share_all_direct_user_interactions]}\n"
    "    - {from: bob, to: dan, rules: [gossip_about_others]}\n",
}
LOBBY = Channel(context="public_channel", channel_id="lobby")


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
async def test_a_thought_is_passed_on_by_no_rule(village: Village, rules: str) -> None:
    story = await village(rules, "alice", "bob", "dan", detector="rules")
    await story.say("alice", '"Welcome, Sam." [I poisoned her wine.]', present=["sam"], channel=LOBBY)
    await story.say("alice", "[I poisoned her wine.]", present=["sam"], channel=LOBBY)
    await story.close_conversation("lobby")  # type: ignore[attr-defined]
    await story.delivered()
    for who in ("bob", "dan"):
        told = (await story.turn(who, query="Welcome wine", in_prompt=[], channel=LOBBY)).text()
        assert '"Welcome, Sam."' in told, who
        assert "poison" not in told, who
