"""Decide a task with Z3, and write its claims as SMT-LIB scripts."""
