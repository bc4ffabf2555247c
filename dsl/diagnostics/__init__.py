"""What can be wrong: diagnostics, their codes, and how they look."""
