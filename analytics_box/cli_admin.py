"""Commands that change what is in the box: through its socket while it runs, else in the files, under their lock."""

import asyncio
from typing import Any

import click
import msgspec

from analytics_box import errors, server
from analytics_box.admin import channel, commands
from analytics_box.box import open_box
from analytics_box.settings import Settings
from analytics_box.store import schema

AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
ORGANIZATION = click.option("--organization", default=None, help="Its slug or id; not needed where there is only one.")


def carry_out(found: Settings, command: str, given: object) -> Any:
    """Run a command of admin.commands on this data directory; its result as plain values.

    Only `setup` makes a box where there is none. Raises BoxError, NotAnswering and what opening the files raises.
    """
    if command != "setup" and not (found.data_dir / schema.BOX_FILE).exists():
        raise errors.NotFound(f"There is no box in {found.data_dir}; start one there, or name another --data-dir")
    arguments = msgspec.json.encode(given)
    try:
        with server.lock(found.data_dir):
            return asyncio.run(_in_the_files(found, command, arguments))
    except server.AlreadyRunning:
        return channel.ask(found.data_dir, command, arguments)


async def _in_the_files(found: Settings, command: str, arguments: bytes) -> Any:
    box = open_box(found)
    try:
        return await commands.run(box.parts, command, arguments)
    finally:
        await asyncio.to_thread(box.close)
