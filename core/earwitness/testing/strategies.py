"""Hypothesis strategies for the suites' properties. Import it only where a property is tried: it needs hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from ..filters import OPERATORS, And, Compare, Filter, In, Not, Operator, Or, Scalar, is_number
from ..records.memory_types import MetaValue
from .samples import ODD_NAMES

FIELDS = ("speaker", "participants", "isSpeaker", "gameDay", "location", "type", 'it\'s "odd"')
WORDS = ("bob", "alice", "Bob", "3", "", "true", "the cave", "'; --")
NUMBERS = (0, 1, 3, -2, 2.5, 3.0, 1e9)

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30)
"""Any text that every backend can hold: no NUL, no lone surrogate."""
ids = st.one_of(st.sampled_from(ODD_NAMES), texts.filter(bool))
"""Ids and container names, likely and unlikely."""
scalars = st.one_of(st.sampled_from(WORDS), st.sampled_from(NUMBERS), st.booleans())
"""Values that a filter may compare with, likely to match those in `metadata`."""
values: st.SearchStrategy[MetaValue] = st.one_of(scalars, st.lists(st.sampled_from(WORDS), max_size=3))
"""The values a metadata field may hold."""
metadata = st.dictionaries(st.sampled_from(FIELDS), values, max_size=5)
"""Stored metadata."""


def _comparison(field: str, operator: Operator, value: Scalar) -> Filter:
    takes_it = operator in {"==", "!="} or is_number(value)
    return Compare(field, operator if takes_it else "!=", value)


comparisons = st.builds(_comparison, st.sampled_from(FIELDS), st.sampled_from(OPERATORS), scalars)
"""`field operator value`, always within the grammar."""
memberships = st.builds(In, st.sampled_from(FIELDS), st.lists(st.sampled_from(WORDS), max_size=3).map(tuple))
"""`field in (…)`."""
filters: st.SearchStrategy[Filter] = st.recursive(
    comparisons | memberships,
    lambda parts: st.one_of(
        st.lists(parts, max_size=3).map(tuple).map(And), st.lists(parts, max_size=3).map(tuple).map(Or), parts.map(Not)
    ),
    max_leaves=6,
)
"""Any filter of the grammar."""
