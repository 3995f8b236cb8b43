"""Work that goes on after its caller. asyncio keeps only weak references to tasks, so each is kept until it ends."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def begin(work: Coroutine[Any, Any, T], tasks: "set[asyncio.Task[T]]") -> "asyncio.Task[T]":
    """Start work; its task is in `tasks` until it ends."""
    task = asyncio.get_running_loop().create_task(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)
    return task


def retrieve_exception(task: "asyncio.Future[Any]") -> None:
    """Retrieve the exception of a task that may have no waiter left, so that asyncio does not log it."""
    if not task.cancelled():
        task.exception()
