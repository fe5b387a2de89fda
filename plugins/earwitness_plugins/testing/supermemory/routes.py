"""The API: each request is checked, carried out and answered."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from . import requests, shapes
from .documents import DocumentVersion, EmulatedDocument, EmulatedNamespace, Passage, Pipeline, canonical, kept_metadata
from .filters import check
from .requests import LARGEST, NAMESPACE
from .search import found
from .server import HttpRequest, HttpResponse

B = TypeVar("B", bound=BaseModel)
_LASTING = re.compile(r"\b(?:i am|i'm|my name is)\b", re.IGNORECASE)
"""What somebody says of themselves for good."""
EmulatedAccount = dict[str, EmulatedNamespace]
"""The namespaces of one key. Keys share nothing."""


class RefusedRequest(Exception):
    """A request that is answered by an error."""

    def __init__(self, status: int, error: Any, **more: Any) -> None:
        super().__init__(error)
        self.response = HttpResponse(status, {"error": error, **more})


class EmulatedApi:
    """Answers the requests of one account at one moment."""

    def __init__(
        self,
        account: EmulatedAccount,
        pipeline: Pipeline,
        now: float,
        room: int | None = None,
        refuses: Mapping[str, int] | None = None,
    ) -> None:
        self._account, self._pipeline, self._now, self._refuses = account, pipeline, now, refuses or {}
        self.room = room
        """How many more documents may be written or deleted; `None` = any number."""

    def answer(self, request: HttpRequest) -> HttpResponse:
        """The response, also where the request is refused."""
        try:
            return HttpResponse(200, self._routed(request))
        except RefusedRequest as refused:
            return refused.response

    def _routed(self, request: HttpRequest) -> Any:
        for method, pattern, route in ROUTES:
            if method == request.method and (match := pattern.fullmatch(request.path)):
                parts = match.groupdict()
                if "ns" in parts and not NAMESPACE.match(parts["ns"]):
                    raise RefusedRequest(400, f"{parts['ns']!r} is not a namespace")
                return route(self, request, **parts)
        raise RefusedRequest(404, f"there is no {request.method} {request.path}")

    # ── documents ────────────────────────────────────────────────────────────────────────────────────────────────

    def add(self, request: HttpRequest, ns: str) -> Any:
        """Add one document, or append to it."""
        asked = _body(requests.AddRequest, request)
        return self._added(ns, asked, asked.task_type, asked.dreaming)

    def batch_add(self, request: HttpRequest, ns: str) -> Any:
        """Add several; each stands for itself."""
        asked = _body(requests.BatchRequest, request)
        accepted, failed = list[Any](), list[Any]()
        for each in asked.documents:
            try:
                given = _checked(requests.NewDocument, each)
                accepted.append(self._added(ns, given, asked.task_type, asked.dreaming))
            except RefusedRequest as refused:
                id = each.get("id", "") if isinstance(each, dict) else ""
                why = json.dumps(refused.response.body["error"])
                failed.append({"id": id, "status": "error", "error": why})
        return {"results": [*accepted, *failed], "count": len(accepted), "failed": len(failed)}

    def get(self, request: HttpRequest, ns: str, id: str) -> Any:
        """One document."""
        asked, document = _query(requests.IncludeQuery, request), self._document(ns, id)
        shown = shapes.document(document, self._pipeline, self._now)
        if "chunks" in asked.include:
            shown["chunks"] = [shapes.chunk(each) for each in self._pipeline.chunks(document, self._now)]
        if "memories" in asked.include:
            shown["memories"] = [shapes.memory(each) for each in self._pipeline.memories(document, self._now)]
        return shown

    def update(self, request: HttpRequest, ns: str, id: str) -> Any:
        """Replace what is given; the rest stays."""
        document, asked = self._document(ns, id), _body(requests.UpdateRequest, request)
        if not self._has_room():
            raise RefusedRequest(503, "Service unavailable")
        given, before = asked.model_fields_set, document.latest
        content = canonical(self._taken(asked.content)) if "content" in given else before.content
        metadata = kept_metadata(asked.metadata) if "metadata" in given else before.metadata
        task_type = asked.task_type if "task_type" in given else before.task_type
        dreaming = asked.dreaming if "dreaming" in given else before.dreaming
        self._write(document, DocumentVersion(self._now, content, metadata, task_type, dreaming))
        return self._reference(document)

    def delete(self, request: HttpRequest, ns: str) -> Any:
        """Delete documents; each stands for itself."""
        asked, documents = _body(requests.IdsRequest, request), self._documents(ns)
        deleted = [id for id in dict.fromkeys(asked.ids) if id in documents and self._has_room()]
        errors = [
            {"id": id, "error": "Internal error" if id in documents else "Document not found"}
            for id in asked.ids
            if id not in deleted
        ]
        for id in deleted:
            self._account[ns].deleted.append((self._now, documents.pop(id)))
        return {"count": len(deleted), "errors": errors}

    def _added(self, ns: str, asked: requests.NewDocument, task_type: str, dreaming: str) -> Any:
        content, metadata = canonical(self._taken(asked.content)), kept_metadata(asked.metadata)
        if not content:
            raise RefusedRequest(400, "content is blank")
        if not self._has_room():
            raise RefusedRequest(503, "Service unavailable")
        namespace = self._account.setdefault(ns, EmulatedNamespace(ns, self._now, self._now))
        namespace.updated = self._now
        id = asked.id or f"doc{len(namespace.documents)}_{self._now:.6f}".replace(".", "_")
        document = namespace.documents.setdefault(id, EmulatedDocument(id, self._now))
        if not document.versions:
            self._write(document, DocumentVersion(self._now, content, metadata, task_type, dreaming))
        elif document.latest.content != content:
            both = f"{document.latest.content}\n{content}"
            merged = {**document.latest.metadata, **metadata}
            self._write(document, DocumentVersion(self._now, both, merged, task_type, dreaming))
        return self._reference(document)

    def _taken(self, content: str) -> str:
        if status := next((status for text, status in self._refuses.items() if re.search(text, content)), None):
            raise RefusedRequest(status, "content cannot be processed")
        return _sized(content)

    def _write(self, document: EmulatedDocument, version: DocumentVersion) -> None:
        document.versions.append(version)

    def _has_room(self) -> bool:
        if self.room is not None:
            self.room -= 1
        return self.room is None or self.room >= 0

    def _reference(self, document: EmulatedDocument) -> dict[str, Any]:
        return {"id": document.id, "status": self._pipeline.status(document, self._now)}

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────

    def search(self, request: HttpRequest, ns: str) -> Any:
        """Chunks and memories that fit a query."""
        asked = _body(requests.SearchRequest, request)
        return {"results": found(self._account.get(ns), asked, self._pipeline, self._now), "searchTime": 1.5}

    def list(self, request: HttpRequest, ns: str, type: str) -> Any:
        """One page of documents, chunks or memories."""
        page, asked = _query(requests.PageQuery, request), _body(requests.ListRequest, request)
        if page.sort == "position" and type != "chunks":
            raise RefusedRequest(400, "sort=position is for chunks")
        rows = self._listed(ns, type, page, asked)
        shown, pagination = shapes.paged(rows, page)
        return {"documents": [], "chunks": [], "memories": [], type: shown, "pagination": pagination}

    def _listed(
        self, ns: str, type: str, page: requests.PageQuery, asked: requests.ListRequest
    ) -> Sequence[dict[str, Any]]:
        namespace = self._account.get(ns)
        every = [*namespace.documents.values()] if namespace else []
        holds = check(asked.filter)
        documents = [each for each in every if holds(each.latest.metadata)]
        documents.sort(
            key=lambda each: each.latest.at if page.sort == "updatedAt" else each.created, reverse=page.order == "desc"
        )
        if type == "documents":
            return [self._list_item(each, asked) for each in documents]
        kinds: dict[str, tuple[Callable[[EmulatedDocument, float], Any], Callable[[Passage], Any]]] = {
            "chunks": (self._pipeline.chunks, lambda each: {**shapes.chunk(each), "documentId": each.document.id}),
            "memories": (self._pipeline.memories, shapes.memory),
        }
        passages, shape = kinds[type]
        rows = [shape(each) for document in documents for each in passages(document, self._now)]
        return [row for row in rows if asked.include.forgotten or not row.get("isForgotten")]

    def _list_item(self, document: EmulatedDocument, asked: requests.ListRequest) -> dict[str, Any]:
        shown = shapes.document(document, self._pipeline, self._now)
        if not asked.include.content:
            del shown["content"]
        if asked.include.memory_count:
            shown["system"]["memoryCount"] = len(list(self._pipeline.memories(document, self._now)))
        return shown

    def profile(self, request: HttpRequest, ns: str) -> Any:
        """What is known of the namespace's subject: who they say they are, and the newest of all else."""
        asked = _body(requests.ProfileRequest, request)
        holds = check(asked.filter)
        every = [each for each in self._memories(ns) if holds(each.metadata)]
        newest = sorted(every, key=lambda each: each.at, reverse=True)
        lasting = [each for each in newest if _LASTING.search(each.text)]
        facts = {"static": lasting, "dynamic": [each for each in newest if each not in lasting][:10]}
        shown = {name: [{"id": each.id, "memory": each.text} for each in found] for name, found in facts.items()}
        return {"profile": {**shown, "buckets": {}}}

    # ── extracted memories ───────────────────────────────────────────────────────────────────────────────────────

    def memory(self, request: HttpRequest, ns: str, id: str) -> Any:
        """One memory."""
        _query(requests.IncludeQuery, request)
        for each in self._memories(ns):
            if each.id == id:
                return shapes.memory(each)
        raise RefusedRequest(404, "Memory not found")

    def forget(self, request: HttpRequest, ns: str) -> Any:
        """Forget memories by id."""
        asked = _body(requests.IdsRequest, request)
        known = {each.id: each for each in self._memories(ns)}
        matches = [self._forgotten(known[id]) for id in asked.ids if id in known]
        errors = [{"id": id, "error": "Memory not found"} for id in asked.ids if id not in known]
        return {"count": len(matches), "errors": errors, "matches": matches}

    def forget_matching(self, request: HttpRequest, ns: str) -> Any:
        """Forget memories that hold every word of a query."""
        asked = _body(requests.ForgetRequest, request)
        wanted = asked.query.casefold().split()
        matching = [each for each in self._memories(ns) if all(word in each.text.casefold() for word in wanted)]
        matches = [_match(each) if asked.dry_run else self._forgotten(each) for each in matching]
        return {"count": len(matches), "errors": [], "matches": matches}

    def _memories(self, ns: str) -> Sequence[Passage]:
        documents = self._documents(ns).values()
        return [each for document in documents for each in self._pipeline.memories(document, self._now)]

    def _forgotten(self, each: Passage) -> dict[str, str]:
        each.document.forgotten.add(each.id)
        return _match(each)

    # ── namespaces ───────────────────────────────────────────────────────────────────────────────────────────────

    def namespaces(self, request: HttpRequest) -> Any:
        """One page of namespaces, newest first."""
        page = _query(requests.PageQuery, request)
        every = [each for each in self._account.values() if page.q in each.name]
        every.sort(key=lambda each: each.created, reverse=True)
        shown, pagination = shapes.paged(every, page)
        rows = [shapes.namespace(each, len(self._memories(each.name))) for each in shown]
        return {"namespaces": rows, "pagination": pagination}

    def namespace(self, request: HttpRequest, ns: str) -> Any:
        """One namespace."""
        return shapes.namespace_details(self._namespace(ns))

    def update_namespace(self, request: HttpRequest, ns: str) -> Any:
        """Say what it is about."""
        namespace, asked = self._namespace(ns), _body(requests.NamespaceUpdate, request)
        namespace.supporting_context, namespace.updated = asked.supporting_context, self._now
        return shapes.namespace_details(namespace)

    def delete_namespace(self, request: HttpRequest, ns: str) -> Any:
        """Delete it with everything in it, or move that to another."""
        target, namespace = _query(requests.MoveQuery, request).move_to, self._namespace(ns)
        memories = len(self._memories(ns))
        del self._account[ns]
        if target is None:
            counts = {"deletedDocumentsCount": len(namespace.documents), "deletedMemoriesCount": memories}
            return {"status": "deleted", "namespace": ns, **counts}
        other = self._account.setdefault(target, EmulatedNamespace(target, self._now, self._now))
        other.documents.update(namespace.documents)
        return {"status": "queued", "operationId": f"move_{ns}", "namespace": ns, "moveTo": target}

    def _namespace(self, ns: str) -> EmulatedNamespace:
        if ns not in self._account:
            raise RefusedRequest(404, "Namespace not found")
        return self._account[ns]

    def _documents(self, ns: str) -> dict[str, EmulatedDocument]:
        return self._account[ns].documents if ns in self._account else {}

    def _document(self, ns: str, id: str) -> EmulatedDocument:
        found = self._documents(ns).get(id)
        if found is None:
            raise RefusedRequest(404, "Document not found")
        return found


