"""The conformance suite of detectors.

In a test file of your own:

    from earwitness.testing.detector import DetectorSuite

    class TestLastTwo(DetectorSuite):
        keeps_whispers = "looks only at who spoke"

        def make_detector(self) -> LastTwo:
            return LastTwo()
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ..protocols import Detector
from .cases.detector_answers import Answers
from .suite import Report, adapted, check


class DetectorSuite(Answers):
    """Subclass it, and create your own detector in `make_detector`."""


def check_detector(make: Callable[[], Detector | Awaitable[Detector]], **flags: Any) -> Report:
    """Run the suite without pytest. `make` is a class or a factory; flags are attributes of the suite.

    Raises one `ExceptionGroup` with every failure.
    """
    return check(adapted(DetectorSuite, "make_detector", lambda folder: make(), flags))
