"""A scripted language model behind a real socket, for tests of what asks one through the real `openai` client.

::

    with ScriptedModel(["Hello.", ScriptedAnswer(status=429, retry_after=0), '{"broken": ']) as model:
        settings = Settings.of(model={"model": "scripted", "base_url": model.url, "api_key": model.key})
        …
    assert "Alice" in model.requests[0].text

It answers in order, or as a function of the request says. It is as strict as a service: without the key it refuses.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self, TypeAlias

from pydantic import BaseModel

ROLES = {"system", "user", "assistant", "tool", "developer"}


@dataclass(frozen=True, slots=True)
class ScriptedAnswer:
    """What the server does with one request."""

    text: str = ""
    """What the model says."""
    status: int = 200
    """The response's status; anything else than 200 is an error."""
    delay: float = 0.0
    """Seconds before anything is sent."""
    drip: float = 0.0
    """Seconds before each further piece of the response, of which there are about twenty."""
    drop: Literal["never", "at once", "midway"] = "never"
    """Whether the connection is cut: before anything is sent, or in the middle of the response."""
    refusal: str | None = None
    """Why the model refuses."""
    reasoning: str | None = None
    """What some servers send beside the text."""
    tool_calls: tuple[str, ...] = ()
    """Names of tools that the model wants called, although there are none."""
    finish: str = "stop"
    """Why the model stopped."""
    usage: tuple[int, int] | None = None
    """Tokens of prompt and answer; `None` = a token for four characters, `(0, 0)` = the server does not say."""
    retry_after: float | None = None
    """Seconds after which the server wants to be asked again."""
    raw: bytes | None = None
    """The response's body, whatever it is."""
    kind: str = "application/json"
    """Media type of `raw`: `text/event-stream` for the events of a stream."""
    error: str = "scripted"
    """What an error says."""


@dataclass(frozen=True, slots=True)
class ScriptedRequest:
    """What the server was asked."""

    path: str
    """The address within the server."""
    key: str
    """The key that was sent."""
    body: Mapping[str, Any]
    """The request as it was sent."""

    @property
    def stream(self) -> bool:
        """Whether the answer is wanted piece by piece."""
        return bool(self.body.get("stream"))

    @property
    def messages(self) -> Sequence[Mapping[str, Any]]:
        """The conversation."""
        found: Sequence[Mapping[str, Any]] = self.body.get("messages", ())
        return found

    @property
    def text(self) -> str:
        """All of the conversation as one text."""
        return "\n".join(str(each.get("content")) for each in self.messages)


Scripted: TypeAlias = ScriptedAnswer | BaseModel | Mapping[str, Any] | str
ModelScript: TypeAlias = Iterable[Scripted] | Callable[[ScriptedRequest], Scripted]


@dataclass
class ScriptedModel:
    """A server on a free loopback port while it is entered. Text and records stand for an answer of that content."""

    script: ModelScript = ()
    """The answers in order, or a function that gives them. A script that has ended answers with status 500."""
    key: str | None = "sk-scripted-0123456789abcdef"
    """The key that it wants; `None` = any, or none."""
    takes_schemas: bool = True
    """Whether it accepts `response_format`."""
    requests: list[ScriptedRequest] = field(default_factory=list)
    """What it was asked, in order, refused requests included."""
    port: int = 0
    """Where it listens on this machine; 0 = any free port."""
    _server: _ModelServer | None = None

    def __enter__(self) -> Self:
        """Raises `OSError` if the port cannot be used."""
        self._server = _ModelServer(self)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    @property
    def url(self) -> str:
        """What is given as `base_url`. Raises `RuntimeError` before it is entered."""
        if self._server is None:
            raise RuntimeError("the scripted model is not running: use it as `with ScriptedModel(…) as model`.")
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def settings(self, **more: Any) -> dict[str, Any]:
        """The table `[model]` for this server, with more in it."""
        return {"model": "scripted", "base_url": self.url, "api_key": self.key or "any", **more}

    def answer(self, request: ScriptedRequest) -> ScriptedAnswer:
        """The answer to a request."""
        with self._lock:
            self.requests.append(request)
            refused = self._refusal(request)
            if refused is not None:
                return refused
            said = self.script(request) if callable(self.script) else next(self._rest, None)
        return ScriptedAnswer(status=500, error="the script has ended") if said is None else _answer_of(said)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._rest: Iterator[Scripted] = iter(()) if callable(self.script) else iter(self.script)

    def _refusal(self, request: ScriptedRequest) -> ScriptedAnswer | None:
        """What a strict service refuses; `None` = nothing."""
        if self.key is not None and request.key != self.key:
            return ScriptedAnswer(status=401, error="Incorrect API key provided")
        if request.path != "/v1/chat/completions":
            return ScriptedAnswer(status=404, error=f"there is no {request.path}")
        if wrong := _wrong(request.body):
            return ScriptedAnswer(status=400, error=wrong)
        if "response_format" in request.body and not self.takes_schemas:
            return ScriptedAnswer(status=400, error="response_format is not supported")
        return None


