"""Limits on sign-in attempts for an account that cannot lock its owner out.

A browser from which the right password came once has a cookie for it, and a separate count. All others share
one count for the account; beyond it they wait for each answer instead of being refused.
"""

import asyncio
import hashlib
import hmac
import secrets
from collections import Counter
from typing import TYPE_CHECKING

from analytics_box.base import ids
from analytics_box.base.errors import RateLimited
from analytics_box.base.limits import TokenBuckets
from analytics_box.base.settings import Settings
from analytics_box.base.store.seal import Seal, SealBroken
from analytics_box.tenants.accounts import rules

if TYPE_CHECKING:
    from analytics_box.web.page.visit import Next

SLOWLY = 10.0  # seconds that a try waits beyond the limit
AT_ONCE = 10  # of them for one account; further ones are refused


class Tries:
    """Counts tries to sign in, by account and by browser."""

    def __init__(self, limits: TokenBuckets, seal: Seal, settings: Settings) -> None:
        self._limits = limits
        self._seal = seal
        self._limit = settings.limit_sign_in
        self._waiting = Counter[str]()
        self._secure = settings.secure
        self.cookie_name = "__Host-known" if settings.secure else "known"

    def mark(self, email: str) -> str:
        """The cookie of a browser that has shown this account's password; empty while secret.key cannot be read."""
        browser = secrets.token_hex(8)
        try:
            return f"{browser}.{self._proof(browser, _account(email))}"
        except SealBroken:
            return ""

    def remember(self, answer: "Next", email: str) -> None:
        """Give a browser the cookie of one that has shown this account's password."""
        answer.set_cookie(
            key=self.cookie_name,
            value=self.mark(email),
            max_age=rules.BROWSER_KNOWN // 1000,
            secure=self._secure,
            httponly=True,
            samesite="lax",
        )

    def knows(self, cookie: str, email: str) -> bool:
        """Whether a browser with this cookie has shown the password of this account, as the last one."""
        browser, _, proof = cookie.partition(".")
        return self._is_known(browser, proof, _account(email))

    async def admit(self, email: str, cookie: str) -> None:
        """Before a password is looked at. Raises RateLimited."""
        account = _account(email)
        browser, _, proof = cookie.partition(".")
        if self._is_known(browser, proof, account):
            self._limits.take("sign-in from", browser, self._limit)
            return
        try:
            self._limits.take("sign-in to", account, self._limit)
        except RateLimited:
            if self._waiting[account] >= AT_ONCE:
                raise
            await self._wait(account)

    async def _wait(self, account: str) -> None:
        self._waiting[account] += 1
        try:
            await asyncio.sleep(SLOWLY)
        finally:
            self._waiting[account] -= 1
            if not self._waiting[account]:
                del self._waiting[account]

    def _is_known(self, browser: str, proof: str, account: str) -> bool:
        try:
            return bool(proof) and hmac.compare_digest(proof.encode(), self._proof(browser, account).encode())
        except SealBroken:
            return False

    def _proof(self, browser: str, account: str) -> str:
        key = self._seal.derive("known browsers")
        return hashlib.blake2b(f"{browser} {account}".encode(), key=key, digest_size=16).hexdigest()


def _account(email: str) -> str:
    return ids.digest(email.strip().lower()).hex()