def _match(each: Passage) -> dict[str, str]:
    return {"id": each.id, "memory": each.text}


def _sized(content: str) -> str:
    if len(content.encode(errors="replace")) > LARGEST:
        raise RefusedRequest(413, f"content is larger than {LARGEST} bytes")
    return content


def _checked(model: type[B], given: Any) -> B:
    try:
        return model.model_validate(given)
    except ValidationError as error:
        problems = [{"message": each["msg"], "path": [str(part) for part in each["loc"]]} for each in error.errors()]
        raise RefusedRequest(400, problems, success=False, data=None) from error


def _body(model: type[B], request: HttpRequest) -> B:
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise RefusedRequest(400, "content-type must be application/json")
    try:
        given = json.loads(request.body, parse_constant=_no_constant)
    except ValueError as error:
        raise RefusedRequest(400, f"the body is not JSON: {error}") from error
    return _checked(model, given)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _query(model: type[B], request: HttpRequest) -> B:
    given: dict[str, Any] = {}
    for name, value in request.query:
        if name == "include":  # the SDK repeats it, the description says commas
            given[name] = [*given.get(name, []), *value.split(",")]
        elif name in given:
            raise RefusedRequest(400, f"{name} is given twice")
        else:
            given[name] = value
    return _checked(model, given)


