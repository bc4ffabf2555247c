"""The archetype language: from text to checked modules. Knows nothing of solvers or of JSONL."""
