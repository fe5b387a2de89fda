"""Plays: what stage directions say of who is on stage."""
