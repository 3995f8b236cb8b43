"""A real server process on a data directory of its own, for tests of what only a whole box can show."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import httpx

from tests import forked

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
UNLIMITED = {"limit_track": 0, "limit_address": 0, "limit_query": 0, "limit_query_anonymous": 0}
EMAIL = "owner@example.com"
PASSWORD = "correct horse battery staple"
START_SECONDS = 30.0
STOP_SECONDS = 10.0
_ANNOUNCED = " listens on "


class Account(NamedTuple):
    """What `analytics-box setup --key` made: one organization with one website, and a global API key."""

    organization_id: str
    user_id: str
    website_id: str
    api_key: str


def command(*arguments: str) -> tuple[str, ...]:
    """The command line of the box, run by this Python, or by the one that the environment names.

    The box has its dependencies alone there, as for its users: it is a little smaller without those of the tests.
    """
    return (os.environ.get("BOX_PYTHON", sys.executable), "-m", "analytics_box", *arguments)


def environment(**settings: Any) -> dict[str, str]:
    """Our environment with these settings, and none that happen to be set outside."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("ANALYTICS_BOX_")}
    return ours | {f"ANALYTICS_BOX_{name.upper()}": str(value) for name, value in settings.items()}


def copies() -> bool:
    """Whether processes are copies of one that has imported the box: in tests, and not where figures are taken."""
    return "PYTEST_VERSION" in os.environ and "BOX_PYTHON" not in os.environ


def run(*arguments: str, given: str = "", **settings: Any) -> "subprocess.CompletedProcess[str]":
    """What a command says and exits with. Raises subprocess.TimeoutExpired."""
    if copies():
        return forked.run(arguments, environment(**settings), given=given, timeout=START_SECONDS)
    return subprocess.run(
        command(*arguments),
        input=given,
        env=environment(**settings),
        capture_output=True,
        text=True,
        check=False,
        timeout=START_SECONDS,
    )


def set_up(data_dir: Path, *, domain: str = "example.com") -> Account:
    """Make the first account in an empty data directory: a copy of what `analytics-box setup` has made once."""
    pattern, account = _pattern(domain)
    shutil.copytree(pattern.name, data_dir, dirs_exist_ok=True)
    return account


@cache
def _pattern(domain: str) -> "tuple[TemporaryDirectory[str], Account]":
    directory = TemporaryDirectory()
    return directory, run_set_up(Path(directory.name), domain=domain)


def run_set_up(data_dir: Path, *, domain: str = "example.com") -> Account:
    """What the command `analytics-box setup` makes of a data directory. Raises AssertionError when it is refused."""
    ended = run(
        "setup",
        *("--data-dir", str(data_dir)),
        *("--email", EMAIL),
        *("--password-file", "-"),
        *("--organization", "Example"),
        *("--website", "Example site"),
        *("--domain", domain),
        *("--key", "--json"),
        given=f"{PASSWORD}\n",
    )
    assert ended.returncode == 0, ended.stderr
    made = json.loads(ended.stdout)
    return Account(made["organizationId"], made["userId"], made["websiteId"], made["apiKey"])


class Server:
    """A server process. `url` has no trailing slash; `log` is the file of all that it prints."""

    def __init__(self, data_dir: Path, settings: dict[str, Any], serve: Sequence[str] = ()) -> None:
        """Started as a copy, or by the command `serve` with all its arguments."""
        self.data_dir = data_dir
        self.log = data_dir.with_name(data_dir.name + ".log")
        self.url = ""
        self.log.touch()
        self._printed_before = self.log.stat().st_size
        self.process = self._start(serve, environment(**({"port": 0} | settings | {"data_dir": data_dir})))

    def _start(self, serve: Sequence[str], given: dict[str, str]) -> "forked.Forked | subprocess.Popen[bytes]":
        if copies() and not serve:
            return forked.Forked(("serve",), given, (Path(os.devnull), self.log, self.log))
        with self.log.open("ab") as output:
            return subprocess.Popen(
                serve or command("serve"), env=given, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.url.rpartition(":")[2])

    def printed(self) -> str:
        """All that this process has printed so far."""
        return self.log.read_bytes()[self._printed_before :].decode()

    def wait_until_ready(self) -> None:
        """Return once /health answers. Raises AssertionError when the process ends or takes too long."""
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            assert self.process.poll() is None, f"the server ended with {self.process.returncode}:\n{self.printed()}"
            assert time.monotonic() < deadline, f"the server does not answer:\n{self.printed()}"
            time.sleep(0.02)

    def wait_until_printed(self, text: str, *, seconds: float = START_SECONDS) -> None:
        """Return once it has printed this. Raises AssertionError when that takes too long."""
        deadline = time.monotonic() + seconds
        while text not in self.printed():
            assert time.monotonic() < deadline, f"the server never says {text!r}:\n{self.printed()}"
            time.sleep(0.02)

    def _answers(self) -> bool:
        line = next((line for line in self.printed().splitlines(keepends=True) if _ANNOUNCED in line), "")
        if not line.endswith("\n"):
            return False
        self.url = line.rpartition(_ANNOUNCED)[2].strip().replace("//localhost:", "//127.0.0.1:")
        try:
            return httpx.get(f"{self.url}/health", timeout=2, verify=False).status_code == 200
        except httpx.TransportError:
            return False

    def kill(self) -> None:
        """End it as a power cut of the process would: SIGKILL."""
        self.process.kill()
        self.process.wait()

    def stop(self, *, seconds: float = STOP_SECONDS) -> int:
        """Ask it to end with SIGTERM; its exit code. Raises TimeoutExpired when it takes longer than `seconds`."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(seconds)


class Box(NamedTuple):
    """A running server and the account in it."""

    server: Server
    account: Account

    @property
    def url(self) -> str:
        return self.server.url


@contextmanager
def serving(data_dir: Path, **settings: Any) -> Iterator[Server]:
    """A server on a data directory that is set up, with these settings (`body_seconds=0.3`); ended on exit."""
    server = Server(data_dir, settings)
    try:
        server.wait_until_ready()
        yield server
        server.stop()
    finally:
        server.kill()


@contextmanager
def running_box(data_dir: Path, **settings: Any) -> Iterator[Box]:
    """A server on a new data directory with one account in it."""
    account = set_up(data_dir)
    with serving(data_dir, **settings) as server:
        yield Box(server, account)
