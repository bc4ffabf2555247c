"""A prompt's text to a handbook, and the words that prompts are written in."""
