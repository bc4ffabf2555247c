"""Pools of worker processes that leave Ctrl-C to the main process.

Workers are spawned, not forked: Z3 and numpy start threads, and a fork in their middle is undefined. They
start one by one with the submissions; an interrupt during such a start would leave a half-started process
behind, so it waits until the submission is made. What a worker starts from lies in a file: through the pipe, a worker
that dies before it has read all of it would leave the main process waiting for good.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ParamSpec, TypeVar

from compiler.interrupts import INTERRUPTS, interrupts_deferred

P = ParamSpec("P")
T = TypeVar("T")
Item = TypeVar("Item")
Result = TypeVar("Result")


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
    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
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


def in_order(
    items: Iterable[Item], submit: Callable[[Item], Future[Result]], *, window: int
) -> Iterator[tuple[Item, Result]]:
    """Give each item with its result, in the order of the items; at most `window` are under way at a time."""
    waiting: deque[tuple[Item, Future[Result]]] = deque()
    for item in items:
        waiting.append((item, submit(item)))
        if len(waiting) == window:
            first, future = waiting.popleft()
            yield first, future.result()
    for first, future in waiting:
        yield first, future.result()
