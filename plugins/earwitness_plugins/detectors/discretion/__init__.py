"""What keeps a piece of a message from others: manners in other languages, deeds in secret, unmarked thoughts."""
