"""The calls of the client that are used, each looked up once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from supermemory import AsyncSupermemory


class ClientCalls(NamedTuple):
    """The client makes a call anew whenever it is looked up, in about 0.06 ms, and inspects its signature for that."""

    add: Any
    batch_add: Any
    update: Any
    delete: Any
    search: Any
    list: Any
    profile: Any
    namespaces: Any
    drop: Any

    @classmethod
    def of(cls, client: AsyncSupermemory) -> ClientCalls:
        """Look them up once; this also imports what belongs to them."""
        documents, namespaces = client.documents, client.namespaces
        return cls(
            add=client.add,
            batch_add=documents.batch_add,
            update=documents.update,
            delete=documents.delete,
            search=client.search,
            list=client.list,
            profile=client.profile,
            namespaces=namespaces.list,
            drop=namespaces.delete,
        )
