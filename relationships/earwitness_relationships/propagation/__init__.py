"""Who else comes to know a message: tellings from member to member, with their chains."""

from .adjacency import Adjacency
from .records import Seed, Spread, Stop, Telling
from .walk import spread

__all__ = ["Adjacency", "Seed", "Spread", "Stop", "Telling", "spread"]
