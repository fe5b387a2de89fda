"""The embedder `openai`: vectors from OpenAI, or from any server with the same endpoint. Needs `earwitness[openai]`.

The limits are those of https://platform.openai.com/docs/api-reference/embeddings: at most 2,048 inputs and 300,000
tokens a request, 8,192 tokens an input, and none that is empty. A token is at least one byte of UTF-8, so bytes are
counted. A longer text is read in windows, whose vectors are averaged by their lengths.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Annotated

import numpy as np
from pydantic import Field, SecretStr

from earwitness.errors import SettingsError, StorageError
from earwitness.loading.addresses import ServerUrl
from earwitness.records.backends import EmbedderIdentity
from earwitness.redaction import without_passwords
from earwitness_plugins.ranking import Floats
from earwitness_plugins.services.openai_client import OpenAIClient

NEEDED = "the embedder 'openai' needs its client: pip install 'earwitness[openai]'."
DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
SHORTENED = "text-embedding-3"
"""Models whose names begin so make shorter vectors when asked to; the others know no such parameter."""
MOST_INPUTS = 2_048
MOST_BYTES = 300_000
"""Of one request."""
LONGEST = 8_000
"""Bytes of one input."""


class OpenAIEmbedder:
    """Texts → vectors from a service. It connects at the first use.

    Args:
        model: name of the model.
        dimensions: length of a vector; `None` = the model's own. Needed for a model that we do not know.
        api_key: the key; `None` = the environment variable `OPENAI_API_KEY`. A server at `base_url` may need none.
        base_url: another server with the same endpoint, such as `http://localhost:8000/v1`.
        timeout: seconds for one attempt.
        retries: how often an attempt is repeated after a refusal that may pass (429, 5xx) or a lost connection.

    Raises `SettingsError` for a model of unknown dimensions, and for dimensions that a model does not have.
    """

    remote = True
    """What waits for vectors is never in the way of a decision."""

    def __init__(
        self,
        *,
        model: Annotated[str, Field(min_length=1)] = "text-embedding-3-small",
        dimensions: Annotated[int, Field(ge=1, le=16_384)] | None = None,
        api_key: SecretStr | None = None,
        base_url: ServerUrl | None = None,
        timeout: Annotated[float, Field(gt=0)] = 30.0,
        retries: Annotated[int, Field(ge=0, le=10)] = 2,
    ) -> None:
        self._model = model
        self._dimension = _dimension(model, dimensions)
        self._shortened = self._dimension if dimensions and model.startswith(SHORTENED) else None
        self._client = OpenAIClient(
            what="the embedder 'openai'",
            table="embedder",
            needed=NEEDED,
            api_key=api_key,
            base_url=base_url,
            timeout=timeout,
            retries=retries,
        )

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """Which vectors these are: those of the model at this length, wherever it runs."""
        digest = hashlib.sha256(f"{self._model}\n{self._dimension}".encode()).hexdigest()[:16]
        return EmbedderIdentity(name=f"openai {self._model}", digest=digest, dimension=self._dimension)

    async def embed(self, texts: Sequence[str]) -> Floats:
        """Vectors of shape (len(texts), dimension), each of length 1, or 0 where a text is blank.

        Raises `SettingsError` without the client or a key, and `StorageError` when the service does not answer.
        """
        windows = [(row, window) for row, text in enumerate(texts) for window in windows_of(text)]
        vectors = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for request in _requests(windows):
            found = await self._asked([window for _, window in request])
            for (row, window), vector in zip(request, found, strict=True):
                vectors[row] += len(window) * vector
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: Floats = np.divide(vectors, norms, out=vectors, where=norms > 0)
        return unit

    async def open(self) -> None:
        """Make the client. Raises `SettingsError` without the package or a key."""
        await self._client.opened()

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.close()

    async def _asked(self, texts: list[str]) -> Floats:
        """The service's vectors for at most one request's worth of texts; shape (len(texts), dimension)."""
        client = await self._client.opened()
        from openai import OpenAIError, omit

        try:
            answer = await client.embeddings.create(model=self._model, input=texts, dimensions=self._shortened or omit)
        except OpenAIError as error:
            why = without_passwords(f"{client.base_url}: {error}")
            raise StorageError(f"the embedder 'openai' got no vectors from {why}") from error
        except (AttributeError, TypeError, ValueError) as error:  # the library reads a web page as if it were an answer
            where = without_passwords(str(client.base_url))
            raise StorageError(
                f"the embedder 'openai' asked {where} for vectors and got another answer. Check base_url: it often "
                "ends in /v1."
            ) from error
        rows = {each.index: each.embedding for each in answer.data}
        vectors = [rows.get(number, []) for number in range(len(texts))]
        if any(len(each) != self._dimension for each in vectors):
            lengths = ", ".join(map(str, sorted({len(each) for each in vectors})))
            raise StorageError(
                f"the embedder 'openai' asked {without_passwords(str(client.base_url))} for {len(texts)} vectors of "
                f"{self._model!r} with {self._dimension} numbers and got some with {lengths}. Set dimensions to "
                "what the model gives."
            )
        return np.array(vectors, dtype=np.float32)


def _dimension(model: str, dimensions: int | None) -> int:
    known = DIMENSIONS.get(model)
    if known is None and dimensions is None:
        raise SettingsError(
            f"the length of the vectors of {model!r} is not known here. Set dimensions. Known: {', '.join(DIMENSIONS)}."
        )
    if known is None or dimensions is None:
        return dimensions or known or 0
    shortest = 1 if model.startswith(SHORTENED) else known
    if not shortest <= dimensions <= known:
        lengths = f"{shortest} to {known}" if shortest < known else str(known)
        raise SettingsError(f"dimensions = {dimensions} cannot be used: {model!r} makes {lengths}.")
    return dimensions


def windows_of(text: str) -> Iterator[str]:
    """The text in pieces of at most `LONGEST` bytes, cut at white space where there is any; none of a blank text."""
    left = text.encode("utf-8", errors="replace").decode().strip()
    while len(left.encode()) > LONGEST:
        window = left.encode()[:LONGEST].decode(errors="ignore")
        words, space, _ = window.rpartition(" ")
        window = words if space and len(words) > len(window) // 2 else window
        yield window.strip()
        left = left[len(window) :].strip()
    if left:
        yield left


def _requests(windows: Iterable[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    """The windows, as many a request as it may have."""
    request: list[tuple[int, str]] = []
    size = 0
    for row, window in windows:
        length = len(window.encode())
        if request and (len(request) == MOST_INPUTS or size + length > MOST_BYTES):
            yield request
            request, size = [], 0
        request.append((row, window))
        size += length
    if request:
        yield request
