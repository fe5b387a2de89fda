"""A server that speaks as much of Qdrant's REST protocol as our store does, with the local client behind it."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet: a client would wait 40 ms for the second
    server: Any

    def do_GET(self) -> None:
        self._answer(None)

    def do_PUT(self) -> None:
        self.do_POST()

    def do_DELETE(self) -> None:
        self.do_POST()

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "null"))

    def log_message(self, *_: Any) -> None:
        """Nothing."""

    def _answer(self, body: Any) -> None:
        try:
            with self.server.lock:
                status, result = 200, None if self.server.refuses else self._result(body)
                if self.server.refuses:
                    status, result = 503, "away"
        except (ValueError, RuntimeError) as error:
            status, result = 400, str(error)
        sent = result if self.path == "/" else {"result": result, "status": "ok", "time": 0.0}
        data = json.dumps(sent).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _result(self, body: Any) -> Any:
        path = self.path.partition("?")[0]
        if path == "/":
            return {"title": "a stand-in", "version": "1.20.0"}
        if path == "/collections":
            return self.server.client.get_collections().model_dump(mode="json")
        if not (found := re.fullmatch(r"/collections/([^/]+)((?:/.*)?)", path)):
            raise ValueError(f"{path} is not known here")
        name, rest = found.groups()
        if rest in {"/points", "/points/delete"} and self.command in {"PUT", "POST"} and "with_payload" not in body:
            return self._written(name, body)
        return self._read(name, rest, body) if rest.startswith("/points") else self._collection(name, rest, body)

    def _collection(self, name: str, rest: str, body: Any) -> Any:
        from qdrant_client import models

        client = self.server.client
        match self.command, rest:
            case "GET", "/exists":
                return {"exists": client.collection_exists(name)}
            case "GET", "":
                return client.get_collection(name).model_dump(mode="json")
            case "PUT", "":
                return client.create_collection(name, vectors_config=models.VectorParams(**body["vectors"]))
            case "DELETE", "":
                return client.delete_collection(name)
            case "PUT", "/index":
                self.server.indexes.append((name, body["field_name"], body["field_schema"]))
                return {"operation_id": 0, "status": "completed"}
        raise ValueError(f"{self.command} {rest} is not known here")

    def _written(self, name: str, body: Any) -> Any:
        from qdrant_client import models

        if self.command == "PUT":
            self.server.client.upsert(name, [models.PointStruct(**each) for each in body["points"]])
        else:
            self.server.client.delete(name, models.PointIdsList(points=body["points"]))
        return {"operation_id": 0, "status": "completed"}

    def _read(self, name: str, rest: str, body: Any) -> Any:
        from qdrant_client import models

        client = self.server.client
        filter = models.Filter(**body["filter"]) if body.get("filter") else None
        if rest == "/points/count":
            return client.count(name, filter, exact=True).model_dump(mode="json")
        wanted = {"with_payload": body["with_payload"], "with_vectors": body["with_vector"]}
        if rest == "/points":
            return [each.model_dump(mode="json") for each in client.retrieve(name, body["ids"], **wanted)]
        found, after = client.scroll(name, filter, limit=body["limit"], offset=body.get("offset"), **wanted)
        return {"points": [each.model_dump(mode="json") for each in found], "next_page_offset": after}


class QdrantServer(ThreadingHTTPServer):
    """A server on a free port of this machine."""

    daemon_threads = True

    def __init__(self) -> None:
        from qdrant_client import QdrantClient

        super().__init__(("127.0.0.1", 0), _Handler)
        self.client = QdrantClient(location=":memory:", force_disable_check_same_thread=True)
        self.lock = threading.Lock()
        self.refuses = False
        """Whether it does nothing and says so."""
        self.indexes: list[tuple[str, str, Any]] = []
        """Collection, field and schema of every index that was asked for."""

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_port}"

    @classmethod
    @contextmanager
    def running(cls) -> Iterator["QdrantServer"]:
        """A server as long as the block lasts."""
        server = cls()
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            server.server_close()
            server.client.close()
            thread.join()
