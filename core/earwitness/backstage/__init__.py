"""Backstage: views of a session that no character may see."""
