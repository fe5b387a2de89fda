"""What may go wrong when a language model is asked. None of it may reach a host: whoever asks has another answer."""

from __future__ import annotations

from earwitness.errors import StrategyError


class ModelError(StrategyError):
    """A language model gave no answer that can be used. The message says why, and never holds a key."""


class ModelAway(ModelError):
    """The server refused, failed, or did not answer."""

    def __init__(
        self, message: str, *, passes: bool = False, retry_after: float | None = None, is_free: bool = False
    ) -> None:
        super().__init__(message)
        self.passes = passes
        """Whether asking again may help: too many requests, a failing server, a lost connection."""
        self.retry_after = retry_after
        """Seconds after which the server wants to be asked again, if it says so."""
        self.is_free = is_free
        """Whether the call cost nothing: the server refused it, or was never reached."""


class AnswerCut(ModelAway):
    """A stream ended before the answer was whole. The pieces that came are not an answer."""

    def __init__(self, why: ModelError, characters: int) -> None:
        super().__init__(f"the answer broke off after {characters:,} characters: {why}")
        self.why = why
        """What went wrong."""


class UnsupportedSchema(ModelAway):
    """The server does not take a JSON schema."""


class BudgetSpent(ModelError):
    """The turn or the session may not spend more on models."""


class NotOnCassette(ModelError):
    """A cassette is replayed, and has no answer to this request."""


class UnusableAnswer(ModelError):
    """The model answered twice, and neither answer could be read."""
