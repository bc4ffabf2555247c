"""The independent reader: answers a task from the text of its page alone.

It shares no code with the rest of the compiler, so that its answers check those of the pipeline.
"""

from __future__ import annotations

from compiler.reader.answer.document import Document, read_prompt
from compiler.reader.answer.solve import ReadWalk, Solution, answer_json, solve
from compiler.reader.answer.walk import ReadEnding, ReadStep
from compiler.reader.text.errors import ReadError, TooMuchWorkError
from compiler.reader.text.run import ReadLine

__all__ = [
    "Document",
    "ReadEnding",
    "ReadError",
    "ReadLine",
    "ReadStep",
    "ReadWalk",
    "Solution",
    "TooMuchWorkError",
    "answer_json",
    "read_prompt",
    "solve",
]
