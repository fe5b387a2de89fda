"""What the tests of planted mistakes share."""

from typing import Any

import pytest

from earwitness.testing.suite import Suite

IN_MEMORY = {"persistent": "in memory", "shared": "in memory"}


def fails(suite: type[Suite[Any]], test: str) -> None:
    """This test of the suite must fail, and say so as tests do."""
    with pytest.raises(AssertionError):
        getattr(suite(), test)()
