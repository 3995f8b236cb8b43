"""Commands as somebody types them, on a data directory that no box has open, or beside a box in this process."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec
from click.testing import CliRunner, Result

from analytics_box.app.admin import channel, commands
from analytics_box.app.cli.main import main
from analytics_box.base import settings
from analytics_box.base.store import data_lock
from tests.inprocess import WholeBox


def typed(*arguments: str, data: Path, given: str | bytes = "") -> Result:
    """A command, in an environment without settings of its own."""
    clean = {name: None for name in os.environ if name.startswith(settings.ENVIRONMENT_PREFIX)}
    umask = os.umask(0o022)
    try:
        return CliRunner().invoke(main, [*arguments, "--data-dir", str(data)], input=given, env=clean)
    finally:
        os.umask(umask)


def result(*arguments: str, data: Path, given: str | bytes = "") -> Any:
    """What a command prints with --json. Raises AssertionError where it is refused."""
    ended = typed(*arguments, "--json", data=data, given=given)
    assert ended.exit_code == 0, ended.output
    return json.loads(ended.stdout)


@contextmanager
def beside(box: WholeBox) -> Iterator[Path]:
    """The data directory of a box that answers commands as a running one does; its socket is left out."""

    def ask(
        directory: Path, command: str, arguments: bytes = b"{}", *, organization: str | None = None, **_: Any
    ) -> Any:
        answer = box.run(commands.run_command(box.box.parts, command, arguments, organization))
        return msgspec.json.decode(msgspec.json.encode(answer))

    directory = box.box.settings.data_dir
    with data_lock.lock(directory), mock.patch.object(channel, "ask", ask):
        yield directory
