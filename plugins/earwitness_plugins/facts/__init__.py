"""Facts from talk: what people say of themselves, kept as memories that rest on the message."""
