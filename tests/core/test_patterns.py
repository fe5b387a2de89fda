"""A pattern that is compiled at its first use can be copied and pickled before and after."""

import copy
import pickle

from earwitness.patterns import lazy_pattern


def test_a_lazy_pattern_can_be_copied_and_pickled() -> None:
    pattern = lazy_pattern("a+")
    for _ in range(2):
        for copied in (copy.copy(pattern), pickle.loads(pickle.dumps(pattern))):
            assert copied.search("baa")
        assert pattern.search("baa")
