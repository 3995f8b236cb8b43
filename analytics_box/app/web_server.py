"""The HTTP server: granian on our event loop and on a socket of ours, restarted when the certificate is (stack 1)."""

import asyncio
import base64
import logging
import os
import re
import socket
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings, HTTP2Settings
from granian.net import SocketHolder  # type: ignore[attr-defined]  # made in Rust
from granian.server.embed import AsyncWorker, Server

from analytics_box.app.connections import BACKLOG
from analytics_box.base.settings import Settings, SettingsError
from analytics_box.web.asgi import App

log = logging.getLogger(__name__)

HARD_STOP = 3.0  # seconds between giving up on requests in flight and leaving
# Object identifiers as they stand in a key: RSA; P-256, P-384 and Ed25519.
_RSA = bytes.fromhex("06092a864886f70d010101")
_CURVES = tuple(map(bytes.fromhex, ("06082a8648ce3d030107", "06052b81040022", "06032b6570")))
_LEAST_RSA = 1_150  # bytes of a key of 2,048 bits
LOOK = 60.0  # seconds between two looks at the certificate
_HTTP1 = HTTP1Settings(
    header_read_timeout=15_000,  # ms to send a request's header; also closes idle connections
    max_buffer_size=32_768,  # bytes of a header, and of an answer that waits
)
_HTTP2 = HTTP2Settings(  # no pings: they would make an idle connection look busy
    initial_connection_window_size=262_144,
    initial_stream_window_size=65_536,
    max_concurrent_streams=32,
    max_headers_size=65_536,
    max_send_buffer_size=65_536,
)


class Granian(Server):
    """granian on a socket that is open already: what it opens itself knows no time-outs.

    It gets its own descriptor, because it closes it. The application gets no lifespan events.
    """

    def __init__(self, target: App, listener: socket.socket, **options: Any) -> None:
        super().__init__(
            target, interface=Interfaces.ASGINL, backlog=BACKLOG, log_enabled=False, websockets=False, **options
        )
        self._listener = listener

    def _init_shared_socket(self) -> None:
        descriptor = self._listener.dup().detach()
        self._shd = SocketHolder(descriptor, self._listener.family == socket.AF_UNIX, BACKLOG)  # type: ignore[call-arg, assignment]  # a wrong stub

    def _spawn_worker(self, idx: Any, target: Any, callback_loader: Any) -> AsyncWorker:  # type: ignore[override]  # as Server has it
        """A worker whose threads do not take the processor from ours whenever something arrives: on a machine with one
        of them each of their turns has more to do then, and an event takes a tenth less. They inherit this from the
        thread that makes them, which is ours."""

        async def spawned(*given: Any) -> None:
            with suppress(OSError, AttributeError):  # it may not be allowed, or known
                if os.sched_getscheduler(0) == os.SCHED_OTHER:  # else someone has chosen another for the box
                    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
                    asyncio.get_running_loop().call_soon(os.sched_setscheduler, 0, os.SCHED_OTHER, os.sched_param(0))
            await target(*given)

        return super()._spawn_worker(idx, spawned, callback_loader)


