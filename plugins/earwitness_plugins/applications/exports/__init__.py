"""What was there before a story, as files for others: as they came, or made anew."""
