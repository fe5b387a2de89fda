"""Reading role-play text: who is named, who is spoken to, what is said aloud, who comes and goes. Pure functions."""
