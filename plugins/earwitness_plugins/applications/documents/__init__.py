"""Documents that a user uploads: pieces of memory like any other, in one container, replaced and forgotten whole."""

from __future__ import annotations

from .documents import StoryDocuments
from .records import DocumentUpload, UploadedDocument

__all__ = ["DocumentUpload", "StoryDocuments", "UploadedDocument"]
