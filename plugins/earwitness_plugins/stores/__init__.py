"""Stores: where memories live, one file or folder a strategy."""
