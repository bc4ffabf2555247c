"""Scores a reply against the gold of a task: `scan` finds the answer, `answer` reads it, `rubric` counts."""
