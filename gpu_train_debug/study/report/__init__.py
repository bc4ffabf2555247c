"""What a study writes: JSON, Markdown, pictures."""
