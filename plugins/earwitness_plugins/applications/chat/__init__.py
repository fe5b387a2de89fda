"""A person in a story: talks with its cast, whose answers a language model gives."""
