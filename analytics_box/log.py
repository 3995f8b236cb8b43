"""Logging: one message on standard error, as text or as JSON, without query strings, bodies, secrets or addresses.

What belongs to a request carries its id, which the answer's header X-Request-ID has, too.
"""

import logging
import re
import sys
import traceback
from collections import deque
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

access = logging.getLogger("analytics_box.access")


class Text(logging.Formatter):
    """A line for people; the request's id stands at its end, before what was raised."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s  %(message)s", "%Y-%m-%d %H:%M:%S")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  logging's name
        """The line without what was raised."""
        line = super().formatMessage(record)
        request_id = REQUEST_ID.get()
        return f"{line}  [{request_id}]" if request_id else line


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
            line["exception"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()


class Line(Struct, frozen=True):
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
        self._lines: deque[Line] = deque(maxlen=most)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line; those of the access log tell nothing without their paths."""
        if record.name != access.name:
            self._lines.append(
                Line(
                    time=datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
                    level=record.levelname.lower(),
                    logger=record.name.partition("(")[0],
                    text=_sentence(record),
                    raised=_raised(record.exc_info[1]) if record.exc_info else (),
                )
            )

    @property
    def lines(self) -> tuple[Line, ...]:
        """The latest lines, oldest first."""
        return tuple(self._lines)


RECENT: Final = Recent()
_OURS: Final = __name__.partition(".")[0]
_PLACE = re.compile(r"%%|%(?:\([^)]*\))?[-#0 +]*[0-9]*(?:\.[0-9]+)?[a-zA-Z]")
_HIDDEN: Final = "…"


def _sentence(record: logging.LogRecord) -> str:
    """The sentence as it stands in the program; only numbers are put into it."""
    if not record.args and record.name.partition(".")[0] != _OURS:
        return "(a message of a library)"  # which may have put anything into it
    values = iter(record.args) if isinstance(record.args, tuple) else iter(())

    def put(found: "re.Match[str]") -> str:
        if found[0] == "%%":
            return "%"
        value = next(values, None)
        return found[0] % value if isinstance(value, int | float) else _HIDDEN

    return _PLACE.sub(put, str(record.msg))


def _raised(broken: BaseException | None) -> tuple[str, ...]:
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
    root.handlers[:] = [handler, RECENT]
    root.setLevel(level.upper())
    logging.getLogger("apscheduler").setLevel("ERROR")  # a job that is not done yet is not begun again, as it shall be
    logging.getLogger("httpx").setLevel("WARNING")
    logging.getLogger("_granian").setLevel("WARNING")


def note_request(method: str, path: str, status: int, milliseconds: float) -> None:
    """A line of the access log. `path` names the address without what may be secret in it."""
    shown = quote(path[:_MOST_OF_A_PATH], safe=_PATH_LETTERS)
    fields = {"method": method[:16], "path": shown, "status": status, "ms": round(milliseconds, 1)}
    access.info("%s %s %d %.1f ms", *fields.values(), extra={"request": fields})
