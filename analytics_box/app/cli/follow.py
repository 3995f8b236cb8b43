"""Follow a web server's log: send its lines to a server while they are written.

The position in the log is saved after the server has stored the lines, and the lines carry it as their identity. So an
end at any instant, here or there, loses no line and counts none twice.
"""

import fcntl
import glob
import hashlib
import os
import secrets
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

import click
import msgspec
from msgspec import Struct

from analytics_box.app.admin import channel
from analytics_box.app.admin.channel import NotAnswering
from analytics_box.app.cli.apply import asking
from analytics_box.app.cli.command import check_box
from analytics_box.app.cli.options import read_settings
from analytics_box.app.declared.stock import Ask
from analytics_box.base.errors import BadRequest, Unavailable
from analytics_box.base.store.files import write_private
from analytics_box.base.translation import _

# Lines and bytes of one call.
MOST_LINES: Final = 500
_MOST_BYTES: Final = 256 << 10
LONGEST_LINE: Final = 32 << 10
# Bytes of a line that is too long, between two positions.
_MOST_SKIPPED: Final = 64 << 20
# Bytes at the start of a log by which it is known again.
_HEAD: Final = 256
_POLL_SECONDS: Final = 1.0
# Looks at a renamed log without a new line, until the new log is read: its writer keeps it open for a moment.
_QUIET_LOOKS: Final = 5
_SHORTEST_WAIT, _LONGEST_WAIT = 1.0, 60.0
_REPORT_SECONDS: Final = 60.0


class LogPosition(Struct, frozen=True):
    """A position in a log. `log` names its contents, `device` and `inode` its file, `head` is a digest of its first
    bytes up to `offset`. `inside` says that the rest of the line at `offset` is to be skipped."""

    log: str
    device: int
    inode: int
    head: str = ""
    offset: int = 0
    inside: bool = False


class LogPiece(NamedTuple):
    """Whole lines of a log with their places, and where the following ones begin."""

    lines: list[tuple[int, str]]
    end: int
    inside: bool
    too_long: int


Add = Callable[[str, list[tuple[int, str]]], dict[str, Any]]


