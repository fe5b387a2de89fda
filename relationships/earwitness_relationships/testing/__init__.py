"""Conformance suites that a third party can run against its own graph, engine or table of privacy.

`graph` is the suite of graph stores. `leaks` and `played_cases` compare an engine and a table of privacy with
`reference` and `reference_privacy`, on the random cases of `cases`.
"""
