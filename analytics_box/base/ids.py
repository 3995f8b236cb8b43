"""Identifiers and secrets: all randomness that leaves the box comes from here."""

import hashlib
import random
import re
import secrets
import string

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
KEY_PREFIX = "svc_"
KEY_LENGTH = 48  # characters after the prefix (spec 2.1)

# Tells requests apart and protects nothing; the system's randomness would give up the interpreter lock for each.
_REQUESTS = random.Random()  # noqa: S311  # no secret
_KEY_SHAPE = re.compile(rf"{KEY_PREFIX}[0-9A-Za-z]{{{KEY_LENGTH}}}\Z")


def base62(length: int) -> str:
    """Unguessable text of that many base-62 characters (5.95 bits each)."""
    return "".join(secrets.choice(BASE62) for _ in range(length))


def new_id() -> str:
    """A resource's public id: 20 base-62 characters, about 119 bits."""
    return base62(20)


def new_request_id() -> str:
    """An id for one request, shown in X-Request-ID and in every error body."""
    return f"{_REQUESTS.getrandbits(64):016x}"


def new_key_secret() -> str:
    """The whole secret of an API key, prefix included (spec 2.1)."""
    return KEY_PREFIX + base62(KEY_LENGTH)


def is_key_shaped(token: str) -> bool:
    """Whether this could be one of our keys at all; anything else is just an unknown key."""
    return _KEY_SHAPE.match(token) is not None


def new_token() -> str:
    """A 256-bit secret for a cookie or a one-time link, URL-safe."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> bytes:
    """SHA-256 of a high-entropy secret: what is stored and looked up instead of it."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
