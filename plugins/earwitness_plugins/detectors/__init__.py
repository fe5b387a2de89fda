"""Detectors: who perceives a message. One file a strategy; what they share is in the folders."""
