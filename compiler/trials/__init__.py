"""Verdicts on archetypes, from draws of their own."""
