"""The single tests of the suites, one room a promise."""
