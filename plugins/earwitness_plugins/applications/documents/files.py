"""Files that are uploaded: plain text, Markdown, and PDF with `earwitness[documents]`."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from earwitness.errors import InputError, SettingsError

TEXTS = (".txt", ".md", ".markdown", ".text")
NEEDED = "to read a PDF it needs pypdf: pip install 'earwitness[documents]'."


def text_of_file(path: str | Path) -> str:
    """The text of a file, pages of a PDF as paragraphs. It reads from disk: call it on a thread.

    Raises `InputError` for a file that cannot be read, or has no text, `SettingsError` without the package for PDF.
    """
    file = Path(path)
    if file.suffix.casefold() == ".pdf":
        return _text_of_pdf(file)
    if file.suffix.casefold() not in TEXTS:
        raise InputError(f"{file}: only {', '.join(TEXTS)} and .pdf can be uploaded. Save it as one of them.")
    try:
        return file.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: it is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from error
    except OSError as error:
        raise InputError(f"{file}: it cannot be read: {error.strerror}.") from error


def _text_of_pdf(file: Path) -> str:
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ModuleNotFoundError as missing:
        raise SettingsError(NEEDED) from missing
    try:
        with _quiet("pypdf"):
            found = "\n\n".join(page.extract_text() for page in PdfReader(file).pages)
    except OSError as error:
        raise InputError(f"{file}: it cannot be read: {error.strerror or error}.") from error
    except (PyPdfError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{file}: it cannot be read as a PDF: {error}.") from error
    if not found.strip():
        raise InputError(f"{file}: its pages hold no text, only pictures. Upload its text instead.")
    return found


@contextmanager
def _quiet(package: str) -> Iterator[None]:
    """Without what a package logs: what matters of it is raised. Without a handler, Python prints warnings."""
    logger, handler = logging.getLogger(package), logging.NullHandler()
    propagated, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagated
