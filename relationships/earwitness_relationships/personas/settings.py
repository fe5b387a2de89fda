"""The settings of personas: `[relationships.personas]`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from earwitness import Record

Most = Annotated[int, Field(strict=True, ge=1)]


class PersonasSettings(Record):
    """What a recall includes of canon, and of what is known about users."""

    global_canon: Most = 5
    """Maximum number of memories of her global canon. The newest are always included."""
    global_canon_heading: str = "Who you are"
    """The heading above them."""
    personal_canon: Most = 10
    """Maximum number of memories of what she lived with the personas of this story, in earlier ones."""
    personal_canon_heading: str = "From earlier stories with them"
    """The heading above them."""
    facts: Most = 5
    """Maximum number of facts about the users' personas that she alone knows."""
    facts_heading: str = "**What you remember about this user:**"
    """The heading above them."""
    general_facts: Most = 3
    """Maximum number of facts about the users that every character knows."""
    general_facts_heading: str = "**General facts about this user:**"
    """The heading above them."""
