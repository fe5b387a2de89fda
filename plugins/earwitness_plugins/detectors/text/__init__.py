"""Reading role-play text: who is named, who is spoken to, what is said aloud, who comes and goes. Pure functions."""

THREAD_FROM = 4_000
"""Characters in the messages to read from which on that is done on a thread: it takes more than some 20 ms."""
