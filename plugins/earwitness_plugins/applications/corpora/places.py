"""A corpus by its name or folder: which of its files holds the data of a task.

A corpus is a folder with a `corpus.toml`, and a folder for each task with `dev.jsonl` and `test.jsonl`.
"""

from __future__ import annotations

from pathlib import Path

from earwitness.errors import InputError, did_you_mean, quoted

CARD = "corpus.toml"
PARTS = ("dev", "test")
FOLDER = "corpora"


def corpus_folder(name: str) -> Path:
    """The folder of a corpus: a path, or a name in `corpora/` here or in the checkout this program runs from.

    Raises `InputError` that names the corpora there are.
    """
    homes = [Path(FOLDER), Path(__file__).resolve().parents[4] / FOLDER]
    for folder in (Path(name), *(home / name for home in homes)):
        if (folder / CARD).is_file():
            return folder
    known = sorted({found.parent.name for home in homes for found in home.glob(f"*/{CARD}")})
    there = (
        f"Corpora here: {', '.join(known)}." if known else f"There is no folder {FOLDER} here: give the corpus's path."
    )
    raise InputError(f"{quoted(name)} is not a corpus: it holds no {CARD}. {there}{did_you_mean(name, known)}")


def data_path(given: str, task: str) -> str:
    """The file that an argument names: a file as it is; `NAME` or `NAME:PART` of a corpus as its file for the task.

    Without a part it is `dev`. Raises `InputError` for a corpus without that task or part.
    """
    if Path(given).is_file():
        return given
    name, _, part = given.partition(":") if ":" in given else (given, "", "dev")
    if not _is_corpus(name):
        return given
    folder = corpus_folder(name)
    path = folder / task / f"{part}.jsonl"
    if not path.is_file():
        raise InputError(f"the corpus {name} has no part {part!r} of {task}. {_there(folder, task, part)}")
    return str(path)


def _there(folder: Path, task: str, part: str) -> str:
    """The parts of the task, or where there are none, all that the corpus has."""
    if parts := sorted(each.stem for each in (folder / task).glob("*.jsonl") if each.stem in PARTS):
        return f"It has: {', '.join(parts)}.{did_you_mean(part, parts)}"
    every = sorted(f"{each.parent.name} {each.stem}" for each in folder.glob("*/*.jsonl") if each.stem in PARTS)
    return f"It has: {', '.join(every) or 'nothing'}."


def _is_corpus(name: str) -> bool:
    """Whether an argument can only mean a corpus: a folder, or a bare word that no file has for a name."""
    path = Path(name)
    return path.is_dir() or (not path.exists() and not path.suffix and path.name == name)
