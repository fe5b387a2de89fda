"""The reranker's tokens of contents that were found before."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from earwitness.words import plain
from earwitness_plugins.ranking import Reranker, TokenIds

from .text import given

_MOST = 20_000
"""So many contents are remembered: some 10 MB."""


class TokenCache:
    """Cuts a content into tokens once, as long as it is asked for now and then."""

    def __init__(self, reranker: Reranker | None) -> None:
        self._reranker = reranker
        self._known: OrderedDict[str, TokenIds] = OrderedDict()

    def __call__(self, content: str) -> TokenIds:
        """The token ids of a stored content; shape (n,)."""
        if self._reranker is None:
            return np.zeros(0, np.int32)
        found = self._known.pop(content, None)
        if found is None:
            found = self._reranker.token_ids(plain(given(content)))
        self._known[content] = found
        if len(self._known) > _MOST:
            self._known.popitem(last=False)
        return found
