"""Where a database is: a connection string of libpq's, and how it is shown without its password."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import SecretStr

from earwitness.errors import SettingsError

EXAMPLE = "postgresql://user@localhost:5432/stories"
_DEFAULTS = {
    "application_name": "earwitness",
    "connect_timeout": "10",
    "keepalives_idle": "30",
    "tcp_user_timeout": "20000",
}
"""What a connection string may set otherwise. A server that is gone without a word is noticed in 20 seconds."""


class Address(NamedTuple):
    """A connection string that was understood."""

    conninfo: SecretStr
    """As libpq takes it, with the password."""
    label: str
    """As it is shown."""
    password: SecretStr | None
    """What must not be shown."""


def address_of(dsn: str) -> Address:
    """The address in a connection string. Raises `SettingsError`, also if the driver is not installed.

    What the string leaves out comes from the environment (`PGHOST`, `PGPASSWORD`, …), a service file or `~/.pgpass`.
    """
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict, make_conninfo
    except ModuleNotFoundError as missing:
        raise SettingsError("the backend 'postgres' needs its driver: pip install 'earwitness[postgres]'.") from missing
    try:
        parts = {name: str(value) for name, value in conninfo_to_dict(dsn).items() if value is not None}
    except ProgrammingError:
        raise _unusable() from None  # what libpq says quotes pieces of the string, perhaps the password
    whole = make_conninfo("", **dict(sorted((_DEFAULTS | parts).items())))
    password = SecretStr(parts["password"]) if "password" in parts else None
    return Address(SecretStr(whole), _label(parts), password)


def _label(parts: dict[str, str]) -> str:
    """Such as `stories at user@localhost:5432`: never a whole connection string, which may be kept secret."""
    user, port, host = parts.get("user", ""), parts.get("port", ""), parts.get("host") or "the default host"
    place = f"{user}@{host}" if user else host
    return f"{parts.get('dbname') or 'the default database'} at {place}{':' if port else ''}{port}"


def _unusable() -> SettingsError:
    return SettingsError(
        f"dsn cannot be used: it is not a connection string. Write one such as {EXAMPLE!r}, or "
        "'host=localhost dbname=stories'; it is not quoted here, since it may hold a password."
    )
