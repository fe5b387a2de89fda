from __future__ import annotations

import pytest

from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.embedders.table import SHIPPED, StaticTable, read_table
from earwitness_plugins.embedders.wordpiece import WordPiece


@pytest.fixture(scope="session")
def table() -> StaticTable:
    return read_table(SHIPPED)


@pytest.fixture(scope="session")
def wordpiece(table: StaticTable) -> WordPiece:
    return WordPiece(table.vocabulary)


@pytest.fixture(scope="session")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()
