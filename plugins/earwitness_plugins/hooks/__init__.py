"""Plugins we ship, loaded through the same entry points as anybody's. One file a plugin."""
