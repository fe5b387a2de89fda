"""What the copies of a message have in common, kept once: by the embedded ledger and store, and by exports."""
