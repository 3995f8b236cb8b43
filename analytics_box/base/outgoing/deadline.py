"""The end of every request to the outside."""

import asyncio
from types import TracebackType

from analytics_box.base.outgoing.failures import TooSlow


class within:  # noqa: N801  as asyncio.timeout reads
    """Give what is done in this block so many seconds. Raises TooSlow."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._timeout = seconds, asyncio.timeout(seconds)

    async def __aenter__(self) -> None:
        await self._timeout.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, broken: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._timeout.__aexit__(kind, broken, trace)
            if isinstance(broken, TimeoutError):  # the system's own
                raise broken
        except TimeoutError as late:
            raise TooSlow(f"No complete answer within {self._seconds:g} seconds") from late
