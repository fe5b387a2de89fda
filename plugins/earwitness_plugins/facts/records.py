"""What somebody says of themselves: one frozen record for each fact."""

from __future__ import annotations

from earwitness import Record

LIKINGS = frozenset(("loves", "hates"))
"""Of these, one holds at a time of each thing."""


class SaidFact(Record):
    """One thing that a speaker says of themselves."""

    about: str
    """What it is about, such as `home`."""
    value: str
    """What is said of it, in the speaker's words, such as `Rome`."""
    wording: str
    """The fact as a sentence, with `{who}` for the speaker's name."""
    now: str = ""
    """The same sentence for a fact that has changed; empty where it never does."""
    confidence: float = 0.9
    """0 to 1: how sure it is that this was meant."""

    @property
    def replaces(self) -> bool:
        """Whether only one fact of this `topic` holds at a time, so that another `stand` is a new version."""
        return bool(self.now)

    @property
    def topic(self) -> str:
        """Of what only one fact holds at a time: what it is about, such as `home`; of likings, also of which thing."""
        return f"liking={self.value.casefold()}" if self.about in LIKINGS else self.about

    @property
    def stand(self) -> str:
        """What is said of its topic: the value; of a thing, whether it is loved or hated."""
        return self.about if self.about in LIKINGS else self.value

    @property
    def id(self) -> str:
        """The same for the same fact in other letter case."""
        return f"{self.about}={self.value.casefold()}"

    def sentence(self, who: str, *, changed: bool = False) -> str:
        """The fact in words."""
        return (self.now if changed and self.now else self.wording).replace("{who}", who).replace("{it}", self.value)
