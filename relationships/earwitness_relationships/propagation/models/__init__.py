"""Named models of spreading, as researchers know them: a pantheon chooses one with `spreading`."""

from .protocol import Contact, SpreadingModel, Ties

__all__ = ["Contact", "SpreadingModel", "Ties"]
