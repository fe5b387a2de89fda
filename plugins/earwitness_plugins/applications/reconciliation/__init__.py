"""Reconciliation of a bubble: a model proposes for each memory what becomes of it, and a person approves.

`proposer` asks the model, `answers` says what of an answer counts, and `approval` does what was approved.
"""

from .approval import approved
from .proposer import BubbleReconciliation, LeftInBubble, ProposedReconciliation

__all__ = ["BubbleReconciliation", "LeftInBubble", "ProposedReconciliation", "approved"]
