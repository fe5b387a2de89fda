"""Conformance suites for graphs, rules and privacy that a third party can run against its own."""
