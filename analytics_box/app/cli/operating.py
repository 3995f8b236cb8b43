"""Commands that change what is in the box: through its socket while it runs, else in the files, under their lock."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import click
import msgspec

from analytics_box.app.admin import channel
from analytics_box.base import errors
from analytics_box.base.settings import Settings
from analytics_box.base.store import data_lock, schema

ORGANIZATION = click.option("--organization", default=None, help="Its slug or id; not needed where there is only one.")


def carry_out(found: Settings, command: str, given: object, *, seconds: float = channel.ASK_SECONDS) -> Any:
    """Run a command of admin.commands on this data directory; its result as plain values.

    Only `setup` makes a box where there is none. A running box has so many seconds for it. Raises BoxError,
    NotAnswering and what opening the files raises.
    """
    with operating(found, makes=command == "setup", seconds=seconds) as run:
        return run(command, given)


Run = Callable[[str, object], Any]


@contextmanager
def operating(found: Settings, *, makes: bool = False, seconds: float = channel.ASK_SECONDS) -> Iterator[Run]:
    """A runner of admin.commands, one after the other: the running box, else the box opened for all of them.

    Raises as `carry_out`.
    """
    if not makes and not (found.data_dir / schema.BOX_FILE).exists():
        raise errors.NotFound(f"There is no box in {found.data_dir}; start one there, or name another --data-dir")
    with ExitStack() as stack:
        try:
            stack.enter_context(data_lock.lock(found.data_dir))
        except data_lock.AlreadyRunning:
            yield lambda command, given: channel.ask(
                found.data_dir, command, msgspec.json.encode(given), seconds=seconds
            )
            return
        yield stack.enter_context(_open_box(found))


@contextmanager
def _open_box(found: Settings) -> Iterator[Run]:
    """The box itself, which a command beside a running one does not load: that is most of what a command takes."""
    from analytics_box.app.admin import commands  # noqa: PLC0415  1 s that only who opens the files pays
    from analytics_box.app.box import Box, open_box  # noqa: PLC0415

    async def opened() -> Box:
        return open_box(found)

    with asyncio.Runner() as runner:
        box = runner.run(opened())
        try:
            yield lambda command, given: runner.run(
                commands.run_command(box.parts, command, msgspec.json.encode(given))
            )
        finally:
            box.close()
