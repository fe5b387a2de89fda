"""The store `markdown`: a folder of files that people read and edit.

`store` is what a host sees. `folder` reads and writes the files of all containers, `document` and `item` are the format
of `MEMORY.md`, `history` that of `HISTORY.md`, `names` says what the folder of a container is called, and `durable`
writes files that survive a crash.
"""

from .store import MarkdownStore

__all__ = ["MarkdownStore"]
