"""Machines run routines: as machine code where llvmlite is installed, as Python everywhere.

In: what writes routines. Out: a `Runner`. All machines give the same results.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, MutableSequence, Sequence
from typing import Any, Protocol

from solvers.counting.kernel.llvm_writer import LlvmWriter
from solvers.counting.kernel.python_writer import PythonWriter
from solvers.counting.kernel.writer import Writer

StateRow = MutableSequence[int]
"""The state of routines: as many integers as they have slots."""
Write = Callable[[Writer], None]

OPTIMIZED = 1
"""How hard LLVM optimizes."""


class Runner(Protocol):
    """Runs the routines that were written for it."""

    def row(self, size: int) -> StateRow:
        """Make a state."""
        ...

    def run(self, name: str, state: StateRow) -> int:
        """Run a routine on a state that this machine made."""
        ...


class PythonMachine:
    """Runs routines as Python functions."""

    def __init__(self, write: Write) -> None:
        writer = PythonWriter()
        write(writer)
        self._functions = writer.functions()

    def row(self, size: int) -> StateRow:
        return [0] * size

    def run(self, name: str, state: StateRow) -> int:
        result: int = self._functions[name](state)
        return result


class LlvmMachine:
    """Runs routines as machine code.

    Args:
        code: What `machine_code` made.
        names: Of the routines that are run from outside.

    Raises:
        ModuleNotFoundError: llvmlite isn't installed.
    """

    def __init__(self, code: bytes, names: Sequence[str]) -> None:
        llvm, target = _llvm()
        self._engine: Any = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
        self._functions = {name: kind(self._engine.get_function_address(name)) for name in names}

    def row(self, size: int) -> StateRow:
        made: Any = (ctypes.c_int64 * size)()
        row: StateRow = made
        return row

    def run(self, name: str, state: StateRow) -> int:
        made: Any = state
        result: int = self._functions[name](ctypes.addressof(made))
        return result


def machine_code(write: Write) -> bytes:
    """Compile routines.

    Raises:
        ModuleNotFoundError: llvmlite isn't installed.
        TooWideError: Something is too large.
    """
    llvm, target = _llvm()
    writer = LlvmWriter()
    write(writer)
    module = llvm.parse_assembly(writer.text())
    builder = llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(speed_level=OPTIMIZED))
    builder.getModulePassManager().run(module, builder)
    code: bytes = target.emit_object(module)
    return code


def machine_version() -> str:
    """What machine code depends on besides the routines.

    Raises:
        ModuleNotFoundError: llvmlite isn't installed.
    """
    llvm, target = _llvm()
    return f"{llvm.llvm_version_info} {target.triple} {OPTIMIZED}"


def _llvm() -> tuple[Any, Any]:
    """The library, and a target for any processor of this kind."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm, llvm.Target.from_default_triple().create_target_machine(opt=OPTIMIZED)
