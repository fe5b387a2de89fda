"""Conformance suites that third parties can run against their own store, ledger or detector.

`testing.store`, `testing.ledger`, `testing.detector` and `testing.world_agent` hold one suite each, to subclass in a
test file, and one `check_…` function that runs it without pytest. `testing.reference` holds a store and a ledger for
your own tests. Properties are tried with hypothesis where it is installed.
"""

import sys

# lets a failing assertion of a suite show its values, as in your own test files
if "pytest" in sys.modules:
    sys.modules["pytest"].register_assert_rewrite(f"{__name__}.cases")
