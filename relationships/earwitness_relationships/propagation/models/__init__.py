"""Named models of spreading, as researchers know them: a pantheon chooses one with `spreading`."""

from .protocol import Contact, Round, SpreadingModel, SpreadSoFar, Ties, contacts

__all__ = ["Contact", "Round", "SpreadSoFar", "SpreadingModel", "Ties", "contacts"]
