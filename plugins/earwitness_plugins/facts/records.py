"""What somebody says of themselves: one frozen record for each fact."""

from __future__ import annotations

from earwitness import Record


class SaidFact(Record):
    """One thing that a speaker says of themselves."""

    about: str
    """What it is about, such as `home`."""
    value: str
    """What is said of it, in the speaker's words, such as `Rome`."""
    wording: str
    """The fact as a sentence, with `{who}` for the speaker's name."""
    now: str = ""
    """The same sentence for a fact that has changed; empty where several may hold side by side."""
    confidence: float = 0.9
    """0 to 1: how sure it is that this was meant."""

    @property
    def replaces(self) -> bool:
        """Whether only one fact of this kind holds at a time, so that a new value is a new version."""
        return bool(self.now)

    @property
    def id(self) -> str:
        """The same for the same fact in other letter case."""
        return f"{self.about}={self.value.casefold()}"

    def sentence(self, who: str, *, changed: bool = False) -> str:
        """The fact in words."""
        return (self.now if changed and self.now else self.wording).replace("{who}", who).replace("{it}", self.value)
