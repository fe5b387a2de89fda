"""The pages that the tests of the docs read: README.md and everything in docs/."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

_FENCE = re.compile(
    r'^(?P<indent> *)```(?P<language>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^(?P=indent)```$',
    re.DOTALL | re.MULTILINE,
)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
_CODE = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True)
class Block:
    """A fenced block of code."""

    language: str
    title: str | None
    """The file it stands for, as in ```python title="mine.py"."""
    text: str
    line: int
    """Of its first line, from 1."""
    follows: Block | None
    """The block that stands just before it, with nothing between."""


@dataclass(frozen=True)
class Page:
    """One page."""

    path: Path

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT))

    @cached_property
    def text(self) -> str:
        return self.path.read_text("utf-8")

    @cached_property
    def prose(self) -> str:
        """The text without its blocks of code."""
        return _FENCE.sub("", self.text)

    @cached_property
    def blocks(self) -> list[Block]:
        return list(self._blocks())

    @property
    def headings(self) -> list[str]:
        return _HEADING.findall(self.prose)

    @property
    def links(self) -> list[str]:
        return _LINK.findall(self.prose)

    @property
    def code(self) -> list[str]:
        """Everything in backticks."""
        return _CODE.findall(self.prose)

    @property
    def anchors(self) -> set[str]:
        """What a link to a heading says, as GitHub makes it."""
        kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in self.headings)
        return {each.replace(" ", "-") for each in kept}

    def _blocks(self) -> Iterator[Block]:
        before, end = None, 0
        for found in _FENCE.finditer(self.text):
            follows = before if not self.text[end : found.start()].strip() else None
            line = self.text.count("\n", 0, found.start("text")) + 1
            indent = re.compile(f"^{found['indent']}", re.MULTILINE)
            before = Block(found["language"], found["title"], indent.sub("", found["text"]), line, follows)
            end = found.end()
            yield before


@pytest.fixture(params=PAGES, ids=lambda path: path.name)
def page(request: pytest.FixtureRequest) -> Page:
    """Each page in turn."""
    return Page(request.param)


@pytest.fixture(scope="session")
def pages() -> dict[str, Page]:
    """All pages, by path from the checkout."""
    return {page.name: page for page in map(Page, PAGES)}
