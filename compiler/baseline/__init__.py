"""How far shortcuts get: learners that see rows of a dataset and nothing of how it was made."""
