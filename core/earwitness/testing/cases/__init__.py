"""The tests of the conformance suites, one module for each promise or part of a contract."""
