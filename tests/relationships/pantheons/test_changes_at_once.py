"""Tasks that change one pantheon at the same time: each change is checked against what the others have written."""

from asyncio import gather
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness
from earwitness_relationships.errors import RulesError

Opener = Callable[..., Awaitable[Earwitness]]
RULES = "town: {rules: {propagate_all: true}, members: [ann, ben]}"


@pytest.mark.parametrize("everywhere", [False, True], ids=["in the story", "in all stories"])
async def test_no_change_is_lost_and_no_membership_is_there_twice(
    open_app: Opener, tmp_path: Path, everywhere: bool
) -> None:
    (tmp_path / "rules.yaml").write_text(RULES)
    ew = await open_app(relationships={"rules": str(tmp_path / "rules.yaml")})
    story, again = await ew.session("s1", cast=["ann", "ben"]), await ew.session("s1")
    one, other = [(ew if everywhere else each).relationships.pantheons for each in (story, again)]
    await gather(one.change("town", name="The town"), other.change("town", description="By the river."))
    await gather(
        one.change_member("town", "ann", role="leader"), other.change_member("town", "ann", rules={"delay": 2})
    )
    joined = await gather(
        one.add_member("town", "dan", since=1), other.add_member("town", "dan", since=2), return_exceptions=True
    )
    made = await gather(one.create("inn", members=["ann"]), other.create("inn"), return_exceptions=True)
    assert [_refused(each) for each in (joined, made)] == [["A membership is unique."], ["choose another slug."]]
    town = await one.get("town")
    (ann,) = [each for each in town.members if each.personality_id == "ann"]
    assert (town.name, town.description) == ("The town", "By the river.")
    assert (ann.role, ann.rules.options) == ("leader", {"delay": 2.0})
    assert [each.personality_id for each in town.members].count("dan") == 1


def _refused(answers: list[Any]) -> list[str]:
    errors = [str(each) for each in answers if isinstance(each, RulesError)]
    return [f"{each.split('. ')[-1].split(', or ')[-1].strip('.')}." for each in errors]
