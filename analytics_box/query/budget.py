"""Size limits of answers: for one request, and for all requests together.

A request begins with SMALL bytes, which is enough for nearly all requests. A larger one waits for one of a few places,
which give it its whole budget. The places therefore bound the memory, regardless of the number of requests.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Lock

from msgspec import Struct

from analytics_box.base.errors import OverBudget, Unavailable
from analytics_box.base.translation import _

MB = 1 << 20
SMALL = MB
MOST_OF_A_PAGE = 4 * MB
_LARGE_AT_ONCE, _LARGE_OF_PUBLIC = 2, 1  # requests that have more than SMALL
_AT_ONCE, _OF_PUBLIC = 24, 8  # requests of the API that hold answers
_WAITING, _WAITING_PUBLIC = 256, 32  # requests that wait to be one of them
PUBLIC_PARAMETERS = 20  # of one request


class AnswerLimits(Struct, frozen=True):
    """The limits of one request: bytes as read and as sent, rows × parameters, and parameters; 0 is unlimited."""

    bytes: int = 16 * MB
    rows: int = 100_000
    parameters: int = 0


MEMBERS = AnswerLimits()
PUBLIC = AnswerLimits(2 * MB, 2_000, PUBLIC_PARAMETERS)  # a hundred rows of each


class NeedsMore(OverBudget):
    """More than SMALL: the same read works once the budget has grown."""


class AnswerBudget:
    """The bytes that one request has left. Other threads take from it while they read."""

    def __init__(self, allowed: AnswerLimits, places: asyncio.Semaphore) -> None:
        self.allowed = allowed
        self._places = places
        self._lock = Lock()
        self._taken = self._rows = self._parameters = 0
        self.has_grown = allowed.bytes <= SMALL
        self.is_short = False  # whether it has to grow
        self._has_place = False

    def ask(self, rows: int) -> None:
        """Count a parameter that may have this number of rows. Raises OverBudget, and then does not count its rows."""
        self._parameters += 1
        if self.allowed.parameters and self._parameters > self.allowed.parameters:
            raise OverBudget(
                _(
                    "Without credentials, a request can have up to {parameters} parameters. Send the "
                    "others in another request"
                ).format(parameters=self.allowed.parameters)
            )
        if self.allowed.rows and self._rows + rows > self.allowed.rows:
            raise OverBudget(
                _(
                    "A request can return up to {rows:,} rows, the limits of its parameters "
                    "together. Use a smaller limit or fewer parameters, or POST /v1/export/data for "
                    "everything"
                ).format(rows=self.allowed.rows)
            )
        self._rows += rows

    def take(self, size: int) -> None:
        """Count bytes that were read. Raises NeedsMore, or OverBudget, and then counts none of them."""
        with self._lock:
            self.check(self._taken + size)
            self._taken += size

    def check(self, size: int) -> None:
        """Whether it has this number of bytes in all. Raises NeedsMore, or OverBudget."""
        if not self.has_grown and size > SMALL:
            self.is_short = True
            raise NeedsMore(self.refusal)
        if size > self.allowed.bytes:
            raise OverBudget(self.refusal)

    def give_back(self, size: int) -> None:
        """Give back bytes that are not kept."""
        with self._lock:
            self._taken -= size

    @property
    def taken(self) -> int:
        """The bytes of what is kept."""
        return self._taken

    async def grow(self) -> None:
        """Wait for a place among the large ones. One task of a request calls this at a time."""
        if not self.has_grown:
            await self._places.acquire()
            self.has_grown = self._has_place = True

    def end(self) -> None:
        """Leave the place, if it has one."""
        if self._has_place:
            self._places.release()

    @property
    def refusal(self) -> str:
        """The message for a request that exceeds its budget."""
        size = self.allowed.bytes / MB
        return (
            f"The response to a request can have up to {size:g} MB. Use a smaller limit, a shorter range or fewer "
            "parameters, or POST /v1/export/data for everything"
        )


class ParameterBytes:
    """The bytes that one parameter has taken from its request's budget."""

    def __init__(self, budget: AnswerBudget) -> None:
        self.budget = budget
        self.bytes = 0

    def __call__(self, size: int) -> None:
        """Take bytes. Raises OverBudget."""
        self.budget.take(size)
        self.bytes += size

    def give_back(self) -> None:
        """Give all of it back: the parameter has failed."""
        self.budget.give_back(self.bytes)
        self.bytes = 0


class AnswerBudgets:
    """The budgets of all requests that are answered now."""

    def __init__(self, members: AnswerLimits = MEMBERS, public: AnswerLimits = PUBLIC) -> None:
        self._allowed = {False: members, True: public}
        self._places = {False: asyncio.Semaphore(_LARGE_AT_ONCE), True: asyncio.Semaphore(_LARGE_OF_PUBLIC)}
        self._requests = {False: asyncio.Semaphore(_AT_ONCE), True: asyncio.Semaphore(_OF_PUBLIC)}
        self._waiting = {False: _WAITING, True: _WAITING_PUBLIC}

    @asynccontextmanager
    async def of_request(self, *, public: bool) -> AsyncIterator[AnswerBudget]:
        """The budget of a request of the API, once it is its turn. Raises Unavailable when too many wait."""
        if not self._waiting[public]:
            raise Unavailable(_("Too many queries are running. Try again in a moment."), retry_after=1)
        self._waiting[public] -= 1
        try:
            await self._requests[public].acquire()
        finally:
            self._waiting[public] += 1
        try:
            async with self._budget(self._allowed[public], public) as budget:
                yield budget
        finally:
            self._requests[public].release()

    @asynccontextmanager
    async def of_page(self, *, public: bool = False) -> AsyncIterator[AnswerBudget]:
        """The budget of a part of a page, which asks for what it shows, does not wait behind requests of the API, and
        never has more than MOST_OF_A_PAGE: it becomes text on the page."""
        allowed = AnswerLimits(min(self._allowed[public].bytes, MOST_OF_A_PAGE), rows=0)
        async with self._budget(allowed, public) as budget:
            yield budget

    @asynccontextmanager
    async def _budget(self, allowed: AnswerLimits, public: bool) -> AsyncIterator[AnswerBudget]:
        budget = AnswerBudget(allowed, self._places[public])
        try:
            yield budget
        finally:
            budget.end()