_NS = r"/ns/(?P<ns>[^/]*)"
_ROUTES: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("GET", "/ns", EmulatedApi.namespaces),
    ("GET", _NS, EmulatedApi.namespace),
    ("PATCH", _NS, EmulatedApi.update_namespace),
    ("DELETE", _NS, EmulatedApi.delete_namespace),
    ("POST", f"{_NS}/document", EmulatedApi.add),
    ("DELETE", f"{_NS}/document", EmulatedApi.delete),
    ("POST", f"{_NS}/document/batch", EmulatedApi.batch_add),
    ("GET", f"{_NS}/document/(?P<id>[^/]+)", EmulatedApi.get),
    ("PATCH", f"{_NS}/document/(?P<id>[^/]+)", EmulatedApi.update),
    ("POST", f"{_NS}/search", EmulatedApi.search),
    ("POST", f"{_NS}/list/(?P<type>documents|chunks|memories)", EmulatedApi.list),
    ("POST", f"{_NS}/profile", EmulatedApi.profile),
    ("DELETE", f"{_NS}/memories", EmulatedApi.forget),
    ("DELETE", f"{_NS}/memories/semantic", EmulatedApi.forget_matching),
    ("GET", f"{_NS}/memories/(?P<id>[^/]+)", EmulatedApi.memory),
)
ROUTES = tuple((method, re.compile(pattern), route) for method, pattern, route in _ROUTES)
