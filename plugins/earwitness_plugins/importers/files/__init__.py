"""Files by other programs: containers, encodings, and JSON that is not quite what it should be."""
