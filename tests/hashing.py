"""Passwords are hashed in no time here: in tests that are not about hashing it would be most of a sign-in."""

from functools import cache

from argon2 import PasswordHasher

from analytics_box.tenants.accounts import passwords

REAL = passwords._hasher


@cache
def _quick() -> PasswordHasher:
    return PasswordHasher(memory_cost=8, time_cost=1, parallelism=1)


def hurry() -> None:
    """Let this process and its copies do so."""
    vars(passwords)["_hasher"] = _quick
