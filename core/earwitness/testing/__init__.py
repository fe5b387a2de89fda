"""What any third party can run against its own store, ledger or detector.

`testing.store`, `testing.ledger` and `testing.detector` hold one suite each, to subclass in a test file, and one
`check_…` function that runs it without pytest. `testing.reference` holds a store and a ledger for tests of your own.
Properties are tried with hypothesis where it is installed.
"""

import sys

# So that a failing assertion of a suite shows its values, as one of your own test files would.
if "pytest" in sys.modules:
    sys.modules["pytest"].register_assert_rewrite(f"{__name__}.cases")
