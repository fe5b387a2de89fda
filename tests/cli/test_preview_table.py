"""The table of a preview shows rules whole, however narrow the terminal is."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from earwitness import Cast, Character, Message
from earwitness.backstage.preview import Preview
from earwitness.records.stop import Stopped
from earwitness_plugins.terminal.people import People
from earwitness_plugins.terminal.preview import preview

RULE = "a_pantheon_with_a_long_name:share_all_direct_user_interactions_of_its_members"


def test_a_long_rule_is_wrapped_and_not_cut() -> None:
    cast = Cast(members=(Character("alice"), Character("bob")))
    message = Message(
        sequence=1, key="m1", speaker="alice", content="Hello.", game_day=1, scene="here", timestamp="now"
    )
    stop = Stopped(character="bob", shared_from="alice", rule=RULE, reason="the coin fell otherwise")
    console = Console(width=80, record=True, file=StringIO())
    console.print(preview(Preview(message=message, participants={}, deliveries=(), stops=(stop,)), People(cast)))
    shown = console.export_text()
    assert "…" not in shown
    rows = [line.rstrip().rpartition("  ")[2] for line in shown.rstrip().partition("─")[2].splitlines()[1:]]
    assert "".join(rows) == RULE
    assert all(each.endswith(("_", ":", "members")) for each in rows)
