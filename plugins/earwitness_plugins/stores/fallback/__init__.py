"""The store `fallback`: two stores, of which one answers while the other is away."""

from .store import FallbackStore

__all__ = ["FallbackStore"]
