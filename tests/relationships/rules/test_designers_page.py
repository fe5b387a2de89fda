"""The designers' page says every option, and what the levels and defaults are."""

import re
from pathlib import Path

import pytest

from earwitness_relationships.errors import RulesError
from earwitness_relationships.rules import Rules, rules_text
from earwitness_relationships.rules.forms import spelled


@pytest.fixture
def page(checkout: Path) -> str:
    return (checkout / "docs" / "designers.md").read_text("utf-8")


def test_every_option_has_a_row(page: str) -> None:
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    told = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert {spelled(name) for name in Rules.model_fields} - told == set()


def test_every_rule_file_on_the_page_can_be_read(page: str) -> None:
    files = re.findall(r'```yaml title="\w+\.yaml"\n(.*?)```', page, re.DOTALL)
    assert len(files) >= 2
    assert all(rules_text(text).pantheons for text in files)


def test_the_mistake_on_the_page_is_reported_as_it_says(page: str) -> None:
    (first, *_) = re.findall(r'```yaml title="\w+\.yaml"\n(.*?)```', page, re.DOTALL)
    with pytest.raises(RulesError) as refused:
        rules_text(first.replace("share_direct_interactions", "share_direct_interaction"))
    begin, end = next(line for line in page.splitlines() if line.startswith("rules.yaml:4:")).split("…")
    assert str(refused.value).startswith(begin.strip())
    assert str(refused.value).endswith(end.strip())
