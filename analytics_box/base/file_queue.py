"""The queue of files to import: one is read at a time, callers take turns, and each file has a deadline.

What reads a file calls `keep_going` for each of its parts, so that a file which takes too long ends for its owner and
not for everyone who waits behind it.
"""

import asyncio
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Annotated, Any, Final, Literal, ParamSpec, TypeVar

import msgspec
from msgspec import Meta

from analytics_box.base.errors import BadRequest, Unavailable
from analytics_box.base.translation import _
from analytics_box.base.turns import FairQueue

P = ParamSpec("P")
T = TypeVar("T")

EARLIER: Final = "x-earlier-words"  # in a schema: words that are accepted and that descriptions of the API leave out
# What becomes of resources that exist already, for imports of every kind. `replace` is an earlier word for `update`.
EXISTING: Final = ("skip", "update")
Existing = Annotated[Literal["skip", "update", "replace"], Meta(extra_json_schema={EARLIER: ["replace"]})]

SECONDS: Final = 20.0  # of processor time for one file: several times what the largest useful one takes
MOST_WAITING: Final = 8  # files of a caller, of 8 MB each, including the one that is read
_TOO_LONG: Final = "The file takes too long to read because of too many references. Split it"
_FULL: Final = "Your other files are still being imported. Try again in a minute"

_reading = threading.local()


class FileTooSlow(Exception):
    """Raised in the thread that reads a file for too long. It is no BadRequest, so that nothing takes it for what is
    wrong with a part of the file."""


def keep_going() -> None:
    """Raise FileTooSlow if the file that this thread reads has used its time."""
    ends = getattr(_reading, "ends", None)
    if ends is not None and _reading.clock() > ends:
        raise FileTooSlow


class FileQueue:
    """Reads files in a thread, so that other requests are not delayed. `clock` is the processor time of that thread."""

    def __init__(self, seconds: float = SECONDS, clock: Callable[[], float] = time.thread_time) -> None:
        self._seconds = seconds
        self._clock = clock
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="import")
        self._turns: FairQueue[asyncio.Future[None]] = FairQueue(1, 1)
        self._of: Counter[str] = Counter()  # files of each holder: those that wait, and the one that is read

    async def run(self, holder: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of some work on a file of this holder (`Identity.holder`): a user has one turn, in however many
        organizations. Raises BadRequest for a file that takes too long, and Unavailable while too many others of the
        holder wait."""
        if self._of[holder] >= MOST_WAITING:
            raise Unavailable(_FULL, retry_after=60)
        self._of[holder] += 1
        turn = asyncio.get_running_loop().create_future()
        self._turns.add(holder, turn)
        self._admit()
        try:
            await turn
            return await asyncio.get_running_loop().run_in_executor(
                self._thread, lambda: self._timed(work, *args, **kwargs)
            )
        finally:
            self._leave(holder, turn)

    def _timed(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        _reading.clock, _reading.ends = self._clock, self._clock() + self._seconds
        try:
            return work(*args, **kwargs)
        except FileTooSlow as slow:
            raise BadRequest(_TOO_LONG) from slow
        finally:
            _reading.ends = None

    def _admit(self) -> None:
        """Give the next turn, if there is one to give. A file whose caller has left takes no time."""
        while (following := self._turns.next()) is not None:
            holder, turn = following
            if not turn.done():
                turn.set_result(None)
                return
            self._turns.leave(holder)

    def _leave(self, holder: str, turn: "asyncio.Future[None]") -> None:
        self._of[holder] -= 1
        if not self._of[holder]:
            del self._of[holder]
        if not turn.cancelled():
            self._turns.leave(holder)
        self._admit()


def decode_json(text: str) -> Any:
    """The value of a JSON text that a user gave. Raises BadRequest, which says where the text is wrong."""
    try:
        return msgspec.json.decode(text)
    except RecursionError as deep:
        raise BadRequest(_("This JSON is nested too deeply")) from deep
    except (msgspec.MsgspecError, UnicodeError) as broken:
        where = ""
        with suppress(ValueError, RecursionError):
            try:
                json.loads(text)
            except json.JSONDecodeError as wrong:
                where = f" (line {wrong.lineno}, character {wrong.colno})"
        raise BadRequest(_("This is not valid JSON{where}").format(where=where)) from broken
