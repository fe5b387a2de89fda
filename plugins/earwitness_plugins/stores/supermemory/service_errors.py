"""What the service may answer instead of its work: that it is away, or that it refuses."""

from __future__ import annotations

from earwitness.errors import StorageError
from earwitness_plugins.services.breaker import LeftAlone

PASSING = frozenset({408, 409, 425, 429})
"""Refusals that may be over when the call is made again; so may everything from 500."""
OF_TEXTS = frozenset({400, 413, 422})
"""Refusals of what a call brings; the others, such as 401, are about the account."""


class ServiceAway(StorageError):
    """The service did not answer, not in time, or asked to be asked again later."""


class ServiceLeftAlone(ServiceAway, LeftAlone):
    """The service was not asked, because it did not answer before."""


class ServiceRefused(StorageError):
    """The service refuses this call, and would do so again."""


class TextRefused(ServiceRefused):
    """The service refuses what the call brings, whoever makes it: its text or its metadata."""


def advice_about(status: int) -> str:
    """What to do about a refusal; empty if its own words say enough."""
    advice = {
        401: "the key is not valid. Check `api_key`, or SUPERMEMORY_API_KEY. ",
        402: "the account's plan does not allow it. ",
        403: "the key may not do this. ",
        413: "it is too large. Set `largest_text` lower. ",
    }
    return advice.get(status, "")
