"""The rule file that `earwitness rules new` writes: commented, and it plays with any story."""

from __future__ import annotations

from collections.abc import Sequence

EXAMPLE = """\
# Who tells what to whom. Check it:  earwitness rules check {file}
# See it:                            earwitness rules show {file} --output rules.svg

{slug}:                                   # a group of characters, by a name of your own
  type: friend_group
  members: [{members}]   # ids of characters in your story

  rules:                                  # hold for all members
    exclude_private: true                 # nothing from a direct message is told on
    as: gossip                            # a memory that was told says so: "{teller} told you"

  relationships:
    # What {teller} sees and hears reaches {listener} two days later, with everything that follows from it.
    - from: {teller}
      to: {listener}
      type: regular                       # a word of your own
      rules:
        share_direct_interactions: true
        delay: 2                          # game days

# More that rules can say; each goes under `rules`, of the group, of a member or of a relationship.
# The nearest wins: relationship, then member, then group.
#
#   gossip_about_others: true             # tell on what one learned about others, not what one lived
#   propagate_all: true                   # whatever a member lives, all other members know
#   share_with: [{listener}]  # whom to tell, besides relationships
#   only_about: [{teller}]  # only what concerns them; never_about is the opposite
#   max_hops: 2                           # how far it is told on;  decay: 0.5  is what remains at each step
#   chance: 0.5                           # a coin for each telling, which always falls the same way
#   fan_out: 3                            # the most listeners of one teller
#   budget: {{message: 10, listener_day: 5}}  # the most tellings of a message, and to one listener on one day
#   retell: summary                       # shorten what is told;  when: conversation  waits for its end
#   conditions: {{places: [tavern], flags: {{curfew: false}}}}
"""
DEMO = ("alice", "bob", "charlie", "greta")
"""The cast of the demo story."""


def example(file: str, slug: str = "tavern", members: Sequence[str] = DEMO) -> str:
    """The text of a rule file in which the last member tells the last but one, two days later."""
    *_, listener, teller = members
    return EXAMPLE.format(file=file, slug=slug, members=", ".join(members), teller=teller, listener=listener)
