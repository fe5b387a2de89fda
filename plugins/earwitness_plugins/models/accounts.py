"""Accounts: what one asker spends on one message, within the budgets of the turn and of the session."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from earwitness import Usage
from earwitness.errors import SettingsError
from earwitness.records.prose import counted
from earwitness.records.usage import ModelCall

from .errors import BudgetSpent
from .settings import ModelSettings, SpendingLimits

MOST_SESSIONS, MOST_ROUNDS = 10_000, 1_000
"""Of how many sessions and messages what was spent is at hand."""
SPENT = "spent_on_models"
"""The key under which an asker's data keep what it has spent in the session."""


@dataclass(slots=True)
class Spent:
    """What was spent."""

    calls: int = 0
    """Number of calls, those that failed included."""
    tokens: int = 0
    """Tokens of prompts and answers."""
    cost: float = 0.0
    """By the price list."""

    def add(self, calls: int, tokens: int, cost: float) -> None:
        """Add to it, or take back."""
        self.calls, self.tokens, self.cost = self.calls + calls, self.tokens + tokens, self.cost + cost

    def beyond(self, known: Spent) -> Spent:
        """What it is more than what is known."""
        calls, tokens = max(0, self.calls - known.calls), max(0, self.tokens - known.tokens)
        return Spent(calls, tokens, max(0.0, self.cost - known.cost))

    def exceeded(self, limits: SpendingLimits) -> str | None:
        """Which limit that breaks: `6 calls`; `None` where none is."""
        if limits.calls is not None and self.calls > limits.calls:
            return counted(limits.calls, "call")
        if limits.tokens is not None and self.tokens > limits.tokens:
            return f"{limits.tokens:,} tokens"
        if limits.cost is not None and self.cost > limits.cost:
            return f"a cost of {limits.cost:g}"
        return None


@dataclass(slots=True, eq=False)
class Account:
    """What one asker may spend on one message, and what it has spent. `ModelClient` asks on it."""

    settings: ModelSettings
    """The table `[model]`."""
    turn: Spent
    """What everybody has spent on this message."""
    session: Spent
    """What was spent in the session."""
    known: Spent
    """What of it this asker has spent, here and elsewhere."""
    data: MutableMapping[str, JsonValue] | None = None
    """The asker's durable data, in which it keeps what it has spent."""
    calls: list[ModelCall] = field(default_factory=list)
    """The calls made through this account, failed ones included."""
    notes: list[str] = field(default_factory=list)
    """What was left out of answers, and why; for the asker's own answer."""

    @property
    def usage(self) -> Usage | None:
        """All calls made through this account, for the asker's answer; `None` where there were none."""
        return Usage.of(self.calls)

    def reserve(self, tokens: int, cost: float) -> None:
        """Count a call that is about to be made. Raises `BudgetSpent` if it would break a limit, and counts none."""
        turn, session = self.settings.budget_per_turn, self.settings.budget_per_session
        self._add(1, tokens, cost)
        for spent, limits, whose in ((self.turn, turn, "turn"), (self.session, session, "session")):
            if broken := spent.exceeded(limits):
                self._add(-1, -tokens, -cost)
                raise BudgetSpent(f"the {whose} may spend {broken} on models (budget_per_{whose}), and has done so.")

    def settle(self, call: ModelCall, reserved: tuple[int, float]) -> None:
        """Put what a call has really spent in the place of what was reserved for it."""
        tokens, cost = reserved
        self._add(0, call.tokens_in + call.tokens_out - tokens, call.cost - cost)
        self.known.add(1, call.tokens_in + call.tokens_out, call.cost)
        self.calls.append(call)
        if self.data is not None:
            before = _spent_before(self.data)
            before.add(1, call.tokens_in + call.tokens_out, call.cost)
            self.data[SPENT] = {"calls": before.calls, "tokens": before.tokens, "cost": before.cost}

    def _add(self, calls: int, tokens: int, cost: float) -> None:
        for each in (self.turn, self.session):
            each.add(calls, tokens, cost)


class Accounts:
    """The accounts of all sessions of an instance."""

    def __init__(self, settings: ModelSettings) -> None:
        """Raises `SettingsError` where the cost is limited and the price is not known."""
        self._settings = settings
        self._sessions: OrderedDict[str, tuple[Spent, dict[str, Spent]]] = OrderedDict()
        self._rounds: OrderedDict[tuple[str, str], tuple[Spent, set[str]]] = OrderedDict()
        limited = [each.cost is not None for each in (settings.budget_per_turn, settings.budget_per_session)]
        if any(limited) and settings.model not in settings.prices:
            raise SettingsError(
                f"a budget limits the cost, but the price of {settings.model!r} is not known. Give it, per million "
                f'tokens: [model.prices] "{settings.model}" = {{ input = 0.5, output = 2 }}.'
            )

    def account(
        self, session: str, by: str, turn: str, data: MutableMapping[str, JsonValue] | None, part: str = ""
    ) -> Account:
        """See `ModelClient.account`."""
        spent, askers = self._sessions.setdefault(session, (Spent(), {}))
        _keep_newest(self._sessions, session, MOST_SESSIONS)
        known = askers.setdefault(by, Spent())
        if data is not None:
            more = _spent_before(data).beyond(known)
            for each in (spent, known):
                each.add(more.calls, more.tokens, more.cost)
        return Account(self._settings, self._round(session, turn, f"{by} {part}"), spent, known, data)

    def spent(self, session: str) -> Spent:
        """What a session has spent so far, as far as this process knows."""
        return self._sessions.get(session, (Spent(), {}))[0]

    def _round(self, session: str, turn: str, by: str) -> Spent:
        """What is spent on a message. It begins anew where the same asker asks about it again, as after a reroll."""
        found = self._rounds.get((session, turn))
        if found is None or not turn or by in found[1]:
            found = self._rounds[session, turn] = (Spent(), set())
        found[1].add(by)
        _keep_newest(self._rounds, (session, turn), MOST_ROUNDS)
        return found[0]


def _keep_newest(kept: OrderedDict[Any, Any], key: object, most: int) -> None:
    kept.move_to_end(key)
    while len(kept) > most:
        kept.popitem(last=False)


def _spent_before(data: MutableMapping[str, JsonValue]) -> Spent:
    """What an asker's data say was spent."""
    kept = data.get(SPENT)
    calls, tokens, cost = (kept.get(each) if isinstance(kept, dict) else None for each in ("calls", "tokens", "cost"))
    return Spent(
        calls if isinstance(calls, int) else 0,
        tokens if isinstance(tokens, int) else 0,
        float(cost) if isinstance(cost, int | float) else 0.0,
    )
