"""Global and personal canon, bubbles, and their reconciliation."""
