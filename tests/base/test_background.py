"""Tasks that go on after their caller."""

import asyncio

from analytics_box.base import background


def test_task_is_kept_until_it_ends() -> None:
    async def run() -> None:
        tasks: set[asyncio.Task[str]] = set()
        end = asyncio.Event()

        async def work() -> str:
            await end.wait()
            return "done"

        task = background.begin(work(), tasks)
        await asyncio.sleep(0)
        assert tasks == {task}
        end.set()
        assert await task == "done"
        await asyncio.sleep(0)
        assert tasks == set()

    asyncio.run(run())


def test_retrieved_exception_is_not_logged_by_asyncio() -> None:
    complaints: list[object] = []

    async def fail() -> None:
        raise ValueError

    async def run() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: complaints.append(context))
        tasks: set[asyncio.Task[None]] = set()
        task = background.begin(fail(), tasks)
        task.add_done_callback(background.retrieve_exception)
        await asyncio.wait({task})
        del task
        await asyncio.sleep(0)
        assert tasks == set()

    asyncio.run(run())
    assert complaints == []
