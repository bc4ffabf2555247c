"""What users of the tasks import. Importing it loads the grader alone: neither the compiler nor a solver."""

from __future__ import annotations

from gpu_train_debug.grading.rubric import Grade, grade

__all__ = ["Grade", "grade"]
