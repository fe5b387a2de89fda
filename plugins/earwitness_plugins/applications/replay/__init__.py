"""Transcripts become stories: every line goes through END."""
