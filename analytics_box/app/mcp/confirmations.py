"""Confirmation tokens: a change is planned by one call and made by the next, which sends the token of the plan."""

import base64
import hashlib
import hmac
import secrets
from typing import Final

from analytics_box.base.cache import BoundedCache
from analytics_box.base.clock import Clock

SECONDS: Final = 300  # Plans can be confirmed for this long.
_MOST_USED: Final = 10_000
_MAC, _TIME = 16, 8  # Bytes.


class Confirmations:
    """Signs and checks tokens, each of which confirms one plan of one key once. A restart ends all of them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._secret = secrets.token_bytes(32)
        self._used: BoundedCache[bytes, bool] = BoundedCache(_MOST_USED)

    def token(self, key_id: str, tool: str, plan: bytes) -> str:
        """The token that confirms this plan."""
        ends = round((self._clock.monotonic() + SECONDS) * 1000).to_bytes(_TIME) + secrets.token_bytes(_TIME)
        return base64.urlsafe_b64encode(ends + self._mac(ends, key_id, tool, plan)).decode().rstrip("=")

    def redeem(self, token: str, key_id: str, tool: str, plan: bytes) -> bool:
        """Whether a token confirms this plan now; it does so once."""
        try:
            sent = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        except ValueError:
            return False
        ends, mac = sent[: 2 * _TIME], sent[2 * _TIME :]
        if not hmac.compare_digest(mac, self._mac(ends, key_id, tool, plan)):
            return False
        if int.from_bytes(ends[:_TIME]) <= self._clock.monotonic() * 1000 or mac in self._used:
            return False
        self._used.put(mac, True)
        return True

    def _mac(self, ends: bytes, key_id: str, tool: str, plan: bytes) -> bytes:
        text = b"\0".join((ends, key_id.encode(), tool.encode(), plan))
        return hashlib.blake2b(text, digest_size=_MAC, key=self._secret).digest()
