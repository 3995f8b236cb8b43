"""A process that kills itself, as kill -9 does, before the nth thing that it does to a disk."""

import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import sqlite_utils

_CALLS = ("fsync", "rename", "replace", "unlink", "rmdir", "mkdir", "truncate")


def deaths(action: Callable[[], Any], *, most: int = 400, step: int = 1) -> Iterator[int]:
    """Run `action` in a process of its own, again and again, killed a little later each time, until it is left alive.

    Yields the number of each death, for a look at what is left; whoever asks puts things back.
    """
    for number in range(1, most, step):
        if not _died(action, number):
            return
        yield number
    raise AssertionError("it never comes to its end")


def _died(action: Callable[[], Any], number: int) -> bool:
    child = os.fork()
    if child == 0:
        try:
            _count_down(number)
            action()
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(3)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert not os.WIFEXITED(status) or os.WEXITSTATUS(status) == 0, "it failed by itself"
    return os.WIFSIGNALED(status)


def _count_down(number: int) -> None:
    left = number

    def dying(call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*arguments, **options)

        return counted

    for name in _CALLS:
        setattr(os, name, dying(getattr(os, name)))
    sqlite_utils.Database.execute = dying(sqlite_utils.Database.execute)  # type: ignore[method-assign]
