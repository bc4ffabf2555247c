"""From worlds to prompts, records and files."""
