"""What a ledger or a store raises reaches the host as an error of Earwitness that names it, and quotes no secret."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, TypeVar

from .errors import EarwitnessError, MemoriesRefused, StorageError
from .records.backends import Health
from .redaction import cause_of, scrub, without
from .strategy import Strategy
from .time_limit import contained, reason
from .wrapper import Wrapper, wrapped_by, wrapper_of

T = TypeVar("T")
BACKENDS = frozenset({"ledger", "store"})
"""The kinds whose failures are named here. They are also called where no other code looks at what was raised."""
_ITS_OWN = frozenset({"open", "close"})
"""What names its failures by itself; see `Lifecycle`."""
_STANDING = "failures"
"""The property of a store that says what is wrong with it at present."""


def naming_failures(part: Strategy[T], *, within: bool = False) -> T:
    """The ledger or store in a wrapper whose awaited methods raise `StorageError` for what is not an `EarwitnessError`.

    No error, no health and no standing failure quotes a secret. `KeyboardInterrupt`, `SystemExit` and the caller's own
    cancellation pass. One `within` another is opened and closed by that, so these failures are named too.
    """

    def named(name: str, found: Any) -> Any:
        if name == _STANDING:
            return _standing(part)
        is_named = inspect.iscoroutinefunction(found) and (within or name not in _ITS_OWN)
        return _named(part, name, found) if is_named else None

    wrapper: T = wrapper_of(part.made, named)
    return wrapper


def _standing(part: Strategy[Any]) -> property:
    def failures(wrapper: Wrapper) -> tuple[str, ...]:
        if not (found := tuple(getattr(wrapped_by(wrapper), _STANDING))):
            return ()
        secrets = part.quotable
        return tuple(without(each, secrets) for each in found)

    return property(failures)


def _named(part: Strategy[Any], name: str, method: Callable[..., Awaitable[Any]]) -> Callable[..., Any]:
    @wraps(method)
    async def named(wrapper: Wrapper, /, *given: Any, **by_name: Any) -> Any:
        try:
            answer = await getattr(wrapped_by(wrapper), name)(*given, **by_name)
        except EarwitnessError as error:
            scrub(error, part.quotable)
            if isinstance(error, MemoriesRefused):
                error.refused = _without_secrets_in(error.refused, part)
            raise
        except SystemExit:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a stranger's code raises
            secrets = part.quotable
            why = without(reason(contained(error)), secrets)
            raise StorageError(f"{part.label} failed in `{name}`: {why}.") from cause_of(error, secrets)
        return _without_secrets(answer, part) if isinstance(answer, Health) else answer

    return named


def _without_secrets_in(refused: dict[str, dict[str, str]], part: Strategy[Any]) -> dict[str, dict[str, str]]:
    return {name: {id: without(why, part.quotable) for id, why in of.items()} for name, of in refused.items()}


def _without_secrets(health: Health, part: Strategy[Any]) -> Health:
    secrets = part.quotable
    details = {
        name: without(value, secrets) if isinstance(value, str) else value for name, value in health.details.items()
    }
    return health.model_copy(update={"details": details})
