"""The JSON of character cards and lorebooks, as imported characters and lore."""
