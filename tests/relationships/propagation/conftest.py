"""Stories under a rule file that a test writes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Character, Earwitness, Session

Village = Callable[..., Awaitable[Session]]


@pytest.fixture
def village(open_app: Callable[..., Awaitable[Earwitness]], tmp_path: Path) -> Village:
    """Opens a story under these rules, with these characters and a user's persona `sam`."""

    async def village(rules: str, *ids: str, **given: Any) -> Session:
        (tmp_path / "rules.yaml").write_text(rules)
        graph = given.pop("graph", {"name": "networkx", "path": str(tmp_path / "graph.db")})
        table = {"rules": str(tmp_path / "rules.yaml"), "graph": graph, **given.pop("relationships", {})}
        ew = await open_app(relationships=table, **given)
        return await ew.session("s1", cast=[*map(Character, ids), Character("sam", kind="persona", user_id="u1")])

    return village