def parrot(request: ScriptedRequest) -> str:
    """An answer that repeats what was said last, for those who try something without a model."""
    lines = [line for line in str(request.messages[-1].get("content")).splitlines() if line and line[0] != "("]
    return f"I heard: {re.sub(r'^[^:]{1,40}: ', '', lines[-1])}" if lines else "I heard nothing."


def _answer_of(said: Scripted) -> ScriptedAnswer:
    if isinstance(said, ScriptedAnswer):
        return said
    if isinstance(said, BaseModel):
        return ScriptedAnswer(said.model_dump_json(by_alias=True))
    return ScriptedAnswer(said if isinstance(said, str) else json.dumps(said))


def _wrong(body: Mapping[str, Any]) -> str:
    messages = body.get("messages")
    if not isinstance(body.get("model"), str) or not isinstance(messages, list) or not messages:
        return "a request needs a model and messages"
    if any(each.get("role") not in ROLES or not isinstance(each.get("content"), str) for each in messages):
        return "each message needs a role and a content"
    return ""


class _ModelServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, model: ScriptedModel) -> None:
        super().__init__(("127.0.0.1", model.port), _ModelHandler)
        self.model = model

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is nothing to tell."""


class _ModelHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _ModelServer

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """List the models."""
        self._send(200, [_json({"object": "list", "data": [{"id": "scripted", "object": "model"}]})])

    def do_POST(self) -> None:
        """Answer as the script says."""
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        key = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        request = ScriptedRequest(self.path, key, body)
        answer = self.server.model.answer(request)
        time.sleep(answer.delay)
        if answer.drop == "at once":
            self.close_connection = True
        elif answer.raw is not None:
            self._send(answer.status, _pieces(answer.raw), answer, kind=answer.kind)
        elif answer.status != 200:
            error = {"error": {"message": answer.error, "type": "scripted", "param": None, "code": None}}
            self._send(answer.status, [_json(error)], answer)
        elif request.stream:
            self._send(200, _chunks(answer, request), answer, kind="text/event-stream")
        else:
            self._send(200, _pieces(_json(_completion(answer, request))), answer)

    def _send(
        self,
        status: int,
        pieces: Sequence[bytes],
        answer: ScriptedAnswer | None = None,
        kind: str = "application/json",
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(sum(map(len, pieces))))
        if answer is not None and answer.retry_after is not None:
            self.send_header("Retry-After", str(answer.retry_after))
        self.end_headers()
        drip, drop = (answer.drip, answer.drop) if answer else (0.0, "never")
        sent = pieces[: len(pieces) // 2] if drop == "midway" else pieces
        for number, piece in enumerate(sent):
            if number and drip:
                time.sleep(drip)
            self.wfile.write(piece)
        self.close_connection = self.close_connection or drop == "midway"


def _completion(answer: ScriptedAnswer, request: ScriptedRequest) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text, "refusal": answer.refusal}
    if answer.reasoning is not None:
        message["reasoning_content"] = answer.reasoning
    if answer.tool_calls:
        message["tool_calls"] = [
            {"id": f"call-{number}", "type": "function", "function": {"name": name, "arguments": "{}"}}
            for number, name in enumerate(answer.tool_calls)
        ]
    choice = {"index": 0, "message": message, "finish_reason": answer.finish, "logprobs": None}
    return {**_head(request, "chat.completion"), "choices": [choice], "usage": _usage(answer, request)}


def _chunks(answer: ScriptedAnswer, request: ScriptedRequest) -> list[bytes]:
    """The answer as events, one for each word, and the usage where it is asked for."""
    head = _head(request, "chat.completion.chunk")
    words = [f"{word} " for word in answer.text.split(" ")]
    pieces = [*words[:-1], words[-1].removesuffix(" ")]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}, *({"content": each} for each in pieces)]
    events = [{**head, "choices": [{"index": 0, "delta": each, "finish_reason": None}]} for each in deltas]
    events.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": answer.finish}]})
    if (request.body.get("stream_options") or {}).get("include_usage"):
        events.append({**head, "choices": [], "usage": _usage(answer, request)})
    return [*(b"data: " + _json(each) + b"\n\n" for each in events), b"data: [DONE]\n\n"]


def _head(request: ScriptedRequest, kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-scripted", "object": kind, "created": 0, "model": request.body["model"]}


def _usage(answer: ScriptedAnswer, request: ScriptedRequest) -> dict[str, int] | None:
    if answer.usage == (0, 0):
        return None
    prompt, completion = answer.usage or (-(-len(request.text) // 4), -(-len(answer.text) // 4))
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _pieces(body: bytes) -> list[bytes]:
    """About twenty pieces of a response."""
    size = max(1, len(body) // 20)
    return [body[begin : begin + size] for begin in range(0, len(body), size)] or [b""]


def _json(value: object) -> bytes:
    return json.dumps(value).encode()
