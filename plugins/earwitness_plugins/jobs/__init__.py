"""Jobs: what is done for a story in the background."""
