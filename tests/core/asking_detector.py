"""A detector with a secret, for the tests of secrets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import apsw
from pydantic import BaseModel, SecretStr

from earwitness import Moment, Presence
from earwitness_plugins.sqlite.blobs import DamagedBlob, inflated

PLANTED = "sk-planted-4711"


class Service(BaseModel):
    """Where a model is found."""

    url: str = ""
    passphrase_of_ours: SecretStr = SecretStr("")


class Asking:
    """A detector that asks a service, with secrets of every sort."""

    made: list[Asking] = []

    def __init__(
        self,
        *,
        api_key: str = "",
        dsn: SecretStr | None = None,
        service: Service = Service(),  # noqa: B008 - frozen in effect
        url: str = "",
        detectors: Iterable[object] = (),
    ) -> None:
        self.api_key, self.dsn, self.service, self.url = api_key, dsn, service, url
        Asking.made.append(self)

    def detect(self, moment: Moment) -> Presence:
        return Presence.only(moment.message.speaker)


def files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


def cells(file: Path) -> Iterator[str]:
    """Everything in a file of ours, unpacked."""
    database = apsw.Connection(str(file))
    for (table,) in database.execute("select name from sqlite_schema where type = 'table'").fetchall():
        for row in database.execute(f'select * from "{table}"').fetchall():
            yield from map(readable, row)
    database.close()


def readable(cell: object) -> str:
    try:
        return inflated(cell) if isinstance(cell, bytes) else str(cell)
    except DamagedBlob:  # a blob of another sort
        return repr(cell)
