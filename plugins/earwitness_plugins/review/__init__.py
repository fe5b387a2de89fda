"""The review queue: what a model or a rule would write waits here until a person approves it.

`queue` is `story.review`, `records` what it holds, `notes` how the journal holds it, and `handlers` what is done for
kinds that are more than memories.
"""

from .queue import Review
from .records import Proposal, Reviewed, ReviewStatus, ReviewWrite

__all__ = ["Proposal", "Review", "ReviewStatus", "ReviewWrite", "Reviewed"]
