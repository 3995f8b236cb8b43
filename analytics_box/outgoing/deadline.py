"""The end of every request to the outside."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from analytics_box.outgoing.failures import TooSlow


@asynccontextmanager
async def within(seconds: float) -> AsyncIterator[None]:
    """Give what is done here so many seconds. Raises TooSlow."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as late:
        raise TooSlow(f"No complete answer within {seconds:g} seconds") from late
