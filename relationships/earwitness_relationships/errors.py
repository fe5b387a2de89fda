"""The error of this package. It belongs to the tree of `earwitness.errors`."""

from __future__ import annotations

from earwitness.errors import InputError


class RulesError(InputError):
    """A rule file, a pantheon or a relation cannot be used. For a file, the message names file, line and column."""
