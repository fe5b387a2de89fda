"""Files that others wrote: containers, encodings, and JSON that is not quite what it should be."""
