"""Who else comes to know a message: tellings from member to member, with their chains."""

from ..compiled.adjacency import Adjacency
from ..compiled.coins import Coins
from .records import Seed, Spread, Stop, Telling
from .walk import spread

__all__ = ["Adjacency", "Coins", "Seed", "Spread", "Stop", "Telling", "spread"]
