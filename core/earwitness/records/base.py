"""What all records have in common: frozen, strict about unknown fields, JSON in and out."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen value. Change one with `record.model_copy(update={...})`; the copy is shallow."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
