"""Connection of a command to its box: through the socket while the box runs, else to the files, under their lock."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from analytics_box.app.admin import channel
from analytics_box.base import errors
from analytics_box.base.settings import Settings
from analytics_box.base.store import data_lock, schema
from analytics_box.base.translation import _

# Runs a command of `admin.commands` with its arguments in an organization; its result as plain values.
Ask = Callable[[str, object, str | None], Any]


def check_box(directory: Path) -> None:
    """Raises NotFound for a directory without a box."""
    file = directory / schema.BOX_FILE
    if not file.exists():
        raise errors.NotFound(
            _("There is no Analytics Box data in {directory}. Start one there, or use another --data-dir").format(
                directory=directory
            )
        )


@contextmanager
def open_session(
    settings: Settings,
    sources: Mapping[str, str] | None = None,
    *,
    creates: bool = False,
    seconds: float = channel.ASK_SECONDS,
) -> Iterator[Ask]:
    """A connection for commands, which the running box has `seconds` to answer.

    A missing box is created if `creates`. Raises BoxError, NotAnswering and what opening the files raises.
    """
    if not creates:
        check_box(settings.data_dir)
    with ExitStack() as stack:
        try:
            stack.enter_context(data_lock.lock(settings.data_dir))
        except data_lock.AlreadyRunning:
            yield lambda command, arguments, organization: channel.ask(
                settings.data_dir, command, msgspec.json.encode(arguments), organization=organization, seconds=seconds
            )
            return
        yield stack.enter_context(_open_box(settings, sources))


@contextmanager
def _open_box(settings: Settings, sources: Mapping[str, str] | None) -> Iterator[Ask]:
    """The box itself, which a command with a running box does not load: that would be most of its time."""
    from analytics_box.app.admin import commands  # noqa: PLC0415  1 s that only commands on the files pay
    from analytics_box.app.box import Box, open_box  # noqa: PLC0415

    async def opened() -> Box:
        return open_box(settings, sources=sources)

    with asyncio.Runner() as runner:
        box = runner.run(opened())
        try:
            yield lambda command, arguments, organization: runner.run(
                commands.run_command(box.parts, command, msgspec.json.encode(arguments), organization)
            )
        finally:
            box.close()
