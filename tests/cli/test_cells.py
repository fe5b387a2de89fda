"""Long names in tables fold where they can still be read."""

from io import StringIO

import pytest
from rich.console import Console
from rich.table import Table

from earwitness_plugins.terminal.cells import FoldedCell

RULE = "night_watch:share_direct_interactions"


def lines(text: str, width: int) -> list[str]:
    """A table of one cell."""
    table = Table.grid()
    table.add_row(FoldedCell(text))
    console = Console(width=width, file=StringIO(), record=True)
    console.print(table)
    return [line.rstrip() for line in console.export_text().splitlines()]


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        (RULE, 40, [RULE]),
        (RULE, 20, ["night_watch:share_", "direct_interactions"]),
        (f"told by Ann ({RULE})", 26, ["told by Ann (night_watch:", "share_direct_interactions)"]),
        ("not from direct messages", 15, ["not from direct", "messages"]),
        ("greta-of-the-inn → bob", 12, ["greta-of-", "the-inn →", "bob"]),
        ("Jürgenörstedt", 6, ["Jürgen", "örsted", "t"]),
        ("", 9, [""]),
    ],
)
def test_a_name_folds_behind_its_punctuation_and_nothing_is_cut(text: str, width: int, shown: list[str]) -> None:
    assert lines(text, width) == shown


def test_a_column_is_never_narrower_than_its_longest_piece() -> None:
    table = Table.grid(padding=1)
    table.add_row(FoldedCell(RULE), FoldedCell("word " * 40))
    console = Console(width=30, file=StringIO(), record=True)
    console.print(table)
    assert "interactions " in console.export_text()
