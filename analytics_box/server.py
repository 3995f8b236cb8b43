"""One process: granian on our event loop, the scheduler beside it, and an orderly end (stack 1 and 5)."""

import asyncio
import fcntl
import gc
import logging
import os
import signal
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import uvloop
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings, HTTP2Settings
from granian.net import SocketHolder  # type: ignore[attr-defined]  # made in Rust
from granian.server.embed import Server
from msgspec.structs import replace

from analytics_box import connections, jobs
from analytics_box.admin import channel, commands
from analytics_box.box import Box, open_box
from analytics_box.errors import Unavailable
from analytics_box.http.asgi import App
from analytics_box.links.redirects.directory import LinkDirectory, load_beside
from analytics_box.pace import Pace, keep_pace
from analytics_box.settings import Settings, SettingsError
from analytics_box.store import trouble
from analytics_box.store.integrity import integrity_in_pieces

log = logging.getLogger(__name__)

LOCK_FILE = "lock"
# A terminal that closes ends the box like any other signal does, unless nohup keeps it.
_ENDING = tuple(
    number
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN
)
_HTTP1 = HTTP1Settings(
    header_read_timeout=15_000,  # ms to send a request's header; also closes idle connections
    max_buffer_size=65_536,
)
_HTTP2 = HTTP2Settings(  # no pings: they would make an idle connection look busy
    initial_connection_window_size=262_144,
    initial_stream_window_size=65_536,
    max_concurrent_streams=32,
    max_headers_size=65_536,
    max_send_buffer_size=65_536,
)
_HARD_STOP = 3.0  # seconds between giving up on requests in flight and leaving
_PIECE_SECONDS = 600.0  # for one piece of the look after a crash
_NEW_OBJECTS = 10_000  # between two searches for garbage; Python's own 700 is for small programs


class AlreadyRunning(Exception):
    """Another process has this data directory."""


@contextmanager
def lock(directory: Path) -> Iterator[None]:
    """Own the data directory, made with mode 0700 if need be. Raises AlreadyRunning, SettingsError or DataTrouble."""
    os.umask(0o077)
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        opened = (directory / LOCK_FILE).open("a")
    except OSError as broken:
        raise SettingsError(
            trouble.words(broken, directory)
            or f"data_dir (ANALYTICS_BOX_DATA_DIR): {directory} cannot be used: {broken.strerror}"
        ) from broken
    with opened as file, trouble.in_words(directory), _folder(directory) as folder:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _lock_folder(folder)
        except OSError as taken:
            raise AlreadyRunning(
                f"{directory} is in use by another Analytics Box; stop it first, or choose another --data-dir"
            ) from taken
        yield


def is_served(directory: Path) -> bool:
    """Whether a box has this data directory now."""
    if not directory.exists():
        return False
    try:
        with lock(directory):
            return False
    except AlreadyRunning:
        return True


@contextmanager
def _folder(directory: Path) -> Iterator[int]:
    opened = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield opened
    finally:
        os.close(opened)


def _lock_folder(folder: int) -> None:
    """Lock the folder itself, because the lock file may be removed. Network file systems may not know how."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError as unknown:
        log.debug("The folder cannot be locked, only its file: %s", unknown)


def serve(settings: Settings, announce: Callable[[Box, str], None]) -> None:
    """Serve until a signal ends it; the caller holds the lock. `announce` is called once when the box listens."""
    with uvloop_runner() as runner:
        runner.run(_serve(settings, announce))


def spare_the_collector() -> None:
    """Keep what was made at the start out of every later search for garbage, and search less often.

    Searching took a tenth of the processor time of an event, and long pauses: little of what an event makes has cycles.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, 10, 10)


def uvloop_runner() -> "asyncio.Runner":
    """A runner on uvloop."""
    return asyncio.Runner(loop_factory=uvloop.new_event_loop)


async def _serve(settings: Settings, announce: Callable[[Box, str], None]) -> None:
    check_tls(settings)
    warn_of_open_folder(settings.data_dir)
    with connections.listen(settings.host, settings.port) as listener:
        await _serve_on(listener, settings, announce)


class _Server(Server):
    """granian on a socket that is open already: what it opens itself knows no time-outs.

    It gets a descriptor of its own, because it closes it.
    """

    def __init__(self, target: App, listener: socket.socket, **options: Any) -> None:
        super().__init__(target, backlog=connections.BACKLOG, log_enabled=False, **options)
        self._listener = listener

    def _init_shared_socket(self) -> None:
        self._shd = SocketHolder(self._listener.dup().detach(), False, connections.BACKLOG)  # type: ignore[call-arg, assignment]  # a wrong stub


