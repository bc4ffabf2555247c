"""Finite-domain problems: their meaning, their proofs and their draws. Knows nothing of the language."""
