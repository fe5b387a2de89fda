"""A server with OpenAI's endpoint for embeddings, as strict as the documentation, for its real client over a socket."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

KEY = "sk-of-the-tests"
PARAMETERS = {"model", "input", "dimensions", "encoding_format"}


class EmbeddingsServer(ThreadingHTTPServer):
    """What it was asked, and how it misbehaves."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self.asked: list[dict[str, Any]] = []
        """The bodies of all requests, refused ones too."""
        self.faults: list[int] = []
        """Status codes for the next requests; 0 = the connection is dropped."""
        self.length: int | None = None
        """Length of the vectors, whatever is asked for."""
        self.page = ""
        """A web page, which answers everything."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: EmbeddingsServer

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        fault = self.server.faults.pop(0) if self.server.faults else None
        if self.server.page:
            self._send(200, "text/html", self.server.page.encode())
        elif fault == 0:
            self.close_connection = True
        elif fault is not None:
            self._answer(fault, {"error": {"message": f"fault {fault}", "type": "x"}})
        elif self.headers.get("Authorization") != f"Bearer {KEY}":
            self._answer(401, {"error": {"message": "Incorrect API key provided", "type": "invalid_request_error"}})
        elif wrong := _wrong(body):
            self._answer(400, {"error": {"message": wrong, "type": "invalid_request_error"}})
        else:
            rows = [self._row(number, text, body) for number, text in enumerate(body["input"])]
            self._answer(200, {"object": "list", "model": body["model"], "data": rows[::-1], "usage": {}})

    def _row(self, number: int, text: str, body: dict[str, Any]) -> dict[str, Any]:
        found = vector(text, self.server.length or body.get("dimensions", 1536))
        wanted = body.get("encoding_format") == "base64"
        packed = base64.b64encode(np.array(found, "<f4").tobytes()).decode() if wanted else found
        return {"object": "embedding", "index": number, "embedding": packed}

    def _answer(self, status: int, body: dict[str, Any]) -> None:
        self._send(status, "application/json", json.dumps(body).encode())

    def _send(self, status: int, kind: str, text: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


def vector(text: str, dimensions: int) -> list[float]:
    """A vector that depends on the text alone, and is not of length 1."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
    return [float(each) for each in np.random.default_rng(seed).normal(size=dimensions).astype(np.float32)]


def _wrong(body: dict[str, Any]) -> str:
    """What the service refuses in a request; `""` for nothing. A token is taken for one byte."""
    texts, lengths = body["input"], [len(text.encode()) for text in body["input"]]
    refusals = {
        "unknown parameter": bool(body.keys() - PARAMETERS),
        "'dimensions' must be a number": not isinstance(body.get("dimensions", 1), int),
        "an input is empty": not all(texts),
        "too many inputs": not 0 < len(texts) <= 2_048,
        "too many tokens": max(lengths) > 8_192 or sum(lengths) > 300_000,
    }
    return next((what for what, is_so in refusals.items() if is_so), "")


@contextmanager
def serving() -> Iterator[EmbeddingsServer]:
    """A server on a free port, while it is needed."""
    with EmbeddingsServer() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
