"""Calls a function on texts, each in a process of its own with limits, without starting Python for each.

One process loads the function and then forks for every text.
"""

from __future__ import annotations

import json
import os
import pkgutil
import resource
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

TESTS = Path(__file__).parents[1]


@contextmanager
def forked(function: str, *, mebibytes: int, seconds: int) -> Iterator[Callable[[str], object]]:
    """Give a way to call `function`, such as `json:loads`, with a text; it must return JSON.

    Args:
        mebibytes: Of memory for each call; what is loaded before counts, too.
        seconds: Of processor time for each call.
    """
    command = [sys.executable, "-m", "strategies.forked", function, str(mebibytes), str(seconds)]
    environment = {"PYTHONPATH": f"{TESTS.parent}{os.pathsep}{TESTS}", "OPENBLAS_NUM_THREADS": "1"}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        to, back = process.stdin, process.stdout

        def call(text: str) -> object:
            """Call it.

            Raises:
                AssertionError: The call raised, or a limit ended it.
            """
            to.write(json.dumps(text) + "\n")
            to.flush()
            result, failure = json.loads(back.readline())
            assert not failure, failure
            return result

        yield call


def serve(function: Callable[[str], object], mebibytes: int, seconds: int) -> None:
    """Read texts from standard input, a JSON string a line; print a line with the result and the failure of each."""
    function("")  # loads what is loaded once
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _answer(function, json.loads(line), mebibytes, seconds)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status != 0:
            print(json.dumps([None, f"ended with status {status}"]), flush=True)


def _answer(function: Callable[[str], object], text: str, mebibytes: int, seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (mebibytes * 2**20, mebibytes * 2**20))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    status = 1
    try:
        try:
            answer = [function(text), ""]
        except Exception:
            answer = [None, traceback.format_exc()[-2000:]]
        print(json.dumps(answer), flush=True)
        status = 0
    finally:
        os._exit(status)


if __name__ == "__main__":
    serve(pkgutil.resolve_name(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
