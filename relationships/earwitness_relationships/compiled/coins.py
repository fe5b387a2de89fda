"""Coins that always fall the same way: a job that runs twice tells the same people.

A rule with `chance` throws one coin for each message, teller and listener. This is the live-edge form of the
independent cascade (Kempe, Kleinberg and Tardos 2003): which edges are open is settled by what they are, not by when
they are asked.
"""

from __future__ import annotations

from hashlib import blake2b

SIDES = 2**64
BETWEEN = "\x1f"


class Coins:
    """The coins of one message."""

    __slots__ = ("_begun",)

    def __init__(self, key: str) -> None:
        """`key` is the message's key."""
        self._begun = blake2b(_bytes(key + BETWEEN), digest_size=8)

    def falls(self, teller: str, listener: str, rule: str, below: bytes) -> bool:
        """Whether the coin of this telling falls below a `threshold`."""
        coin = self._begun.copy()
        coin.update(_bytes(f"{teller}{BETWEEN}{listener}{BETWEEN}{rule}"))
        return coin.digest() < below

    def value(self, teller: str, listener: str, rule: str) -> float:
        """The coin of this telling as a number from 0 to 1."""
        coin = self._begun.copy()
        coin.update(_bytes(f"{teller}{BETWEEN}{listener}{BETWEEN}{rule}"))
        return int.from_bytes(coin.digest(), "big") / SIDES


def threshold(chance: float) -> bytes:
    """The first coin that is too high for a chance from 0 up to, but not including, 1, as it compares with digests."""
    return int(chance * SIDES).to_bytes(8, "big")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
