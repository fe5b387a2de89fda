"""Who else comes to know a message: tellings from member to member, with their chains."""

from .records import Seed, Spread, Stop, Telling

__all__ = ["Seed", "Spread", "Stop", "Telling"]
