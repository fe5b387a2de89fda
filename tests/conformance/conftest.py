"""Fixtures of the conformance suites as we run them."""

from collections.abc import Iterator

import pytest

from earwitness import time_limit


@pytest.fixture(scope="module", autouse=True)
def abandoned_work_ends_soon() -> Iterator[None]:
    """What never ends is given up after a moment, since each loop waits for it at its end: in these suites alone."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(time_limit, "GRACE", 0.05)
        yield
