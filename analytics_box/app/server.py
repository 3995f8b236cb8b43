"""The process: the HTTP server, the scheduler next to it, and an orderly shutdown (stack 1 and 5)."""

import asyncio
import gc
import logging
import signal
import socket
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvloop
from msgspec.structs import replace

from analytics_box.app import connections
from analytics_box.app.admin import channel
from analytics_box.app.box import Box, open_box
from analytics_box.app.web_server import HARD_STOP, WebServer, check_tls
from analytics_box.base import secret_file, service_manager
from analytics_box.base.errors import Unavailable
from analytics_box.base.later import Later
from analytics_box.base.settings import Settings
from analytics_box.base.store.integrity import look_through
from analytics_box.ingest.cluster.primary import Machines
from analytics_box.products.flags.ofrep.streams import FlagStreams
from analytics_box.products.imports.worker import HistoryImports
from analytics_box.products.links.redirects.directory import LinkDirectory, load_beside
from analytics_box.products.overview.live import LiveUpdates
from analytics_box.products.reports.sending import ReportDeliveries
from analytics_box.products.status_pages.subscribers.deliveries import SubscriberDeliveries

if TYPE_CHECKING:
    from analytics_box.app import scheduling
    from analytics_box.app.admin import commands
else:
    commands = Later("analytics_box.app.admin.commands")
    scheduling = Later("analytics_box.app.scheduling")

log = logging.getLogger(__name__)

_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_JOBS_AFTER = 1.0  # seconds; the first of them runs a second later
_NEW_OBJECTS = 10_000  # between two searches for garbage; Python's own 700 is for small programs


Beside = Callable[[Box], Coroutine[Any, Any, None]]


def serve(
    settings: Settings,
    announce: Callable[[Box, str], None],
    beside: Sequence[Beside] = (),
    sources: Mapping[str, str] | None = None,
) -> None:
    """Serve until a signal ends it; the caller holds the lock. `announce` is called once when the box listens; what is
    to run `beside` it is stopped before the box closes."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(settings, announce, beside, sources))


def spare_the_collector() -> None:
    """Keep what was made at the start out of every later search for garbage, and search less often.

    Searching took a tenth of the processor time of an event, and long pauses: little of what an event makes has cycles.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, 10, 10)


async def _serve(
    settings: Settings,
    announce: Callable[[Box, str], None],
    beside: Sequence[Beside],
    sources: Mapping[str, str] | None,
) -> None:
    check_tls(settings)
    secret_file.check(settings)
    warn_of_open_folder(settings.data_dir)
    with connections.listen(settings) as listener:
        await _serve_on(listener, settings, announce, beside, sources)


async def _serve_on(
    listener: socket.socket,
    settings: Settings,
    announce: Callable[[Box, str], None],
    others: Sequence[Beside] = (),
    sources: Mapping[str, str] | None = None,
) -> None:
    place = connections.ListenAddress.of(listener)
    box = open_box(replace(settings, port=place.port or settings.port), sources=sources)
    allowed = connections.room(settings)
    spare_the_collector()
    stopping = _ends_on_signals()
    web = WebServer(box.application, listener, settings, allowed.connections)
    await box.engine.start()  # before anybody can be answered: a push belongs to what was known before
    web.start()
    beside = [
        asyncio.create_task(_run_jobs(box)),
        asyncio.create_task(load_beside(box.parts[LinkDirectory])),
        asyncio.create_task(web.follow_certificate()),
        *(asyncio.create_task(other(box)) for other in others),
    ]
    administration = await _administration(box)
    if box.unclean:
        threading.Thread(target=check_after_crash, args=(box,), daemon=True).start()
    try:
        announce(box, place.shown(secure=bool(settings.tls_certificate)))
        service_manager.tell("READY=1")
        with connections.watch_connections(listener, allowed, settings):
            await _first_of(stopping, web.ended, box.parts[Machines].replaced)
    finally:
        log.info("Stopping after open requests have finished")
        service_manager.tell("STOPPING=1")
        for task in beside:
            task.cancel()
        if administration is not None:
            administration.close()
            channel.forget(settings.data_dir)
        for streams in (box.parts[FlagStreams], box.parts[LiveUpdates].streams):
            streams.close()  # they never end by themselves
        await web.stop(settings.drain_seconds)
        if (imports := box.parts.get(HistoryImports)) is not None:
            await imports.stop()
        await box.engine.stop(HARD_STOP)
        await box.deliveries.stop(HARD_STOP)
        await box.parts[SubscriberDeliveries].stop(HARD_STOP)
        await box.parts[ReportDeliveries].stop(HARD_STOP)
        await box.events.clicks.flush()
        await asyncio.to_thread(box.close)
        log.info("Stopped")
    if web.ended.is_set():
        raise SystemExit(1)  # nobody asked for it, so a service manager starts the box again


def _ends_on_signals() -> asyncio.Event:
    """An event that is set when a signal asks this process to end."""
    stopping = asyncio.Event()
    for number in _ENDING:
        # A terminal that closes ends the process like any other signal, unless nohup keeps it.
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    return stopping


async def _first_of(*events: asyncio.Event) -> None:
    waiting = {asyncio.create_task(event.wait()) for event in events}
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)


async def _administration(box: Box) -> asyncio.Server | None:
    """Accept commands from the command line, if the file system supports sockets."""

    async def answer(command: str, arguments: bytes, organization: str | None) -> Any:
        run_command = await asyncio.to_thread(lambda: commands.run_command)  # loads all procedures
        return await run_command(box.parts, command, arguments, organization)

    try:
        return await channel.listen(box.settings.data_dir, answer)
    except OSError as broken:
        log.warning("Commands cannot reach this server: %s", broken)
        return None


async def _run_jobs(box: Box) -> None:
    """Run the jobs until this is cancelled.

    They and APScheduler are loaded a second after the start, in a thread: the first events do not wait for them.
    """
    await asyncio.sleep(_JOBS_AFTER)
    run = await asyncio.to_thread(lambda: scheduling.run_jobs)
    await run(box)


def check_after_crash(box: Box) -> None:
    """A run ended without closing: look through both files while the box already serves.

    Where this is cut short, or something is damaged, the next start looks again.
    """
    sound = True
    for db in (box.box_db, box.events.db):
        try:
            if look_through(db):
                log.info("%s is intact after an unclean stop", db.path.name)
            else:
                sound = False
        except Unavailable:
            log.warning("The check of %s was not completed because the server is stopping", db.path.name)
            return
    if sound:
        box.found_sound()


def warn_of_open_folder(directory: Path) -> None:
    """Say so where other users of the machine can look into the data directory."""
    if (mode := directory.stat().st_mode & 0o777) & 0o077:
        log.warning("%s is open to other users (mode %04o): chmod 700 %s", directory, mode, directory)
