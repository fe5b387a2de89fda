"""Relationship profiles: what a character thinks of another one, from memories of their own, with evidence.

`profiles` is `story.profile`, `records` what it answers, `evidence` which memories are about somebody, `extracts` a
profile without a model, and `claims` what of a model's answer counts.
"""

from .profiles import Profiles
from .records import Profile, ProfileClaim

__all__ = ["Profile", "ProfileClaim", "Profiles"]