class LogFollower:
    """A log at `path`, whose lines `add` gets. The position is in the file `state`, `behind` bytes before the end.
    `counts` are the lines since the last report."""

    def __init__(self, path: Path, state: Path, add: Add, *, from_end: bool = False) -> None:
        self.path, self.counts = path, Counter[str]()
        self._state, self._add, self._from_end = state, add, from_end
        self._file: BinaryIO | None = None
        self._quiet = self.behind = 0
        self._position = LogPosition("", 0, 0)
        with suppress(FileNotFoundError):
            self._read_position()

    def step(self) -> bool:
        """Send the next lines; whether there was anything to do. Raises Unavailable, after which it can be repeated."""
        if self._file is None:
            return self._open()
        if self._is_another(self._file):
            # It was emptied, and is written from its start again.
            self._begin(self._file)
            return True
        piece = read_piece(self._file, self._position.offset, self._position.inside)
        if piece.end == self._position.offset:
            return self._leave()
        self._quiet = 0
        self._send(piece)
        return True

    def _send(self, piece: LogPiece) -> None:
        if piece.lines:
            answer = self._add(self._position.log, piece.lines)
            self.counts["stored"] += answer["stored"]
            self.counts["repeated"] += answer["repeated"]
            for one in answer["refused"]:
                self.counts[one["message"]] += one["rows"]
        if piece.too_long:
            self.counts[f"Lines longer than {LONGEST_LINE:,} bytes"] += piece.too_long
        assert self._file is not None  # noqa: S101  its piece was read
        self.behind = os.fstat(self._file.fileno()).st_size - piece.end
        head = _head(self._file, piece.end)
        self._save(msgspec.structs.replace(self._position, offset=piece.end, inside=piece.inside, head=head))

    def _open(self) -> bool:
        """Open the log, or the file that it was when it was followed last."""
        with suppress(FileNotFoundError):
            current = self.path.open("rb")
            if not self._position.log:
                self._begin(current, at_end=self._from_end)
            elif self._is_same(current):
                self._file = current
            elif (former := self._former()) is not None:
                current.close()
                self._file = former
            else:
                click.echo(f"{self.path} is another file now. Starting at its first line.", err=True)
                self._begin(current)
            return True
        return False

    def _former(self) -> BinaryIO | None:
        """The file of the position under another name in the same folder."""
        for path in sorted(self.path.parent.glob(f"{glob.escape(self.path.name)}*")):
            with suppress(OSError):
                file = path.open("rb")
                if self._is_same(file):
                    return file
                file.close()
        return None

    def _is_same(self, file: BinaryIO) -> bool:
        status = os.fstat(file.fileno())
        same = (status.st_dev, status.st_ino) == (self._position.device, self._position.inode)
        return same and not self._is_another(file)

    def _is_another(self, file: BinaryIO) -> bool:
        """Whether an open file has other contents than before the position."""
        position = self._position
        short = os.fstat(file.fileno()).st_size < position.offset
        return short or (position.head != "" and _head(file, position.offset) != position.head)

    def _begin(self, file: BinaryIO, *, at_end: bool = False) -> None:
        """Read a file from its start, under a new name that is saved before any line is sent."""
        status = os.fstat(file.fileno())
        offset = status.st_size if at_end else 0
        inside = offset > 0 and os.pread(file.fileno(), 1, offset - 1) != b"\n"
        head = _head(file, offset)
        self._save(LogPosition(secrets.token_hex(16), status.st_dev, status.st_ino, head, offset, inside))
        self._quiet = 0
        if self._file is not None and self._file is not file:
            self._file.close()
        self._file = file

    def _leave(self) -> bool:
        """Go on with the new log once this one was renamed and no longer grows."""
        assert self._file is not None  # noqa: S101  its end was reached
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return False
        if (status.st_dev, status.st_ino) == (self._position.device, self._position.inode):
            return False
        self._quiet += 1
        if self._quiet < _QUIET_LOOKS:
            return False
        rest = os.pread(self._file.fileno(), LONGEST_LINE, self._position.offset)
        if rest and not self._position.inside:
            text = rest.decode(errors="replace")
            self._send(LogPiece([(self._position.offset, text)], self._position.offset + len(rest), False, 0))
        self._begin(self.path.open("rb"))
        return True

    def _read_position(self) -> None:
        content = self._state.read_bytes()
        try:
            self._position = msgspec.json.decode(content, type=LogPosition)
        except msgspec.DecodeError as broken:
            raise BadRequest(
                _("{file} is damaged. Delete it to start at the first line").format(file=self._state)
            ) from broken

    def _save(self, position: LogPosition) -> None:
        write_private(self._state, msgspec.json.encode(position))
        self._position = position


def read_piece(file: BinaryIO, offset: int, inside: bool) -> LogPiece:
    """The next whole lines of a file. A line that is too long is skipped, in bounded memory."""
    lines: list[tuple[int, str]] = []
    size = too_long = 0
    at = offset
    file.seek(offset)
    while len(lines) < MOST_LINES and size < _MOST_BYTES and at - offset < _MOST_SKIPPED:
        line = file.readline(LONGEST_LINE + 1)
        is_whole = line.endswith(b"\n")
        if inside:
            inside = not is_whole
        elif is_whole:
            lines.append((at, line.decode(errors="replace")))
            size += len(line)
        elif len(line) > LONGEST_LINE:
            too_long += 1
            inside = True
        else:
            break
        if not line:
            break
        at += len(line)
    return LogPiece(lines, at, inside, too_long)


