"""From worlds to prompts and records."""
