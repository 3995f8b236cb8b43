"""The second factor of a user: an authenticator app's codes, and recovery codes for the day it is lost.

Functions run inside the caller's transaction; box.db has one writer, so no code can be used twice. Sign-ins that still
owe a code wait in memory. Codes are guessed at a price: from the fifth wrong one in a row on, a user has to wait,
twice as long after each.
"""

import hmac
import logging
import secrets
from base64 import b32encode
from collections.abc import Iterable
from urllib.parse import quote, urlencode

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import audit, ids
from analytics_box.base.acting import By
from analytics_box.base.cache import BoundedCache
from analytics_box.base.clock import SECOND, Clock
from analytics_box.base.errors import BadRequest, Conflict, ErrorDetail, RateLimited
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.base.store.seal import Seal, SealBroken
from analytics_box.base.translation import _
from analytics_box.tenants.accounts import rules


class SecondFactor(Struct, frozen=True):
    """A user's second factor. `secret` is sealed; `step` is the latest one whose code was used. Times are UTC ms."""

    user_id: str
    secret: bytes
    step: int
    created_at: int
    confirmed_at: int | None


def find(db: Connection, user_id: str) -> SecondFactor | None:
    """A user's second factor, confirmed or not."""
    return records.one_of(
        db,
        SecondFactor,
        """
        -- second_factor.find
        select user_id, secret, step, created_at, confirmed_at from second_factors where user_id = ?
        """,
        (user_id,),
    )


def replace_row(db: Connection, found: SecondFactor) -> None:
    db.execute(
        """
        -- second_factor.replace
        insert into second_factors (user_id, secret, step, created_at, confirmed_at) values (?, ?, ?, ?, ?)
        on conflict (user_id) do update
        set secret = excluded.secret, step = excluded.step, created_at = excluded.created_at,
            confirmed_at = excluded.confirmed_at
        """,
        (found.user_id, found.secret, found.step, found.created_at, found.confirmed_at),
    )


def delete(db: Connection, user_id: str) -> None:
    """Forget a user's second factor and recovery codes."""
    db.execute("-- second_factor.delete\ndelete from recovery_codes where user_id = ?", (user_id,))
    db.execute("-- second_factor.delete\ndelete from second_factors where user_id = ?", (user_id,))


def delete_unconfirmed(db: Connection, *, made_before: int) -> None:
    """Forget secrets that no app has shown a code of."""
    db.execute(
        """
        -- second_factor.delete_unconfirmed
        delete from second_factors where confirmed_at is null and created_at <= ?
        """,
        (made_before,),
    )


def replace_codes(db: Connection, user_id: str, digests: Iterable[bytes]) -> None:
    """Replace all recovery codes of a user."""
    db.execute("-- second_factor.replace_codes\ndelete from recovery_codes where user_id = ?", (user_id,))
    for digest in digests:
        db.execute(
            "-- second_factor.replace_codes\ninsert into recovery_codes (digest, user_id) values (?, ?)",
            (digest, user_id),
        )


def use_code(db: Connection, user_id: str, digest: bytes, now: int) -> bool:
    """Use up a recovery code; False where it is not one of the user's, or was used before."""
    found = db.execute(
        """
        -- second_factor.use_code
        update recovery_codes set used_at = ? where digest = ? and user_id = ? and used_at is null returning 1
        """,
        (now, digest, user_id),
    ).fetchone()
    return found is not None


def codes_left(db: Connection, user_id: str) -> int:
    """The number of unused recovery codes."""
    found = db.execute(
        "-- second_factor.codes_left\nselect count(*) from recovery_codes where user_id = ? and used_at is null",
        (user_id,),
    ).fetchone()
    return int(str(found[0])) if found is not None else 0


STEP = 30 * SECOND
DIGITS = 6
SECRET_BYTES = 20  # 160 bits (RFC 4226, 4)
WINDOW = 1  # steps before and after now whose codes are taken (RFC 6238, 5.2)


def code_at(secret: bytes, step: int, digits: int = DIGITS) -> str:
    """The code of the step with this number (RFC 4226, 5.3)."""
    mac = hmac.digest(secret, step.to_bytes(8, "big"), "sha1")
    offset = mac[-1] & 0x0F
    number = int.from_bytes(mac[offset : offset + 4], "big") & 0x7FFF_FFFF
    return str(number % 10**digits).zfill(digits)


def matching_step(secret: bytes, given: str, *, now: int, used: int) -> int | None:
    """The step that a code belongs to; None for a wrong one and for steps up to `used`. `now` is UTC ms."""
    given = "".join(given.split())
    if not given.isascii() or not given.isdigit() or len(given) != DIGITS:
        return None
    middle = now // STEP
    matching = [
        step
        for step in range(middle - WINDOW, middle + WINDOW + 1)
        if hmac.compare_digest(code_at(secret, step), given) and step > used
    ]
    return matching[-1] if matching else None


