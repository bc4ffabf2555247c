"""What users of the tasks import. Importing it loads the grader alone: neither the compiler nor a solver.

The Verifiers environment is loaded when one of its names is asked for; `__all__` has them where Verifiers is
installed, since that is where its loader looks.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from gpu_train_debug.grading.rubric import Grade, grade

if TYPE_CHECKING:
    from gpu_train_debug.environment import DebugEnv, DebugTaskset, DirectChat
    from gpu_train_debug.legacy import load_environment

_ENVIRONMENT = ("DebugEnv", "DebugTaskset", "DirectChat")

__all__ = ["Grade", "grade", "load_environment"]
if find_spec("verifiers") is not None:
    __all__ += ["DebugEnv", "DebugTaskset", "DirectChat"]


def __getattr__(name: str) -> Any:
    if name in _ENVIRONMENT:
        from gpu_train_debug import environment

        return getattr(environment, name)
    if name == "load_environment":
        from gpu_train_debug.legacy import load_environment

        return load_environment
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
