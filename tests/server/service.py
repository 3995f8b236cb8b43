"""A box as a service manager starts it: on a socket that is open already, telling when it is ready."""

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.running import BROWSER, command, environment
from tests.server.wire import PATIENCE

# The service manager knows the process before it becomes the box, the shell says so for it.
_AS_SERVICE = ("sh", "-c", 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"', "sh")


class Manager:
    """What the service manager hears."""

    def __init__(self, folder: Path) -> None:
        self.address = str(folder / "notify")
        self._hearing = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._hearing.bind(self.address)
        self._hearing.settimeout(PATIENCE)

    def heard(self) -> str:
        """The next that it hears. Raises TimeoutError."""
        return self._hearing.recv(1_000).decode()

    def close(self) -> None:
        self._hearing.close()


def as_service(data_dir: Path, handed: socket.socket | None = None, **settings: Any) -> dict[str, Any]:
    """Arguments for subprocess: a box on a data directory that is set up, with this socket as its first descriptor."""

    def hand_over() -> None:
        if handed is not None:
            os.dup2(handed.fileno(), 3)

    return {
        "args": (*(_AS_SERVICE if handed is not None else ()), *command("serve")),
        "env": environment(**({"port": 0, "data_dir": data_dir} | settings)),
        "stderr": subprocess.PIPE,
        "preexec_fn": hand_over,
        "close_fds": False,
    }


@contextmanager
def service(
    data_dir: Path, handed: socket.socket | None = None, **settings: Any
) -> Iterator[tuple[Manager, "subprocess.Popen[bytes]"]]:
    """A box that is ready; what it tells, and its process. Killed at the end."""
    manager = Manager(data_dir.parent)
    started = as_service(data_dir, handed, **settings)
    started["env"]["NOTIFY_SOCKET"] = manager.address
    with subprocess.Popen(**started) as process:
        try:
            assert manager.heard() == "READY=1"
            yield manager, process
        finally:
            process.kill()
            manager.close()


def over(path: str | Path) -> httpx.Client:
    """A client of what listens on a Unix socket."""
    return httpx.Client(
        transport=httpx.HTTPTransport(uds=str(path)),
        base_url="http://localhost",
        timeout=PATIENCE,
        headers={"user-agent": BROWSER},
    )
