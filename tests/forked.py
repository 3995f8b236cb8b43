"""Commands of the box in copies of a process that has imported it already: most of a start is imports.

Arguments, environment, folder, streams, signals and exit code are those of a process of its own.
"""

import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from multiprocessing.context import ForkServerContext
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

_OPENED = (os.O_RDONLY, os.O_WRONLY | os.O_CREAT | os.O_APPEND, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
Files = tuple[Path, Path, Path]  # what it reads, what it prints, and its errors


class Forked:
    """`analytics-box` with these arguments, as a process; it has what these tests use of `subprocess.Popen`."""

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str], files: Files) -> None:
        self._arguments = tuple(arguments)
        given = (self._arguments, dict(environment), Path.cwd(), files)
        self._process = _copying().Process(target=_become, args=given, daemon=True)
        with _without_main():
            self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code, or the number of the signal that ended it, negative. None while it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code once it has ended. Raises subprocess.TimeoutExpired after these seconds."""
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired(self._arguments, timeout or 0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def run(
    arguments: Sequence[str], environment: Mapping[str, str], *, given: str = "", timeout: float = 30
) -> "subprocess.CompletedProcess[str]":
    """What `subprocess.run` gives for a command that reads this text. Raises subprocess.TimeoutExpired."""
    with TemporaryDirectory() as folder:
        files = Path(folder, "given"), Path(folder, "printed"), Path(folder, "errors")
        files[0].write_text(given)
        process = Forked(arguments, environment, files)
        try:
            code = process.wait(timeout)
        finally:
            process.kill()
        return subprocess.CompletedProcess(tuple(arguments), code, files[1].read_text(), files[2].read_text())


@contextmanager
def _without_main() -> Iterator[None]:
    """Copies load the main module of the process that starts them, which is pytest."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@cache
def _copying() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.preloaded"])
    return context


def _become(arguments: Sequence[str], environment: Mapping[str, str], folder: Path, files: Files) -> None:
    """Be the command, in the copy."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # also where the tests run under nohup
    for number, (path, flags) in enumerate(zip(files, _OPENED, strict=True)):
        opened = os.open(path, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w", buffering=1)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["analytics_box", *arguments]
    runpy.run_module("analytics_box", run_name="__main__", alter_sys=True)
