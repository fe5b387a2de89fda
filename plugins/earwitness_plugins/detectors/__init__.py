"""Detectors: who perceives a message. One file a strategy; what they read from texts stands in `reading`."""
