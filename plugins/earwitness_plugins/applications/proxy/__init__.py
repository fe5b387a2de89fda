"""An endpoint like OpenAI's in front of a language model: it recalls before each answer, and distributes after it."""
