"""The only place that knows the client of Supermemory, version 5 of the API.

Every default that matters is sent, nothing is sent as null, and no call is repeated here: reads must not wait, and
writes are repeated by whoever asked for them. What the service answers, or fails to, comes back as an error of ours.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pydantic import SecretStr

from earwitness.errors import SettingsError, StorageError, quoted, shortened
from earwitness.records.backends import ServiceProfile
from earwitness.redaction import without_passwords
from earwitness_plugins.services.breaker import CircuitBreaker

from .client_calls import ClientCalls
from .conditions import Expression
from .documents import NewPart
from .names import namespace_of
from .service_errors import (
    OF_TEXTS,
    PASSING,
    ServiceAway,
    ServiceLeftAlone,
    ServiceRefused,
    TextRefused,
    advice_about,
)
from .together import together

if TYPE_CHECKING:
    import ssl

    import httpx

T = TypeVar("T")
NEEDED = "the store 'supermemory' needs its client: pip install 'earwitness[supermemory]'."
PAGE = 100
"""Documents on a page, and rows of a search, at most."""
AT_ONCE = 8
"""Requests under way at the same time."""
MOST_DOCUMENTS = 1_000_000
"""A list that claims to have more is not read."""
LOOK_AGAIN = 0.01
"""Seconds until a call looks again whether the one that tries the service was answered."""


class SearchRow(NamedTuple):
    """A result of a search."""

    document: str
    """Id of its document."""
    metadata: Mapping[str, Any]
    """The document's."""
    text: str
    similarity: float
    extracted: bool
    """Whether the text was extracted from the document; else it is a piece of it."""


class ListedDocument(NamedTuple):
    """A document in a list."""

    id: str
    metadata: Mapping[str, Any]
    text: str | None
    done: bool
    """Whether searches find it as it was last written."""


class DocumentPage(NamedTuple):
    """One page of a list."""

    documents: Sequence[ListedDocument]
    total: int
    """Documents on all pages."""


class ServiceAddress(NamedTuple):
    """How to reach the service."""

    api_key: SecretStr
    base_url: str | None
    search_timeout: float
    """Seconds for a search, and for all else that a recall asks for."""
    timeout: float
    """Seconds for a write, and for lists."""

    @property
    def shown(self) -> str:
        """Where the service is, without a password."""
        return without_passwords(self.base_url or "api.supermemory.ai")


class SearchManner(NamedTuple):
    """How the service works on texts and searches them."""

    task_type: str
    search_mode: str
    threshold: float
    """Rows that are less similar are not found."""
    thresholds: Mapping[str, float]
    """Container → another one than that."""

    @property
    def is_verbatim(self) -> bool:
        """Whether texts stay as they are, and nothing is extracted from them."""
        return self.task_type == "superrag"

    def threshold_of(self, container: str) -> float:
        """Rows of the container that are less similar are not found."""
        return self.thresholds.get(container, self.threshold)


