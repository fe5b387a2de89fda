"""Accounts: what one asker spends on one message, within the budgets of the turn and of the session."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any

from pydantic import JsonValue

from earwitness import Usage
from earwitness.errors import SettingsError
from earwitness.records.prose import counted
from earwitness.records.usage import ModelCall, Spending
from earwitness.unused_calls import UNUSED, UnusedCalls

from .errors import BudgetSpent
from .settings import ModelSettings, SpendingLimits

MOST_SESSIONS, MOST_ROUNDS = 10_000, 1_000
"""Of how many sessions and messages what was spent is at hand."""
SPENT = "spent_on_models"
"""What the keys begin with under which an asker's data keep what it has spent in the session. Each run of a program has
a key of its own: what others have spent is known apart from what this one has."""


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
    """What of it this asker has spent here."""
    data: MutableMapping[str, JsonValue] | None = None
    """The asker's durable data, in which it keeps what it has spent."""
    key: str = SPENT
    """The key there."""
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
            before = _kept(self.data.get(self.key))
            before.add(1, call.tokens_in + call.tokens_out, call.cost)
            self.data[self.key] = {"calls": before.calls, "tokens": before.tokens, "cost": before.cost}

    def _add(self, calls: int, tokens: int, cost: float) -> None:
        for each in (self.turn, self.session):
            each.add(calls, tokens, cost)


class _SessionSpent:
    """What was spent in a session, and what of it is known from where."""

    def __init__(self) -> None:
        self.all = Spent()
        self.known: dict[str, Spent] = defaultdict(Spent)
        self.key = f"{SPENT} {token_hex(4)}"

    def learn(self, source: str, now: Spent) -> None:
        """Count what is spent by now beyond what is known from this source."""
        known = self.known[source]
        more = now.beyond(known)
        for each in (self.all, known):
            each.add(more.calls, more.tokens, more.cost)


class Accounts:
    """The accounts of all sessions of an instance."""

    def __init__(self, settings: ModelSettings, unused: UnusedCalls | None = None) -> None:
        """`unused` are calls of other programs that no asker has kept. Raises `SettingsError` where the cost is limited
        and the price is not known."""
        self._settings = settings
        self._unused = UnusedCalls() if unused is None else unused
        self._unused.is_wanted |= settings.budget_per_session != SpendingLimits()
        self._sessions: OrderedDict[str, _SessionSpent] = OrderedDict()
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
        of = self._sessions.setdefault(session, _SessionSpent())
        _keep_newest(self._sessions, session, MOST_SESSIONS)
        if data is not None:
            of.learn(by, _kept(data.get(SPENT)))
            of.learn(f"{by}, elsewhere", _elsewhere(data, of.key))
        of.learn(UNUSED, _spent(self._unused.elsewhere(session)))
        turn_spent = self._round(session, turn, f"{by} {part}")
        return Account(self._settings, turn_spent, of.all, of.known[by], data, of.key)

    def spent(self, session: str) -> Spent:
        """What a session has spent so far, as far as this process knows."""
        return self._sessions.get(session, _SessionSpent()).all

    def _round(self, session: str, turn: str, by: str) -> Spent:
        """What is spent on a message. It begins anew where the same asker asks about it again, as after a reroll."""
        found = self._rounds.get((session, turn))
        if found is None or not turn or by in found[1]:
            found = self._rounds[session, turn] = (Spent(), set())
        found[1].add(by)
        _keep_newest(self._rounds, (session, turn), MOST_ROUNDS)
        return found[0]


def _spent(spending: Spending) -> Spent:
    return Spent(spending.calls, spending.tokens_in + spending.tokens_out, spending.cost)


def _keep_newest(kept: OrderedDict[Any, Any], key: object, most: int) -> None:
    kept.move_to_end(key)
    while len(kept) > most:
        kept.popitem(last=False)


def _elsewhere(data: Mapping[str, JsonValue], key: str) -> Spent:
    """What an asker's data say was spent by other runs."""
    found = Spent()
    for each in data:
        if each.startswith(f"{SPENT} ") and each != key:
            spent = _kept(data[each])
            found.add(spent.calls, spent.tokens, spent.cost)
    return found


def _kept(value: JsonValue) -> Spent:
    """What was spent, as it is kept."""
    calls, tokens, cost = (value.get(each) if isinstance(value, dict) else None for each in ("calls", "tokens", "cost"))
    return Spent(
        calls if isinstance(calls, int) else 0,
        tokens if isinstance(tokens, int) else 0,
        float(cost) if isinstance(cost, int | float) else 0.0,
    )
