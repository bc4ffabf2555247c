"""What a checked program means, in plain Python: expressions, evidence, walks and repairs."""
