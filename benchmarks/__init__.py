"""Measurements of the compiler: one module per question, `python -m benchmarks` runs them."""
