"""PostgreSQL's errors as Earwitness's own. They quote neither the password nor rows."""

from __future__ import annotations

from earwitness.errors import StorageCorrupt, StorageError, StorageFull, StorageLocked

from .address import Address

COMMIT_LOST = (
    "lost the connection while it committed. Whether this call was written is not known: ask, or repeat it with the "
    "same keys"
)


def translated(error: BaseException, address: Address) -> BaseException:
    """The `StorageError` for an error of the driver's or the pool's; any other error unchanged."""
    import psycopg
    import psycopg_pool

    if not isinstance(error, psycopg.Error):
        return error
    if isinstance(error, psycopg_pool.PoolTimeout):
        ours = _named(StorageError, address, f"does not answer, or all connections are busy ({error}). Try again later")
    else:
        ours = _ours(error, address)
    ours.__cause__ = error
    return ours


def uncertain(address: Address) -> StorageError:
    """The connection was lost during a commit."""
    return _named(StorageError, address, COMMIT_LOST)


def _ours(error: BaseException, address: Address) -> StorageError:
    from psycopg import errors as theirs

    says = _said(error, address)
    match error:
        case theirs.DiskFull() | theirs.OutOfMemory():
            return _named(StorageFull, address, f"has no space left ({says}). Free some and try again")
        case theirs.QueryCanceled() | theirs.LockNotAvailable() | theirs.DeadlockDetected():
            why = f"took too long, or was kept waiting by others ({says}). Nothing was written; try again"
            return _named(StorageLocked, address, why)
        case theirs.DataCorrupted() | theirs.IndexCorrupted():
            return _named(StorageCorrupt, address, f"is damaged ({says}). Restore a copy; it was left as it is")
        case theirs.InsufficientPrivilege() | theirs.ReadOnlySqlTransaction():
            return _named(StorageError, address, f"does not let this user do that ({says}). Grant it, or use another")
        case theirs.OperationalError() if "the database system is" in says:
            return _named(StorageError, address, f"is starting or stopping ({says}). Try again in a moment")
        case theirs.OperationalError() if "FATAL" in says:
            why = f"refuses the connection ({says}). Correct the user, the password or the database, or create it"
            return _named(StorageError, address, why)
        case theirs.OperationalError() if error.sqlstate is None:
            why = f"does not answer ({says}). Start the server, or correct the address; what was acknowledged is safe"
            return _named(StorageError, address, why)
        case _:
            return _named(StorageError, address, f"says {type(error).__name__}: {says}. Nothing was written")


def _named(kind: type[StorageError], address: Address, why: str) -> StorageError:
    return kind(f"{address.label!r} {why}.")


def _said(error: BaseException, address: Address) -> str:
    """What the server says first: its details may quote rows."""
    diagnosis = getattr(error, "diag", None)
    said = (diagnosis and diagnosis.message_primary) or str(error)
    first = " ".join(said.split()).rstrip(".")
    return first.replace(address.password.get_secret_value(), str(address.password)) if address.password else first
