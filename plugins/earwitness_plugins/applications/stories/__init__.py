"""Story files: a cast, what was there before, and steps that `earwitness play` plays."""
