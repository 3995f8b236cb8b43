"""Access to protected pages. A browser has a signed cookie after the form, other clients send HTTP Basic.

The cookie is signed over the page and the hash of its password, so a new password ends every earlier one.
"""

import base64
import binascii
import hashlib
import hmac
import secrets
from typing import Final, Protocol

from analytics_box.base.cache import BoundedCache
from analytics_box.base.clock import Clock
from analytics_box.base.errors import Unavailable
from analytics_box.base.limits import TokenBuckets
from analytics_box.base.store.seal import Seal, SealBroken
from analytics_box.base.translation import _
from analytics_box.tenants.accounts.passwords import Passwords
from analytics_box.web.asgi import cookie

LONGEST_PASSWORD: Final = 128  # characters
PER_NETWORK = 10  # tries per minute, of all pages of a kind
PER_PAGE = 200  # tries per minute of all networks that were wrong recently, of one page
MOST_WAITING: Final = 50  # tries that wait to be verified, 40 ms each
_OF_LATE: Final = 600.0  # seconds
_MOST_WRONG: Final = 10_000  # networks that are remembered for it
LASTS: Final = 30 * 86_400  # seconds
_REMEMBERED: Final = 1_000  # passwords that were right, so that not every request of a client takes an Argon2
_SECOND: Final = 1_000


class ProtectedPage(Protocol):
    """A public page with a password: a status page, or a shared dashboard. Its password is a hash."""

    @property
    def id(self) -> str: ...

    @property
    def password(self) -> str | None: ...


class Locks:
    """Knows who may see the protected pages of one kind."""

    def __init__(
        self, kind: str, seal: Seal, passwords: Passwords, limits: TokenBuckets, clock: Clock, *, secure: bool
    ) -> None:
        self._kind = kind
        self._seal = seal
        self._passwords = passwords
        self._limits = limits
        self._clock = clock
        self._secure = secure
        self._right: BoundedCache[bytes, bool] = BoundedCache(_REMEMBERED)
        # Networks whose last try was wrong.
        self.wrong: BoundedCache[str, bool] = BoundedCache(_MOST_WRONG, seconds=_OF_LATE, clock=clock)
        self._waiting = 0
        self._of_this_run = secrets.token_bytes(32)

    def has_cookie(self, page: ProtectedPage, header: bytes) -> bool:
        """Return whether the browser has entered the password before."""
        expires, _dot, signature = cookie(header.decode("latin-1"), self._name(page)).partition(".")
        if not (expires.isascii() and expires.isdigit() and len(expires) < 15):
            return False
        signed = hmac.compare_digest(signature.encode(), self._sign(page, expires).encode())
        return signed and int(expires) * _SECOND > self._clock.now()

    def set_cookie(self, page: ProtectedPage, base: str) -> bytes:
        """The header that lets a browser in from now on, below the path of the page."""
        expires = str(self._clock.now() // _SECOND + LASTS)
        secure = "; Secure" if self._secure else ""
        value = f"{expires}.{self._sign(page, expires)}"
        return (
            f"{self._name(page)}={value}; Path={base or '/'}; Max-Age={LASTS}; HttpOnly; SameSite=Lax{secure}".encode()
        )

    async def opens(self, page: ProtectedPage, given: str, network: str) -> bool:
        """Whether this is the password. Raises RateLimited after too many attempts, Unavailable while too many
        others wait. Who guesses from many networks keeps nobody out that was not wrong itself."""
        seen = hashlib.blake2b(f"{page.id}\0{page.password}\0{given}".encode(), key=self._of_this_run).digest()
        if self._right.get(seen):
            return True
        self._limits.take(f"{self._kind} page password", network, PER_NETWORK)
        if network in self.wrong:
            self._limits.take(f"{self._kind} page passwords", page.id, PER_PAGE)
        if len(given) > LONGEST_PASSWORD or not await self._verify(page, given):
            self.wrong.put(network, value=True)
            return False
        self._right.put(seen, value=True)
        return True

    async def _verify(self, page: ProtectedPage, given: str) -> bool:
        if self._waiting >= MOST_WAITING:
            raise Unavailable(_("Too many passwords are being checked. Try again"), retry_after=2)
        self._waiting += 1
        try:
            return await self._passwords.verify(page.password or "", given)
        finally:
            self._waiting -= 1

    def _sign(self, page: ProtectedPage, expires: str) -> str:
        said = f"{page.id}\0{page.password}\0{expires}".encode()
        return hmac.new(self._key(), said, hashlib.sha256).hexdigest()

    def _name(self, page: ProtectedPage) -> str:
        return f"{self._kind}_{page.id}"

    def _key(self) -> bytes:
        try:
            return self._seal.derive(f"{self._kind} page cookies")
        except (SealBroken, OSError):
            return self._of_this_run  # then cookies end with this run


def basic_password(header: bytes) -> str | None:
    """The password of an Authorization header; None where there is none. The user name does not matter."""
    scheme, _space, given = header.partition(b" ")
    if scheme.lower() != b"basic":
        return None
    try:
        return base64.b64decode(given.strip(), validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return None
