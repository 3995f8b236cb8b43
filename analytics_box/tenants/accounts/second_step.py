"""Between the password and the second factor: who has shown the password and still owes a code. In memory only.

Codes are guessed at a price: from the fifth wrong one in a row on, a user has to wait, twice as long after each.
"""

from msgspec import Struct

from analytics_box.base import ids
from analytics_box.base.cache import BoundedCache
from analytics_box.base.clock import Clock
from analytics_box.base.errors import RateLimited
from analytics_box.base.translation import _
from analytics_box.tenants.accounts import rules

_MOST = 10_000  # waiting sign-ins; each has cost its sender a right password


class PendingSignIn(Struct, frozen=True):
    """A sign-in that waits for its code. `wanted` is where to go afterwards, `zone` the browser's time zone."""

    user_id: str
    wanted: str
    zone: str


class _Wrong(Struct, frozen=True):
    """Wrong codes in a row, and when the next one may be tried (monotonic seconds)."""

    count: int
    again_at: float


class SecondSteps:
    """The waiting sign-ins by the digest of their cookie, and the wrong codes by user."""

    def __init__(self, clock: Clock, *, secure: bool) -> None:
        self._clock = clock
        self.waiting: BoundedCache[bytes, PendingSignIn] = BoundedCache(
            _MOST, seconds=rules.SECOND_STEP_LIFE / 1000, clock=clock
        )
        self._wrong: dict[str, _Wrong] = {}
        self.cookie_name = "__Host-sign-in" if secure else "sign-in"

    def begin(self, user_id: str, *, wanted: str, zone: str) -> str:
        """The password was right; the secret for the cookie of the next step."""
        token = ids.new_token()
        self.waiting.put(ids.digest(token), PendingSignIn(user_id, wanted, zone))
        return token

    def find(self, token: str) -> PendingSignIn | None:
        """The sign-in behind a cookie; None if there is none, and after ten minutes."""
        return self.waiting.get(ids.digest(token))

    def end(self, token: str) -> None:
        """Invalidate the cookie after a correct code."""
        self.waiting.drop(ids.digest(token))

    def forget(self, user_id: str) -> None:
        """Drop waiting sign-ins of a user whose password has changed."""
        for digest, one in self.waiting.items():
            if one.user_id == user_id:
                self.waiting.drop(digest)

    def admit(self, user_id: str) -> None:
        """Before a code is looked at; counts it as wrong until `passed`. Raises RateLimited while the user has to wait.

        It counts first, so that concurrent codes do not slip through.
        """
        before = self._wrong.get(user_id)
        now = self._clock.monotonic()
        if before is not None and before.again_at > now:
            left = before.again_at - now
            raise RateLimited(
                _("Too many wrong codes; wait and try again"),
                limit=rules.CODE_TRIES,
                reset=self._clock.now() + round(left * 1000),
                retry_after=int(left) + 1,
            )
        count = before.count + 1 if before is not None else 1
        self._wrong[user_id] = _Wrong(count, now + rules.wait_after(count))

    def passed(self, user_id: str) -> None:
        """The code was right."""
        self._wrong.pop(user_id, None)
