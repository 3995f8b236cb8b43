"""Argon2 in a thread, two at a time: hashing must neither block the loop nor eat the memory."""

import asyncio
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argon2 import PasswordHasher

_AT_ONCE = 2

# Verified for unknown users, so that an answer takes as long for them. The hash of a random, forgotten password.
_NOBODY = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$Jq9cRMvGqqVNDlTPCe4wP0uGjuvhaKBDMCfqzQbNw9I"


class Passwords:
    """Hashes and verifies passwords, a limited number at a time."""

    def __init__(self, at_once: int = _AT_ONCE) -> None:
        self._slots = asyncio.Semaphore(at_once)

    async def hash(self, password: str) -> str:
        """An Argon2id hash with its parameters, as text."""
        async with self._slots:
            return await asyncio.to_thread(hash_now, password)

    async def verify(self, stored: str | None, password: str) -> bool:
        """Whether this password made the hash. None or nothing, for an unknown user and for one who has not chosen a
        password yet, takes as long and is never true."""
        async with self._slots:
            return await asyncio.to_thread(_verify, stored, password)


def hash_now(password: str) -> str:
    """Hash for a caller without an event loop."""
    return _hasher().hash(password)


@cache
def _hasher() -> "PasswordHasher":
    from argon2 import PasswordHasher  # noqa: PLC0415  # Loading it takes half a megabyte, so it waits for the first sign-in.

    return PasswordHasher(memory_cost=19 * 1024, time_cost=2, parallelism=1)


def _verify(stored: str | None, password: str) -> bool:
    from argon2.exceptions import InvalidHashError, VerificationError  # noqa: PLC0415  # see _hasher

    try:
        return _hasher().verify(stored or _NOBODY, password) and bool(stored)
    except (VerificationError, InvalidHashError):
        return False
