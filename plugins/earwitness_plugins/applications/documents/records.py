"""What is known of documents, and what became of an upload."""

from __future__ import annotations

from earwitness import Record


class UploadedDocument(Record):
    """A document as a story has it."""

    id: str
    """Its id; the same id for the same owner is the same document."""
    owner: str
    """Character id, or the name of a container beyond the story."""
    title: str
    """Its title, as those who recall it are shown."""
    version: int
    """Counts from 1. A changed text is the next version."""
    parts: int
    """Number of its pieces."""
    digest: str
    """The same for the same text."""
    forgotten: bool = False
    """Whether it was forgotten, with all of its versions."""

    def __str__(self) -> str:
        pieces = "1 piece" if self.parts == 1 else f"{self.parts} pieces"
        gone = ", forgotten" if self.forgotten else ""
        return f"{self.title} ({self.id}): {pieces} for {self.owner}, version {self.version}{gone}"


class DocumentUpload(Record):
    """What became of an upload."""

    document: UploadedDocument
    """The document as it is now."""
    created: bool
    """`False` if the story had this text already, so that nothing new was written."""

    def __str__(self) -> str:
        return f"{self.document}{'' if self.created else '. Nothing new'}"
