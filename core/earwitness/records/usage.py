"""What an answer rests on besides the strategy's settings: a version, a model, and what asking it cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from .base import Record
from .prose import counted


class ModelCall(Record):
    """One call to a model."""

    model: str
    """The model's name."""
    prompt: str = ""
    """Name and version of the prompt: `world_agent 1 (5f0c2a91)`; empty where there is none."""
    tokens_in: int = 0
    """Tokens in the prompt."""
    tokens_out: int = 0
    """Tokens in the answer."""
    seconds: float = 0.0
    """How long it took."""
    cost: float = 0.0
    """What it costs by the price list; a cached call has the cost of the call that was recorded."""
    cached: bool = False
    """Whether the answer came from a cassette, so that nobody was asked."""
    failure: str | None = None
    """What went wrong, if anything."""

    def __str__(self) -> str:
        went = "cassette" if self.cached else f"{self.seconds:.2f} s"
        told = f"{self.model}, {self.prompt or 'no prompt'}: {self.tokens_in} + {self.tokens_out} tokens, {went}"
        return told if self.failure is None else f"{told}, failed: {self.failure}"


class Usage(Record):
    """One or several calls to a model."""

    model: str
    """The model's name."""
    tokens_in: int = 0
    """Tokens in the prompts."""
    tokens_out: int = 0
    """Tokens in the answers."""
    cost: float = 0.0
    """What the calls cost, in the currency of the price list."""
    calls: tuple[ModelCall, ...] = ()
    """Each call by itself, in order, where the strategy tells."""

    @classmethod
    def of(cls, calls: Sequence[ModelCall]) -> Self | None:
        """What these calls came to, with each of them; `None` where there are none."""
        if not calls:
            return None
        return cls(
            model=calls[-1].model,
            tokens_in=sum(each.tokens_in for each in calls),
            tokens_out=sum(each.tokens_out for each in calls),
            cost=sum(each.cost for each in calls),
            calls=tuple(calls),
        )


class Spending(Record):
    """What some calls to models came to."""

    calls: int = 0
    """Number of calls, those that failed and those from a cassette included."""
    cached: int = 0
    """Number of them that were answered from a cassette, so that nobody was asked."""
    failed: int = 0
    """Number of them that failed."""
    tokens_in: int = 0
    """Tokens in the prompts."""
    tokens_out: int = 0
    """Tokens in the answers."""
    seconds: float = 0.0
    """How long they took, one after the other."""
    cost: float = 0.0
    """By the price list; a cached call has the cost of the call that was recorded."""

    @classmethod
    def of(cls, call: ModelCall) -> Self:
        """One call."""
        counts = call.model_dump(include={"tokens_in", "tokens_out", "seconds", "cost"})
        return cls(calls=1, cached=int(call.cached), failed=int(call.failure is not None), **counts)

    def __add__(self, other: Spending) -> Self:
        mine, theirs = self.model_dump(), other.model_dump()
        return self.model_copy(update={name: mine[name] + theirs[name] for name in mine})

    def __str__(self) -> str:
        told = f"{counted(self.calls, 'call')}, {self.tokens_in:,} + {self.tokens_out:,} tokens, "
        return f"{told}{self.seconds:.2f} s, cost {self.cost:.4g}"


def calls_of(usage: Usage, seconds: float) -> tuple[ModelCall, ...]:
    """The calls of an answer that took so many seconds; where a strategy lists none, all it reports is one."""
    if usage.calls:
        return usage.calls
    counts = usage.model_dump(include={"model", "tokens_in", "tokens_out", "cost"})
    return (ModelCall(seconds=seconds, **counts),)


class Reply(Record):
    """What every answer of a plugin or strategy may say about itself."""

    version: str | None = None
    """Version of the rules, graph or prompt that the answer rests on."""
    usage: Usage | None = None
    """The model that was asked, and what that cost; `None` = no model."""
    notes: tuple[str, ...] = ()
    """How it came about, in words: what was left out of it and why, or who answered instead of whom."""
