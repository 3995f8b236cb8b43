"""Reports of payment providers: payments in one form, whichever provider and event they come from. Pure."""

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

from msgspec import Struct

from analytics_box.base.errors import AuthRequired, BadRequest
from analytics_box.base.facts.event import Lifecycle, PaymentStatus, PaymentType
from analytics_box.base.money import CURRENCIES, LARGEST
from analytics_box.base.translation import _
from analytics_box.web.recognition.paths import clean

# Seconds between the time in a signature and its arrival. Older ones may be replayed.
MOST_SECONDS: Final = 300
_MOST_SIGNATURES: Final = 10
_LONGEST_HEADER: Final = 2_048
# Codes of failed payments whose own words say too little. All others are shown with spaces.
_REASONS: Final[Mapping[str, str]] = {
    "do_not_honor": _("Declined by the bank"),
    "generic_decline": _("Declined without a reason"),
    "declined_not_retryable": _("Declined, cannot be retried"),
    "card_velocity_exceeded": _("Card limit exceeded"),
    "pickup_card": _("Card cannot be used"),
    "pin_try_exceeded": _("Too many incorrect PINs"),
    "incorrect_cvc": _("Incorrect security code"),
    "invalid_cvc": _("Invalid security code"),
    "highest_risk_level": _("Blocked because of high risk"),
    "elevated_risk_level": _("Blocked because of elevated risk"),
    "payment_intent_authentication_failure": _("Authentication failed"),
    "psp_error": _("Error of the payment processor"),
}
_CODE: Final = re.compile("[a-z][a-z0-9_]*")
_LONGEST: Final = 255
_SESSION: Final = ("sessionid",)
_VISITOR: Final = ("anonymousid", "visitorid")
_PERSON: Final = ("profileid", "userid")


class VisitClues(Struct, frozen=True):
    """The ids in a payment's metadata that tell its visit: of a session, of an anonymous visitor, of a person."""

    session: str = ""
    visitor: str = ""
    person: str = ""


class PaymentReport(Struct, frozen=True, kw_only=True):
    """A payment as an event of a provider reports it. `amount` is in minor units, signed as in Payment; `time` is UTC
    ms. `ids` are those of one payment, such as of its intent, its invoice and its charge: another event may know only
    one of them. With `total` the amount is that of all refunds of the payment so far.
    """

    type: PaymentType
    status: PaymentStatus
    currency: str
    amount: int
    time: int
    id: str
    ids: tuple[str, ...] = ()
    customer: str = ""
    subscription: str = ""
    lifecycle: Lifecycle = ""
    product_id: str = ""
    product_name: str = ""
    failure_reason: str = ""
    clues: VisitClues = VisitClues()
    total: bool = False


def check_signature(
    header: str, body: bytes, secret: str, now: int, *, separators: tuple[str, str], names: tuple[str, str]
) -> None:
    """Check a header such as t=1700000000,v1=…: HMAC-SHA256 of the time, a separator and the raw body. `separators` are
    that between the parts and the one in what is signed. Raises BadRequest without a signature, else AuthRequired."""
    between, inside = separators
    parts = [part.strip().partition("=")[::2] for part in header[:_LONGEST_HEADER].split(between)]
    times = [value for name, value in parts if name == names[0]]
    given = [value for name, value in parts if name == names[1]][:_MOST_SIGNATURES]
    if not times or not given:
        raise BadRequest(_("The request has no signature"), reason="WEBHOOK_MISSING_SIGNATURE")
    time = times[0]
    if not (time.isascii() and time.isdigit() and len(time) < 13):
        raise BadRequest(_("The request has no signature"), reason="WEBHOOK_MISSING_SIGNATURE")
    expected = hmac.new(secret.encode(), f"{time}{inside}".encode() + body, hashlib.sha256).hexdigest().encode()
    matches = [hmac.compare_digest(expected, one.encode("utf-8", "replace")) for one in given]
    if not any(matches):
        raise AuthRequired(_("The signature does not match the signing secret"), reason="WEBHOOK_INVALID_SIGNATURE")
    if abs(now // 1000 - int(time)) > MOST_SECONDS:
        raise AuthRequired(_("The signature has expired"), reason="WEBHOOK_INVALID_SIGNATURE")


def wrong(what: str) -> BadRequest:
    """The error of an event that its provider cannot have sent like this."""
    message = _("The event has an invalid {what}").format(what=what)
    return BadRequest(message, reason="WEBHOOK_INVALID_PAYLOAD")


def currency_of(given: object) -> str:
    """A currency that a provider names. Raises BadRequest."""
    code = given.upper() if isinstance(given, str) else ""
    if code not in CURRENCIES:
        raise wrong("currency")
    return code


def amount_of(given: object, currency: str, places: int) -> int:
    """An amount that a provider counts with other decimal places. Raises BadRequest."""
    if isinstance(given, str) and given.removeprefix("-").isdecimal() and given.isascii() and len(given) < 20:
        given = int(given)
    if not isinstance(given, int) or isinstance(given, bool) or abs(given) > LARGEST:
        raise wrong("amount")
    amount = int(Decimal(given).scaleb(CURRENCIES[currency] - places).to_integral_value(ROUND_HALF_UP))
    if abs(amount) > LARGEST:
        raise wrong("amount")
    return amount


def text_of(given: object) -> str:
    """A text or the id of an object, cut to what is kept; empty for anything else."""
    if isinstance(given, Mapping):
        given = given.get("id")
    return clean(given[: 4 * _LONGEST], _LONGEST) if isinstance(given, str) else ""


def inner(given: object, *names: str) -> Any:
    """The value behind these names in nested objects; None if there is none."""
    for name in names:
        given = given.get(name) if isinstance(given, Mapping) else None
    return given


def first_items(given: object, most: int = 100) -> list[Mapping[str, Any]]:
    """The objects in a list, of which only the first ones are looked at."""
    if not isinstance(given, list):
        return []
    return [one for one in given[:most] if isinstance(one, Mapping)]


def clues_of(metadata: Iterable[object], either: str = "") -> VisitClues:
    """The clues in metadata objects, the first of which counts. `either` is an id of a person or a visitor."""
    found: dict[str, str] = {}
    for one in metadata:
        for key, value in one.items() if isinstance(one, Mapping) else ():
            name = key.lower().replace("_", "").replace("-", "").removeprefix("databuddy").removeprefix("analyticsbox")
            if isinstance(value, str) and value:
                found.setdefault(name, text_of(value))
    session, visitor, person = (
        next((found[name] for name in names if name in found), "") for names in (_SESSION, _VISITOR, _PERSON)
    )
    return VisitClues(session, visitor or either, person or either)


def reason_text(reason: str) -> str:
    """The reason of a failed payment in words; a text that is no code stays as the provider writes it."""
    if reason in _REASONS:
        return _REASONS[reason]
    return reason.replace("_", " ").capitalize() if _CODE.fullmatch(reason) else reason