async def _serve_on(listener: socket.socket, settings: Settings, announce: Callable[[Box, str], None]) -> None:
    port = listener.getsockname()[1]
    box = open_box(replace(settings, port=port))
    allowed = connections.room(settings)
    spare_the_collector()
    loop = asyncio.get_running_loop()
    server = _Server(
        box.application,
        listener,
        interface=Interfaces.ASGI,
        http=HTTPModes.auto if settings.tls_certificate else HTTPModes.http1,
        websockets=False,
        backpressure=allowed.connections,
        http1_settings=_HTTP1,
        http2_settings=_HTTP2,
        ssl_cert=Path(settings.tls_certificate) if settings.tls_certificate else None,
        ssl_key=Path(settings.tls_key) if settings.tls_key else None,
    )
    stopping = asyncio.Event()
    for number in _ENDING:
        loop.add_signal_handler(number, stopping.set)
    serving = asyncio.create_task(server.serve())
    scheduler = start_jobs(box)
    keeping_pace = asyncio.create_task(keep_pace(scheduler))
    loading = asyncio.create_task(load_beside(box.parts[LinkDirectory]))
    administration = await _administration(box)
    if box.unclean:
        threading.Thread(target=check_after_crash, args=(box,), daemon=True).start()
    try:
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        announce(box, f"{'https' if settings.tls_certificate else 'http'}://{host}:{port}")
        with connections.watched(listener, allowed, settings):
            await asyncio.wait({serving, asyncio.create_task(stopping.wait())}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        log.info("Stopping: requests in flight may finish")
        keeping_pace.cancel()
        scheduler.shutdown(wait=False)
        loading.cancel()
        if administration is not None:
            administration.close()
            (settings.data_dir / channel.FILE).unlink(missing_ok=True)
        server.stop()  # type: ignore[no-untyped-call]  # granian has no types here
        listener.close()  # who comes now is refused instead of waiting
        await _drain(serving, settings.drain_seconds)
        await box.deliveries.stop(_HARD_STOP)
        await box.events.clicks.flush()
        await asyncio.to_thread(box.close)
        log.info("Stopped")


async def _administration(box: Box) -> asyncio.Server | None:
    """Take commands from the command line, as far as the file system knows sockets."""

    async def answer(command: str, arguments: bytes) -> Any:
        return await commands.run(box.parts, command, arguments)

    try:
        return await channel.listen(box.settings.data_dir, answer)
    except OSError as broken:
        log.warning("Commands cannot reach this box while it runs: %s", broken)
        return None


async def _drain(serving: "asyncio.Task[None]", seconds: float) -> None:
    """Wait for requests in flight, but not for ever: a half-sent request would never end."""
    done, _ = await asyncio.wait({serving}, timeout=seconds)
    if not done:
        log.warning("Requests are still in flight after %g seconds; they are broken off", seconds)
        # granian then reports the end of each to a future that is gone
        asyncio.get_running_loop().set_exception_handler(lambda _, context: log.debug("%s", context["message"]))
        serving.cancel()
        await asyncio.wait({serving}, timeout=_HARD_STOP)


def start_jobs(box: Box) -> AsyncIOScheduler:
    """Start the table of jobs on this loop."""
    scheduler = AsyncIOScheduler(
        timezone="UTC", job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
    )
    delays, now = jobs.delays(box), datetime.now(UTC)
    for job in jobs.JOBS:
        first = {"next_run_time": now + timedelta(seconds=delays[job.name])} if job.name in delays else {}
        scheduler.add_job(jobs.run, Pace(job.seconds), args=(job, box), **first)
    scheduler.start()
    return scheduler


def check_after_crash(box: Box) -> None:
    """A run ended without closing: look through both files while the box already serves.

    Where this is cut short, or something is damaged, the next start looks again.
    """
    sound = True
    for db in (box.box_db, box.events.db):
        try:
            found = integrity_in_pieces(partial(db.read_now, seconds=_PIECE_SECONDS))
        except Unavailable:
            log.warning("%s was not looked through to its end: the box is stopping", db.path.name)
            return
        if found == "ok":
            log.info("%s is sound after an unclean stop", db.path.name)
        else:
            log.error("%s is damaged, restore a backup: %s", db.path.name, found)
            sound = False
    if sound:
        box.found_sound()


def warn_of_open_folder(directory: Path) -> None:
    """Say so where other users of the machine can look into the data directory."""
    if (mode := directory.stat().st_mode & 0o777) & 0o077:
        log.warning("%s is open to other users (mode %04o): chmod 700 %s", directory, mode, directory)


def check_tls(settings: Settings) -> None:
    """Raises SettingsError, with words for the operator, when the certificate and its key cannot be used."""
    if not settings.tls_certificate:
        return
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(settings.tls_certificate, settings.tls_key, password="")  # asks nobody for one
    except OSError as broken:  # what ssl raises is one too
        raise SettingsError(
            f"tls_certificate {settings.tls_certificate} and tls_key {settings.tls_key} cannot be used: {broken}"
        ) from broken