class WebServer:
    """Answers requests that come over a listener, from `start` to `stop`."""

    def __init__(self, application: App, listener: socket.socket, settings: Settings, connections: int) -> None:
        self._application = application
        self._listener = listener
        self._settings = settings
        self._connections = connections
        self._current: Granian | None = None
        self._serving: set[asyncio.Task[None]] = set()
        self.ended = asyncio.Event()  # without being asked to

    def start(self) -> None:
        """Take connections, with the certificate as it is now. Those that another has taken stay with it."""
        settings = self._settings
        server = Granian(
            self._application,
            self._listener,
            http=HTTPModes.auto if settings.tls_certificate else HTTPModes.http1,
            backpressure=self._connections,
            http1_settings=_HTTP1,
            http2_settings=_HTTP2,
            ssl_cert=Path(settings.tls_certificate) if settings.tls_certificate else None,
            ssl_key=Path(settings.tls_key) if settings.tls_key else None,
        )
        self._current, before = server, self._current
        task = asyncio.create_task(server.serve())
        self._serving.add(task)
        task.add_done_callback(lambda task: self._note_end(server, task))
        if before is not None:
            before.stop()  # type: ignore[no-untyped-call]  # granian has no types here

    def _note_end(self, server: Granian, task: "asyncio.Task[None]") -> None:
        self._serving.discard(task)
        if server is self._current:
            failure = None if task.cancelled() else task.exception()
            log.error("The HTTP server stopped unexpectedly", exc_info=failure)
            self.ended.set()

    async def follow_certificate(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Use the certificate's files again whenever they have changed. Ends only when it is cancelled."""
        settings = self._settings
        known = _state(settings)
        while settings.tls_certificate:
            await sleep(LOOK)
            found = _state(settings)
            if found == known:
                continue
            known = found
            try:
                check_tls(settings)
            except SettingsError as broken:
                log.warning("%s. The server continues with the current certificate", broken)
                continue
            self.start()
            log.info("The new certificate is in use")

    async def stop(self, seconds: float) -> None:
        """Take no more connections, and wait for requests in flight: so long at most, for some would never end."""
        stopped, self._current = self._current, None
        if stopped is not None:
            stopped.stop()  # type: ignore[no-untyped-call]  # granian has no types here
        self._listener.close()  # who comes now is refused instead of waiting
        serving = set(self._serving)
        if not serving or not (await asyncio.wait(serving, timeout=seconds))[1]:
            return
        log.warning("Requests are still open after %g seconds. Aborting them", seconds)
        # granian then reports the end of each to a future that is gone
        asyncio.get_running_loop().set_exception_handler(lambda _, context: log.debug("%s", context["message"]))
        for task in serving:
            task.cancel()
        await asyncio.wait(serving, timeout=HARD_STOP)


_TLS_REFUSED: Final = "tls_certificate {} and tls_key {} cannot be used: {}"


def check_tls(settings: Settings) -> None:
    """Raises SettingsError, with words for the operator, when the certificate and its key cannot be used."""
    if not settings.tls_certificate:
        return
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(settings.tls_certificate, settings.tls_key, password="")  # asks nobody for one
        fits = _granian_takes(Path(settings.tls_key).read_text(encoding="ascii"))
    except ssl.SSLError as wrong:
        reason = (
            "the key does not belong to the certificate"
            if wrong.reason == "KEY_VALUES_MISMATCH"
            else "both must be PEM files, and the key must have no passphrase"
        )
        raise SettingsError(_TLS_REFUSED.format(settings.tls_certificate, settings.tls_key, reason)) from wrong
    except (OSError, ValueError) as broken:
        reason = (isinstance(broken, OSError) and broken.strerror) or "the key is not a PEM file"
        raise SettingsError(_TLS_REFUSED.format(settings.tls_certificate, settings.tls_key, reason)) from broken
    if not fits:
        raise SettingsError(
            f"tls_key {settings.tls_key} cannot be used: the key must be RSA of at least 2,048 bits, P-256, "
            "P-384 or Ed25519"
        )


def _granian_takes(key: str) -> bool:
    """Whether a private key in PEM is of a kind that granian's TLS knows; it ends the process over any other."""
    blocks = re.findall(r"-----BEGIN ((?:RSA |EC )?PRIVATE KEY)-----(.*?)-----END", key, re.DOTALL)
    if not blocks:
        return False
    kind, text = blocks[0]
    der = base64.b64decode("".join(text.split()))
    if kind.startswith("RSA") or _RSA in der:
        return len(der) >= _LEAST_RSA
    return any(curve in der for curve in _CURVES)


def _state(settings: Settings) -> list[tuple[int, int, int]]:
    """The identity of the certificate's files, which changes with them. A missing file is a state as well."""

    def of(file: str) -> tuple[int, int, int]:
        try:
            found = Path(file).stat()
        except OSError:
            return (0, 0, 0)
        return (found.st_ino, found.st_mtime_ns, found.st_size)

    return [of(settings.tls_certificate), of(settings.tls_key)]
