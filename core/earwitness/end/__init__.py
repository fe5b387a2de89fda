"""END: from a journal entry to memories."""
