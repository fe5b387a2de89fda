"""Regular expressions that are compiled when they are first used: most messages need few of the hundreds there are."""

from __future__ import annotations

import re
from typing import Any, AnyStr, Generic, cast

_OWN = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split", "pattern")


class _LazyPattern(Generic[AnyStr]):
    """Stands in for a pattern, whose methods become its own attributes at the first use. Later uses cost no more."""

    def __init__(self, regex: AnyStr, flags: int) -> None:
        self._regex: AnyStr = regex
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # of a copy that is still being made
            raise AttributeError(name)
        compiled = re.compile(self._regex, self._flags)
        self.__dict__.update({each: getattr(compiled, each) for each in _OWN})
        return getattr(compiled, name)


def lazy_pattern(regex: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, but compiled at the first use. For the patterns of a module, of which a process may need none.

    It has the methods and attributes of a pattern, but is none: functions such as `re.sub` do not take it, and it is
    never `match.re` (compare their `pattern`). A mistake in it raises `re.error` at the first use; a test of ours
    compiles all of them.
    """
    return cast("re.Pattern[AnyStr]", _LazyPattern(regex, flags))
