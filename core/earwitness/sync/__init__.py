"""The same API without `async`, for scripts and notebooks.

::

    from earwitness.sync import Earwitness

    with Earwitness.open("story.db") as ew:
        story = ew.session("s1", cast=["alice", "bob"])
        outcome = story.say("alice", "Bob, let us find the Sacred Sword!")
        print(outcome.settled().participants)

Every class mirrors the asynchronous one of its name. All modules here but `loop` are written by
`scripts/generate_sync.py`: change the asynchronous class and run `make sync`.
"""

from .backstage import Backstage
from .earwitness import Earwitness
from .outcome import Outcome
from .session import Session
from .turn import Turn

__all__ = ["Backstage", "Earwitness", "Outcome", "Session", "Turn"]
