"""Importers: each reads one format of cards, lorebooks, chats, transcripts or labelled data."""
