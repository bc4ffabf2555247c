"""Pools of worker processes that leave Ctrl-C to the main process.

Workers are spawned, not forked: Z3 and numpy start threads, and a fork in their middle is undefined. They
start one by one with the submissions; an interrupt during such a start would leave a half-started process
behind, so it waits until the submission is made. What a worker starts from is in a file: a worker that
died before it had read all of it through the pipe would leave the main process waiting for good.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Generic, ParamSpec, TypeVar

from compiler.interrupts import INTERRUPTS, interrupts_deferred

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

CHUNK: Final = 8
"""How many items travel to a worker together."""

CHUNKS_UNDER_WAY: Final = 4
"""How many chunks are under way for each worker."""


@contextmanager
def worker_pool(
    jobs: int, initializer: Callable[..., None] | None = None, initargs: tuple[Any, ...] = ()
) -> Iterator[Executor]:
    """Start `jobs` processes; on the way out, waiting work is dropped and running work is waited for."""
    context = multiprocessing.get_context("spawn")
    with TemporaryDirectory(prefix="gtd-") as folder:
        start = Path(folder) / "start"
        start.write_bytes(pickle.dumps((initializer, initargs)))
        pool = _Pool(jobs, mp_context=context, initializer=_begin, initargs=(start,))
        try:
            yield pool
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


class _Pool(ProcessPoolExecutor):
    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        with interrupts_deferred(), _interrupts_blocked():
            return super().submit(fn, *args, **kwargs)


def _begin(start: Path) -> None:
    """Start a worker. It inherits blocked interrupts, which is right for Ctrl-C only."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)
    initializer, initargs = pickle.loads(start.read_bytes())
    if initializer is not None:
        initializer(*initargs)


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block interrupts in this thread and the processes that it starts."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# ------------------------------------------------------------------ one piece of work, many items


class Crew(Generic[_Item, _Result]):
    """Does one piece of work on many items, here or in worker processes.

    Results don't depend on the number of workers and come in the order of the items.
    """

    def __init__(self, here: Callable[[_Item], _Result] | None, pool: Executor | None, jobs: int, chunk: int) -> None:
        self._here = here
        self._pool = pool
        self._chunk = chunk
        self._window = CHUNKS_UNDER_WAY * jobs

    def each(self, items: Iterable[_Item]) -> Iterator[_Result]:
        """The result of each item; with workers, some items ahead of the one that is asked for are under way."""
        if self._here is not None:
            yield from map(self._here, items)
            return
        rest = iter(items)
        waiting: deque[Future[list[_Result]]] = deque()
        while chunk := tuple(islice(rest, self._chunk)):
            waiting.append(self._submit(chunk))
            if len(waiting) == self._window:
                yield from waiting.popleft().result()
        for future in waiting:
            yield from future.result()

    def one(self, item: _Item) -> _Result:
        """The result of one more item."""
        return self._here(item) if self._here is not None else self._submit((item,)).result()[0]

    def _submit(self, chunk: tuple[_Item, ...]) -> Future[list[_Result]]:
        assert self._pool is not None
        return self._pool.submit(_do_all, chunk)


@contextmanager
def crew(
    build: Callable[..., Callable[[_Item], _Result]], arguments: tuple[Any, ...], *, jobs: int, chunk: int = CHUNK
) -> Iterator[Crew[_Item, _Result]]:
    """Start `jobs` worker processes, or none for one job; waiting work is dropped on the way out.

    Args:
        build: A function of a module, called once in each process with `arguments`; gives what does the work.
        chunk: How many items travel to a worker together.
    """
    if jobs <= 1:
        yield Crew(build(*arguments), None, 1, chunk)
        return
    with worker_pool(jobs, _build_work, (build, arguments)) as pool:
        yield Crew(None, pool, jobs, chunk)


_work: Callable[[Any], Any] | None = None


def _build_work(build: Callable[..., Callable[[Any], Any]], arguments: tuple[Any, ...]) -> None:
    global _work
    _work = build(*arguments)


def _do_all(items: tuple[Any, ...]) -> list[Any]:
    assert _work is not None, "the worker was not started"
    return [_work(item) for item in items]
