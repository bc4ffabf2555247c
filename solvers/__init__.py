"""Finite-domain problems: their meaning, draws and proofs. Knows nothing of the language."""
