"""What a ledger or a store raises reaches the host as an error of Earwitness that names it."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, TypeVar

from .errors import EarwitnessError, StorageError
from .redaction import cause_of, without
from .strategy import Strategy
from .time_limit import contained, reason
from .wrapper import Wrapper, wrapped_by, wrapper_of

T = TypeVar("T")
BACKENDS = frozenset({"ledger", "store"})
"""The kinds whose failures are named here. They are also called where no other code looks at what was raised."""
_ITS_OWN = frozenset({"open", "close"})
"""What names its failures by itself; see `Lifecycle`."""


def naming_failures(part: Strategy[T]) -> T:
    """The ledger or store in a wrapper whose awaited methods raise `StorageError` for what is no `EarwitnessError`.

    `KeyboardInterrupt`, `SystemExit` and the caller's own cancellation pass.
    """

    def named(name: str, found: Any) -> Callable[..., Any] | None:
        return _named(part, name, found) if inspect.iscoroutinefunction(found) and name not in _ITS_OWN else None

    wrapper: T = wrapper_of(part.made, named)
    return wrapper


def _named(part: Strategy[Any], name: str, method: Callable[..., Awaitable[Any]]) -> Callable[..., Any]:
    @wraps(method)
    async def named(wrapper: Wrapper, /, *given: Any, **by_name: Any) -> Any:
        try:
            return await getattr(wrapped_by(wrapper), name)(*given, **by_name)
        except (EarwitnessError, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a stranger's code raises
            why = without(reason(contained(error)), part.secrets)
            raise StorageError(f"{part.label} failed in `{name}`: {why}.") from cause_of(error, part.secrets)

    return named
