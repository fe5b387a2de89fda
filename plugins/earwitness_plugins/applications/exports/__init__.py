"""What was there before a story, as files for other programs."""
