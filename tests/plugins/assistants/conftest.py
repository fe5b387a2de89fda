"""A bot whose conversations are uploaded to a service."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from earwitness import Earwitness
from earwitness.testing.reference import MemoryLedger

from .uploads import Service


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
async def ew(tmp_path: Path, service: Service) -> AsyncIterator[Earwitness]:
    async with Earwitness.open(tmp_path / "bot.db", store=service, ledger=MemoryLedger()) as ew:
        yield ew
