"""Pantheons and memberships at run time."""