class Wire:
    """Calls of the service."""

    def __init__(self, connection: ServiceAddress, manner: SearchManner, breaker: CircuitBreaker) -> None:
        self._connection, self._manner = connection, manner
        self.breaker = breaker
        """Whether the service is being left alone."""
        self._calls: ClientCalls | None = None
        self._http: httpx.AsyncClient | None = None
        self._places = asyncio.Semaphore(AT_ONCE)

    async def open(self) -> None:
        """Make the client; importing it takes most of a second, so that is done on a thread. Nothing is asked yet.

        The first call then imports nothing, since it may have little time. Raises `SettingsError` without the package.
        """
        if self._calls is None:
            self._calls = await asyncio.to_thread(self._made)
            from anyio.lowlevel import checkpoint

            await checkpoint()  # loads what anyio, below the client, needs for this event loop

    async def close(self) -> None:
        """Let go of the connections."""
        http, self._calls, self._http = self._http, None, None
        if http is not None:
            await http.aclose()

    async def add(self, namespace: str, documents: Sequence[NewPart]) -> Mapping[str, str]:
        """Add new documents. Returns id → why, for those that were refused."""
        given = [{"id": each.id, "content": each.content, "metadata": each.metadata} for each in documents]

        async def added(calls: ClientCalls) -> Mapping[str, str]:
            answer = await calls.batch_add(namespace, documents=given, **self._processed())
            taken = {each.id for each in answer.results if each.status != "error"}
            reasons = {each.id: each.details or each.error or "no reason given" for each in answer.results}
            return {each.id: reasons.get(each.id, "not answered") for each in documents if each.id not in taken}

        return await self._write(added)

    async def add_one(self, namespace: str, document: NewPart) -> None:
        """Add a new document. Raises `TextRefused` if it is refused, and why."""

        async def added(calls: ClientCalls) -> None:
            given = {"content": document.content, "metadata": document.metadata, **self._processed()}
            _check_named(await calls.add(namespace, id=document.id, **given))

        await self._write(added)

    async def update(self, namespace: str, document: NewPart) -> bool:
        """Replace a document. Returns whether there is one."""

        async def updated(calls: ClientCalls) -> None:
            given = {"content": document.content, "metadata": document.metadata, **self._processed()}
            _check_named(await calls.update(namespace, document.id, **given))

        return await self._unless_missing(updated)

    async def delete(self, namespace: str, ids: Sequence[str]) -> Mapping[str, str]:
        """Delete documents. Returns id → why, for those that were not, also because they do not exist."""

        async def deleted(calls: ClientCalls) -> Mapping[str, str]:
            answer = await calls.delete(namespace, ids=list(ids))
            return {each.id: each.error for each in answer.errors}

        return await self._write(deleted)

    async def drop(self, namespace: str) -> bool:
        """Delete a namespace with everything in it. Returns whether there was one."""
        return await self._unless_missing(lambda calls: calls.drop(namespace))

    async def search(self, container: str, query: str, filter: Expression, limit: int) -> Sequence[SearchRow]:
        """The best rows of a container's namespace, best first, with the metadata of their documents."""
        namespace = namespace_of(container)
        asked: dict[str, Any] = {"query": query, "filter": filter, "limit": limit}
        asked |= {"search_mode": self._manner.search_mode, "threshold": self._manner.threshold_of(container)}
        asked |= {"rerank": "none", "rewrite_query": False}
        asked |= {"include": {"documents": True, "related": False, "forgotten": False}}

        async def found(calls: ClientCalls) -> Sequence[SearchRow]:
            answer = await calls.search(namespace, **asked)
            return [row for each in answer.results if (row := _row(each))]

        return await self._read(found)

    async def page(
        self,
        namespace: str,
        filter: Expression | None,
        *,
        number: int = 1,
        size: int = PAGE,
        content: bool = True,
        newest_first: bool = False,
        quick: bool = False,
    ) -> DocumentPage:
        """One page of documents, from 1. A `quick` one has no more time than a search."""
        asked: dict[str, Any] = {"page": number, "limit": size, "include": {"content": content}}
        asked |= {"sort": "createdAt", "order": "desc" if newest_first else "asc"}
        asked |= {"filter": filter} if filter else {}

        async def shown(calls: ClientCalls) -> DocumentPage:
            answer = await calls.list(namespace, "documents", **asked)
            found = [
                ListedDocument(
                    each.id, each.metadata or {}, getattr(each, "content", None), each.system.status == "done"
                )
                for each in answer.documents
            ]
            return DocumentPage(found, _total(answer.pagination.total_items))

        return await (self._read if quick else self._write)(shown)

    async def documents(
        self, namespace: str, filter: Expression, *, content: bool = True, quick: bool = False
    ) -> Sequence[ListedDocument]:
        """The documents on all pages. Read again if some were added or deleted meanwhile."""

        async def page(number: int) -> DocumentPage:
            return await self.page(namespace, filter, number=number, content=content, quick=quick)

        for _ in range(3):
            if (pages := await _pages(page)) is not None:
                return [*{each.id: each for one in pages for each in one.documents}.values()]
        raise ServiceAway(f"the service lists {namespace!r} differently each time it is asked.")

    async def profile(self, namespace: str, filter: Expression) -> ServiceProfile:
        """The service's profile of the subject of a namespace, made of what matches the filter."""

        async def shown(calls: ClientCalls) -> ServiceProfile:
            found = (await calls.profile(namespace, filter=filter)).profile
            static, dynamic = (tuple(str(each.memory) for each in facts) for facts in (found.static, found.dynamic))
            return ServiceProfile(static=static, dynamic=dynamic)

        return await self._read(shown)

    async def namespaces(self) -> int:
        """How many there are: the cheapest call that says whether the key is good."""

        async def counted(calls: ClientCalls) -> int:
            return _total((await calls.namespaces(limit=1)).pagination.total_items)

        return await self._read(counted)

    def _processed(self) -> dict[str, Any]:
        given = {"task_type": self._manner.task_type}
        return given if self._manner.is_verbatim else {**given, "dreaming": "instant"}

    async def _unless_missing(self, call: Callable[[ClientCalls], Awaitable[object]]) -> bool:
        from supermemory import NotFoundError

        try:
            await self._write(call)
        except ServiceRefused as refused:
            if isinstance(refused.__cause__, NotFoundError):
                return False
            raise
        return True

    def check(self) -> None:
        """Raises `ServiceLeftAlone` while the service is left alone: for reads that need several calls."""
        if self.breaker.left:
            raise ServiceLeftAlone(f"the service does not answer. It is asked again in {self.breaker.left:.0f} s.")

    async def _read(self, call: Callable[[ClientCalls], Awaitable[T]]) -> T:
        # A search makes several calls: one tries, and the others follow it.
        while self.breaker.is_probed:  # noqa: ASYNC110 - a probe also ends as time goes by
            await asyncio.sleep(LOOK_AGAIN)
        self.check()
        self.breaker.may_ask()
        return await self._answered(call, self._connection.search_timeout, is_awaited=True)

    async def _write(self, call: Callable[[ClientCalls], Awaitable[T]]) -> T:
        async with self._places:
            return await self._answered(call, self._connection.timeout)

    async def _answered(
        self, call: Callable[[ClientCalls], Awaitable[T]], timeout: float, *, is_awaited: bool = False
    ) -> T:
        """The answer to a call. A recall waits for it if `is_awaited`: one without answer in time is enough."""
        period = self.breaker.period
        try:
            async with asyncio.timeout(timeout):
                answer = await call(self._opened())
        except StorageError:
            raise
        except Exception as error:
            raise self._named(error, timeout, period, is_awaited=is_awaited) from error
        except asyncio.CancelledError:
            self.breaker.given_up(period=period)
            raise
        self.breaker.succeeded()
        return answer

    def _named(self, error: Exception, timeout: float, period: int, *, is_awaited: bool) -> StorageError:
        """The error as one of ours. Only a service that is away counts for the breaker."""
        from supermemory import APIError, APIStatusError

        where = self._connection.shown
        if isinstance(error, APIStatusError) and error.status_code < 500 and error.status_code not in PASSING:
            self.breaker.succeeded()
            refused = TextRefused if error.status_code in OF_TEXTS else ServiceRefused
            return refused(f"Supermemory at {where} refuses: {advice_about(error.status_code)}{_body(error)}")
        late, lost = isinstance(error, TimeoutError), isinstance(error, APIError)
        self.breaker.failed(period=period, is_enough=late and is_awaited)
        why = f"no answer within {timeout:g} s" if late else _said(error)
        why = why if late or lost else f"its answer cannot be read ({why})"
        return ServiceAway(f"Supermemory at {where} does not do its work: {why}")

    def _opened(self) -> ClientCalls:
        if self._calls is None:
            raise StorageError("the store 'supermemory' is not open. Call `open` first.")
        return self._calls

    def _made(self) -> ClientCalls:
        try:
            import httpx
            from supermemory import AsyncSupermemory
        except ModuleNotFoundError as missing:
            raise SettingsError(NEEDED) from missing
        connection = self._connection
        self._http = httpx.AsyncClient(verify=_trusted(), timeout=connection.timeout, follow_redirects=False)
        client = AsyncSupermemory(
            api_key=connection.api_key.get_secret_value(),
            base_url=connection.base_url,
            timeout=connection.timeout,
            max_retries=0,
            http_client=self._http,
        )
        return ClientCalls.of(client)


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates to trust; reading them takes longer than ten calls, so it is done once."""
    import httpx

    return httpx.create_ssl_context()


async def _pages(page: Callable[[int], Coroutine[Any, Any, DocumentPage]]) -> Sequence[DocumentPage] | None:
    """All pages, a few at a time; `None` if they do not belong together. A total is only what the service claims."""
    pages = [await page(1)]
    total = pages[0].total
    last = max(-(-total // PAGE), 1)
    while len(pages) < last:
        done = len(pages)
        pages += await together(page(number + 1) for number in range(done, min(done + AT_ONCE, last)))
        if not all(each.total == total and each.documents for each in pages[done:]):
            return None
    return pages


def _total(claimed: Any) -> int:
    """How many there are. Raises `ServiceRefused` for what cannot be a number of documents."""
    if isinstance(claimed, bool) or not isinstance(claimed, int | float) or not 0 <= claimed <= MOST_DOCUMENTS:
        raise ServiceRefused(f"the service claims to have {claimed!r} entries. Up to {MOST_DOCUMENTS:,} can be read.")
    return int(claimed)


def _check_named(answer: Any) -> None:
    """Raises for an answer to a write that does not name the document: who knows who has answered."""
    if not answer.id:
        raise ValueError("it names no document")


def _said(error: Exception) -> str:
    return without_passwords(shortened(str(error))) or type(error).__name__


def _row(result: Any) -> SearchRow | None:
    document = result.included.document if result.included else None
    text = result.memory if result.memory is not None else result.chunk
    if document is None or text is None or result.is_inference:
        return None  # what cannot be traced to a document cannot be checked
    similarity = min(max(0.0, float(result.similarity)), 1.0)  # in this order: what is not a number is 0
    return SearchRow(document.id, document.metadata or {}, text, similarity, result.memory is not None)


def _body(error: Any) -> str:
    return f"{error.status_code} {quoted(error.body)}"