def secret_text(secret: bytes) -> str:
    """A secret as authenticator apps take it, in groups of four."""
    text = b32encode(secret).decode()
    return " ".join(text[at : at + 4] for at in range(0, len(text), 4))


def address(secret: bytes, *, account: str, issuer: str) -> str:
    """The otpauth:// address that a QR code holds."""
    fields = {"secret": b32encode(secret).decode(), "issuer": issuer, "digits": DIGITS, "period": STEP // SECOND}
    return f"otpauth://totp/{quote(issuer)}:{quote(account)}?{urlencode(fields, quote_via=quote)}"


log = logging.getLogger(__name__)

RECOVERY_CODES = 10
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # nothing that looks like something else
_GROUPS, _GROUP = 3, 4  # 59 bits


class SecondFactorState(Struct, frozen=True):
    """The second factor on the security page."""

    on: bool
    codes_left: int


class Owner(Struct, frozen=True):
    """The owner of the second factor, and the actor for the audit log."""

    user_id: str
    organization_id: str | None
    by: By


def state(db: Connection, user_id: str) -> SecondFactorState:
    """Whether the second factor is asked for at sign-in, and how many recovery codes are left."""
    found = find(db, user_id)
    return SecondFactorState(found is not None and found.confirmed_at is not None, codes_left(db, user_id))


def begin(db: Connection, seal: Seal, user_id: str, now: int) -> None:
    """Make a secret, which counts only once a code has shown that an app has it. Raises Conflict if one counts."""
    found = find(db, user_id)
    if found is not None and found.confirmed_at is not None:
        raise Conflict(_("The second factor is already enabled"))
    sealed = seal.seal(secrets.token_bytes(SECRET_BYTES), owner=user_id)
    replace_row(db, SecondFactor(user_id, sealed, 0, now, None))


def waiting_secret(db: Connection, seal: Seal, user_id: str) -> bytes | None:
    """The secret that waits for its first code."""
    found = find(db, user_id)
    if found is None or found.confirmed_at is not None:
        return None
    return seal.open(found.secret, owner=user_id)


def confirm(db: Connection, seal: Seal, owner: Owner, code: str) -> tuple[str, ...]:
    """Turn the second factor on; the recovery codes, to be shown this once. Raises BadRequest or Conflict."""
    found = find(db, owner.user_id)
    if found is None or found.confirmed_at is not None:
        raise Conflict(_("There is no second factor to confirm"))
    step = matching_step(seal.open(found.secret, owner=owner.user_id), code, now=owner.by.now, used=found.step)
    if step is None:
        raise BadRequest(_("Wrong code"), details=(ErrorDetail("code", _("Incorrect code. Enter the latest one")),))
    replace_row(db, replace(found, step=step, confirmed_at=owner.by.now))
    audit.record(db, owner.by, owner.organization_id, "created", "second factor", owner.user_id)
    return _new_codes(db, owner.user_id)


def check(db: Connection, seal: Seal, user_id: str, given: str, now: int) -> bool:
    """Whether a code of the app or a recovery code is good; it is used up by that."""
    found = find(db, user_id)
    if found is None or found.confirmed_at is None:
        return False
    try:
        step = matching_step(seal.open(found.secret, owner=user_id), given, now=now, used=found.step)
    except SealBroken as broken:
        log.error("Authenticator codes cannot be checked: %s", broken)
        step = None  # a recovery code still works
    if step is not None:
        db.execute("-- second_factor.use_step\nupdate second_factors set step = ? where user_id = ?", (step, user_id))
        return True
    return use_code(db, user_id, _digest(user_id, given), now)


def renew_codes(db: Connection, owner: Owner) -> tuple[str, ...]:
    """New recovery codes, to be shown this once; the old ones stop working. Raises Conflict without a second factor."""
    if not state(db, owner.user_id).on:
        raise Conflict(_("Enable the second factor first"))
    audit.record(db, owner.by, owner.organization_id, "rotated", "recovery codes", owner.user_id)
    return _new_codes(db, owner.user_id)


def remove(db: Connection, owner: Owner) -> None:
    """Turn the second factor off."""
    if find(db, owner.user_id) is not None:
        delete(db, owner.user_id)
        audit.record(db, owner.by, owner.organization_id, "deleted", "second factor", owner.user_id)


def _new_codes(db: Connection, user_id: str) -> tuple[str, ...]:
    codes = tuple(
        "-".join("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(_GROUPS))
        for _ in range(RECOVERY_CODES)
    )
    replace_codes(db, user_id, [_digest(user_id, code) for code in codes])
    return codes


def _digest(user_id: str, code: str) -> bytes:
    """A recovery code as it is kept. Case, blanks and hyphens do not matter."""
    return ids.digest(f"{user_id} {''.join(code.lower().replace('-', ' ').split())}")


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