def _head(file: BinaryIO, offset: int) -> str:
    """A digest of the first bytes of a file, none of them from `offset` on."""
    start = os.pread(file.fileno(), min(offset, _HEAD), 0)
    return hashlib.blake2b(start, digest_size=16).hexdigest() if start else ""


def follow(values: dict[str, Any]) -> None:
    """Follow a log until the command is stopped. Raises BoxError."""
    if values["file"] is None:
        raise click.UsageError("Name the log FILE to follow.")
    with _server(values) as (ask, website_id):
        path, state = values["file"].absolute(), _state_file(values)

        def add(log: str, lines: list[tuple[int, str]]) -> dict[str, Any]:
            rows = [{"at": at, "text": text} for at, text in lines]
            given = {"websiteId": website_id, "log": log, "lines": rows}
            given |= {"force": values["force"], "aiOnly": values["ai_only"]}
            answer: dict[str, Any] = ask("imports.addLogLines", given)
            return answer

        state.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with state.with_suffix(".lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as taken:
                raise BadRequest(_("{file} is already followed").format(file=path)) from taken
            click.echo(f"Following {path}. The position is in {state}.", err=True)
            _run(LogFollower(path, state, add, from_end=values["from_end"]))


def _run(follower: LogFollower) -> None:
    wait, reported = _SHORTEST_WAIT, time.monotonic()
    while True:
        try:
            did = follower.step()
        except (Unavailable, NotAnswering) as busy:
            click.echo(f"{busy}. Trying again in {wait:.0f} seconds.", err=True)
            time.sleep(wait)
            wait = min(wait * 2, _LONGEST_WAIT)
            continue
        wait = _SHORTEST_WAIT
        if not did:
            time.sleep(_POLL_SECONDS)
        now = time.monotonic()
        if follower.counts and (now - reported >= _REPORT_SECONDS or (not did and sys.stderr.isatty())):
            click.echo(_report(follower), err=True)
            follower.counts.clear()
            reported = now


def _report(follower: LogFollower) -> str:
    counts = dict(follower.counts)
    stored, repeated = counts.pop("stored", 0), counts.pop("repeated", 0)
    parts = [f"Stored: {stored:,}"]
    if repeated:
        parts.append(f"sent before: {repeated:,}")
    parts += [f"left out: {number:,} ({reason})" for reason, number in counts.items()]
    if follower.behind > _MOST_BYTES:
        parts.append(f"bytes to read: {follower.behind:,}")
    return "; ".join(parts)


@contextmanager
def _server(values: dict[str, Any]) -> Iterator[tuple[Ask, str]]:
    """The server that gets the lines, and the id of the website."""
    name = values["website"]
    if values["url"]:
        with asking(values | {"organization": None}) as ask:
            ids = [one["id"] for one in ask("websites.list", {}) if one["domain"] == name] if "." in name else [name]
            if not ids:
                raise BadRequest(_("There is no website {name}. Enter its id or domain").format(name=name))
            yield ask, ids[0]
        return
    # A command that held the files would keep the server from starting.
    directory = read_settings({"data_dir": values["data_dir"]}).data_dir
    check_box(directory)
    call = partial(channel.ask, directory)
    location = call("find", msgspec.json.encode({"kind": "website", "name": name}))
    organization = location["organizationId"]
    yield (
        lambda procedure, given: call(procedure, msgspec.json.encode(given), organization=organization),
        location["id"],
    )


def _state_file(values: dict[str, Any]) -> Path:
    """The file of the position: in the data directory, or for another server in the user's folder of states."""
    if values["position"] is not None:
        return Path(values["position"])
    name = f"{values['file'].absolute()}\0{values['website']}\0{values['url'] or ''}"
    file = f"{hashlib.blake2b(name.encode(errors='surrogateescape'), digest_size=8).hexdigest()}.json"
    if not values["url"]:
        return read_settings({"data_dir": values["data_dir"]}).data_dir / "follow" / file
    states = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(states) / "analytics-box" / file
