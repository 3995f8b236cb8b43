"""The result of a check. Pure.

Durations are whole microseconds, so that sums are exact. A value that was not measured is None, never 0 (semantics 22).
"""

from typing import Final, Literal

from msgspec import Struct

Outcome = Literal["pass", "warn", "fail"]
# Why a check failed: those of a request that got no answer (outgoing.failures), else what was wrong with the answer.
Reason = Literal[
    "", "refused", "dns", "connect", "tls", "timeout", "too_large", "bad_answer", "failed", "assertion", "late"
]
OF_THE_NETWORK: Final[frozenset[Reason]] = frozenset(("dns", "connect", "timeout"))  # it may be the box that is cut off


class CheckPhases(Struct, frozen=True):
    """Durations of the phases of a check, in microseconds; None for phases that it does not have or did not reach."""

    dns: int | None = None
    connect: int | None = None
    tls: int | None = None
    first_byte: int | None = None
    transfer: int | None = None


class AssertionResult(Struct, frozen=True):
    """The result of an assertion: its number in the monitor's list, whether it held, and the value that
    was compared."""

    number: int
    held: bool
    seen: str


class CheckResult(Struct, frozen=True, kw_only=True):
    """The result of a check. `at` is its beginning (UTC ms); `error` is a message for people and contains no secret.

    `total` is the time from its beginning to its end without time in a queue. `http_code` is 0 if there was none.
    `certificate_ends` is UTC ms. `data` is JSON text of the values to keep of a JSON answer.
    """

    at: int
    outcome: Outcome
    reason: Reason = ""
    error: str = ""
    total: int | None = None
    ttfb: int | None = None
    phases: CheckPhases = CheckPhases()
    http_code: int = 0
    bytes: int | None = None
    redirects: int = 0
    address: str = ""
    certificate_ends: int | None = None
    certificate_valid: bool | None = None
    held: tuple[AssertionResult, ...] = ()
    data: str | None = None
