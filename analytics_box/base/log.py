"""Logging: one message on standard error, as text or as JSON, without query strings, bodies, secrets or addresses.

What belongs to a request carries its id, which the answer's header X-Request-ID has as well.
"""

import logging
import re
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, TextIO
from urllib.parse import quote

import msgspec
from msgspec import Struct

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")
_PATH_LETTERS = "/{}:@!$&'()*+,;="  # besides letters, digits and -._~
_MOST_OF_A_PATH = 200  # characters
MOST_ALIKE: Final = 20  # warnings or errors with the same sentence in a minute
_MINUTE: Final = 60.0  # seconds
_MOST_KINDS: Final = 1_000
_LONGEST_KIND: Final = 200  # characters
_LONGEST_RAISED: Final = 20_000  # characters
_LEFT_OUT: Final = "%d more lines like this were omitted within a minute: %s"

access = logging.getLogger("analytics_box.access")


class BoundedHandler(logging.Handler):
    """Hands lines on to other handlers. Of warnings and errors with the same sentence each minute has the first ones;
    the number of those left out is a separate line, so that failing requests cannot fill the disk."""

    def __init__(self, *handlers: logging.Handler, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._handlers = handlers
        self._monotonic = monotonic
        self._ends = monotonic() + _MINUTE
        self._counts: dict[tuple[str, str], int] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Hand a line on, unless there were many of its kind in this minute."""
        now = self._monotonic()
        if now >= self._ends:
            self._ends = now + _MINUTE
            self._tell_left_out()
        if record.levelno < logging.WARNING or self._counted(record) <= MOST_ALIKE:
            self._hand_on(record)

    def close(self) -> None:
        """Say what was left out last."""
        self._tell_left_out()
        super().close()

    def _counted(self, record: logging.LogRecord) -> int:
        """The number of its kind in this minute, including this one."""
        kind = (record.name, str(record.msg)[:_LONGEST_KIND])
        if kind not in self._counts and len(self._counts) >= _MOST_KINDS:
            kind = (record.name, "")
        self._counts[kind] = found = self._counts.get(kind, 0) + 1
        return found

    def _tell_left_out(self) -> None:
        counts, self._counts = self._counts, {}
        for (name, text), count in counts.items():
            if count > MOST_ALIKE:
                arguments = (count - MOST_ALIKE, text)
                self._hand_on(logging.LogRecord(name, logging.WARNING, "", 0, _LEFT_OUT, arguments, None))

    def _hand_on(self, record: logging.LogRecord) -> None:
        for handler in self._handlers:
            handler.handle(record)


class Text(logging.Formatter):
    """A line for people; the request's id stands at its end, before what was raised."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s  %(message)s", "%Y-%m-%d %H:%M:%S")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  logging's name
        """The line without what was raised."""
        line = super().formatMessage(record)
        request_id = REQUEST_ID.get()
        return f"{line}  [{request_id}]" if request_id else line

    def formatException(self, ei: Any) -> str:  # noqa: N802  logging's name
        """The exception as text, without most of a client's text in it."""
        return _shorten(super().formatException(ei))


class Json(logging.Formatter):
    """A line for programs: time (UTC), level, logger, message, requestId, and what was raised as `exception`."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if request_id := REQUEST_ID.get():
            line["requestId"] = request_id
        line |= record.__dict__.get("request", {})
        if record.exc_info:
            line["exception"] = _shorten(self.formatException(record.exc_info))
        return msgspec.json.encode(line).decode()


def _shorten(text: str) -> str:
    """The beginning and the end of what was raised."""
    half = _LONGEST_RAISED // 2
    return text if len(text) <= _LONGEST_RAISED else f"{text[:half]}\n…\n{text[-half:]}"


class LogLine(Struct, frozen=True):
    """A line of the log without anything that was put into its sentence but numbers.

    `raised` is what was raised, by its kind and the places in the program; never its words.
    """

    time: str
    level: str
    logger: str
    text: str
    raised: tuple[str, ...] = ()


class Recent(logging.Handler):
    """Keeps the latest lines for reports of problems: the sentences that the program has, not what people sent."""

    def __init__(self, most: int = 500) -> None:
        super().__init__()
        self._lines: deque[LogLine] = deque(maxlen=most)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line; those of the access log tell nothing without their paths."""
        if record.name != access.name:
            self._lines.append(
                LogLine(
                    time=datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
                    level=record.levelname.lower(),
                    logger=record.name.partition("(")[0],
                    text=_sentence(record),
                    raised=_exception_kinds(record.exc_info[1]) if record.exc_info else (),
                )
            )

    @property
    def lines(self) -> tuple[LogLine, ...]:
        """The latest lines, oldest first."""
        return tuple(self._lines)


RECENT: Final = Recent()
_OURS: Final = __name__.partition(".")[0]
_PLACE = re.compile(r"%%|%(?:\([^)]*\))?[-#0 +]*[0-9]*(?:\.[0-9]+)?[a-zA-Z]")
_HIDDEN: Final = "…"


def _sentence(record: logging.LogRecord) -> str:
    """The sentence as it is in the program; only numbers are put into it."""
    if not record.args and record.name.partition(".")[0] != _OURS:
        return "(a message of a library)"  # which may have put anything into it
    values = iter(record.args) if isinstance(record.args, tuple) else iter(())

    def put(found: "re.Match[str]") -> str:
        if found[0] == "%%":
            return "%"
        value = next(values, None)
        return found[0] % value if isinstance(value, int | float) else _HIDDEN

    return _PLACE.sub(put, str(record.msg))


def _exception_kinds(broken: BaseException | None) -> tuple[str, ...]:
    """The kinds of what was raised, the cause last, and where in the program."""
    found: list[str] = []
    while broken is not None and len(found) < 100:
        found.append(type(broken).__name__)
        found += [
            f"  {Path(at.filename).name}:{at.lineno} {at.name}" for at in traceback.extract_tb(broken.__traceback__)
        ]
        broken = broken.__cause__
    return tuple(found)


def configure(level: str, form: Literal["auto", "text", "json"] = "auto", stream: TextIO | None = None) -> None:
    """Send the box's messages to standard error. `level` is debug, info, warning or error."""
    stream = stream or sys.stderr
    handler = logging.StreamHandler(stream)
    handler.setFormatter(Text() if form == "text" or (form == "auto" and stream.isatty()) else Json())
    root = logging.getLogger()
    root.handlers[:] = [BoundedHandler(handler, RECENT)]
    root.setLevel(level.upper())
    logging.getLogger("apscheduler").setLevel("ERROR")  # a job that is not done yet is not begun again, as it shall be
    logging.getLogger("httpx").setLevel("WARNING")
    logging.getLogger("_granian").setLevel("WARNING")


def note_request(method: str, path: str, status: int, milliseconds: float) -> None:
    """A line of the access log. `path` names the address without what may be secret in it."""
    shown = quote(path[:_MOST_OF_A_PATH], safe=_PATH_LETTERS)
    fields = {"method": method[:16], "path": shown, "status": status, "ms": round(milliseconds, 1)}
    access.info("%s %s %d %.1f ms", *fields.values(), extra={"request": fields})
