"""Currency rates of an organization: their rows in box.db, and the conversion of sums into one currency.

Rates are decimal numbers, stored as text, and conversion is exact: a rate or a sum is never a float.
"""

import csv
import datetime
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Annotated, Final

from msgspec import Meta, Struct

from analytics_box.base import audit
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest, Conflict, NotFound
from analytics_box.base.money import CURRENCIES, places_of
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _

# The most rates of an organization.
MOST_RATES: Final = 10_000
# The most rates of one request or pasted list.
MOST_AT_ONCE: Final = 1_000
_RATE: Final = re.compile(r"\d{1,12}(\.\d{1,12})?", re.ASCII)
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_HEAD: Final = ["date", "currency", "rate"]


class CurrencyRate(Struct, frozen=True):
    """The price of one unit of `currency` in `target`, from a day (ISO 8601) until a later rate."""

    currency: str
    target: str
    day: str
    rate: str


class GivenRate(Struct, frozen=True, forbid_unknown_fields=True):
    """A rate from a day on: one unit of `currency` in the target currency, as a decimal number in a text."""

    date: datetime.date
    currency: Annotated[str, Meta(max_length=10)]
    rate: Annotated[str, Meta(max_length=40)]


def clean_currency(given: str, field: str) -> str:
    """The code of a currency, in capitals. Raises BadRequest about the field."""
    code = given.strip().upper()
    if code not in CURRENCIES:
        raise BadRequest.about(field, _("Enter a currency code such as USD"))
    return code


def clean_rate(target: str, given: GivenRate, place: str = "") -> CurrencyRate:
    """A rate as it is stored, without zeros at its ends. Raises BadRequest about a field behind `place`."""
    currency, rate = clean_currency(given.currency, f"{place}currency"), given.rate.strip()
    if currency == target:
        raise BadRequest.about(f"{place}currency", _("Select two different currencies"))
    if not _RATE.fullmatch(rate) or not Fraction(rate):
        raise BadRequest.about(
            f"{place}rate", _("Enter a positive decimal number with up to 12 decimal places, such as 0.92")
        )
    whole, point, places = rate.partition(".")
    text = f"{whole.lstrip('0') or '0'}{point}{places}"
    return CurrencyRate(currency, target, given.date.isoformat(), text.rstrip("0").rstrip(".") if point else text)


def read_lines(text: str) -> list[GivenRate]:
    """The rates of a pasted list: a line with date, currency and rate for each, after an optional line with these
    names. Raises BadRequest, which names the line."""
    rates: list[GivenRate] = []
    try:
        for number, line in enumerate(csv.reader(text.removeprefix("\ufeff").splitlines(), strict=True), start=1):
            cells = [cell.strip() for cell in line]
            if not any(cells) or (not rates and [cell.lower() for cell in cells] == _HEAD):
                continue
            day = _day(cells[0]) if len(cells) == len(_HEAD) else None
            if day is None:
                raise BadRequest(_("Line {number}: enter date,currency,rate").format(number=number))
            rate = GivenRate(day, cells[1], cells[2])
            try:
                clean_rate("", rate)
            except BadRequest as refused:
                raise BadRequest(_("Line {number}: {error}").format(number=number, error=refused.message)) from refused
            rates.append(rate)
    except csv.Error:
        raise BadRequest(_("Enter a line with date,currency,rate for each rate")) from None
    if not rates:
        raise BadRequest(_("Enter a line with date,currency,rate for each rate"))
    if len(rates) > MOST_AT_ONCE:
        raise BadRequest(_("Enter up to {most} rates at a time").format(most=MOST_AT_ONCE))
    return rates


def _day(text: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        return None


def store_rates(db: Connection, by: By, organization_id: str, rates: Sequence[CurrencyRate]) -> int:
    """Store rates, each in place of the one of the same day; the number of those that changed. Raises Conflict."""
    statement = """
        -- currency_rates.put
        insert into currency_rates (organization_id, currency, target, day, rate) values (?, ?, ?, ?, ?)
        on conflict do update set rate = excluded.rate where rate <> excluded.rate
    """
    before = db.total_changes()
    db.executemany(statement, [(organization_id, one.currency, one.target, one.day, one.rate) for one in rates])
    changed = db.total_changes() - before
    count = "-- currency_rates.count\nselect count(*) > ? from currency_rates where organization_id = ?"
    if db.execute(count, (MOST_RATES, organization_id)).fetchall() == [(1,)]:
        raise Conflict.full(
            "rates",
            MOST_RATES,
            _("An organization can have up to {most} currency rates").format(most=f"{MOST_RATES:,}"),
        )
    if changed:
        days = sorted(one.day for one in rates)
        detail = {"target": rates[0].target, "currencies": sorted({one.currency for one in rates}), "rates": changed}
        audit.record(
            db,
            by,
            organization_id,
            "updated",
            "currency rates",
            organization_id,
            detail | {"firstDay": days[0], "lastDay": days[-1]},
        )
    return changed


def delete_rate(db: Connection, by: By, organization_id: str, currency: str, target: str, day: str) -> None:
    """Delete a rate. Raises NotFound."""
    key = (organization_id, currency, target, day)
    db.execute(
        "-- currency_rates.delete\n"
        "delete from currency_rates where organization_id = ? and currency = ? and target = ? and day = ?",
        key,
    )
    if not db.changes():
        raise NotFound(_("There is no rate of this currency and day"))
    detail = {"target": target, "currencies": [currency], "rates": 1, "firstDay": day, "lastDay": day}
    audit.record(db, by, organization_id, "deleted", "currency rates", organization_id, detail)


def listed_rates(
    db: Connection, organization_id: str, *, target: str = "", currency: str = "", most: int = MOST_RATES, skip: int = 0
) -> list[CurrencyRate]:
    """Rates of an organization, newest first; of one target or currency if given."""
    statement = """
        -- currency_rates.listed
        select currency, target, day, rate from currency_rates
        where organization_id = :organization and (:target = '' or target = :target)
          and (:currency = '' or currency = :currency)
        order by day desc, currency, target limit :most offset :skip
    """
    chosen = {"organization": organization_id, "target": target, "currency": currency, "most": most, "skip": skip}
    return [CurrencyRate(*map(str, row)) for row in db.execute(statement, chosen).fetchall()]


def targets(db: Connection, organization_id: str) -> list[str]:
    """The currencies into which an organization has rates, by their codes."""
    statement = "-- currency_rates.targets\nselect distinct target from currency_rates where organization_id = ?"
    return sorted(str(target) for (target,) in db.execute(statement, (organization_id,)).fetchall())


class DatedSum(Struct, frozen=True):
    """The sum of one currency on one day (ISO 8601), in minor units."""

    currency: str
    day: str
    amount: int


class Conversion(Struct, frozen=True):
    """Sums of several currencies as one: `amount` is in minor units of the target.

    `missing` are the sums for which there is no rate; they are not in the amount. `rates` are those that were used.
    """

    amount: int
    missing: tuple[DatedSum, ...]
    rates: tuple[CurrencyRate, ...]


class Converter:
    """Converts into one currency, by the latest rate on or before each day."""

    def __init__(self, target: str, rates: Iterable[CurrencyRate]) -> None:
        self.target: Final = target
        self._rates: dict[str, list[CurrencyRate]] = {}
        for rate in sorted((one for one in rates if one.target == target), key=lambda one: one.day):
            self._rates.setdefault(rate.currency, []).append(rate)

    @classmethod
    def of(cls, db: Connection, organization_id: str, target: str) -> "Converter":
        """The converter with the rates of an organization."""
        return cls(target, listed_rates(db, organization_id, target=target))

    def rate_on(self, currency: str, day: str) -> CurrencyRate | None:
        """The rate of a day; None if no rate is as old."""
        rates = self._rates.get(currency, [])
        index = bisect_right(rates, day, key=lambda one: one.day)
        return rates[index - 1] if index else None

    def convert(self, sums: Iterable[DatedSum]) -> Conversion:
        """Add sums up. The total is rounded once, half away from zero."""
        total, missing, used = Fraction(0), [], {}
        for one in sums:
            rate = None if one.currency == self.target else self.rate_on(one.currency, one.day)
            if one.currency == self.target:
                total += one.amount
            elif rate is not None:
                used[rate.day, rate.currency] = rate
                total += (
                    one.amount
                    * Fraction(rate.rate)
                    * Fraction(10) ** (places_of(self.target) - places_of(one.currency))
                )
            elif one.amount:
                missing.append(one)
        return Conversion(_nearest(total), tuple(missing), tuple(used[key] for key in sorted(used)))


def _nearest(exact: Fraction) -> int:
    """The nearest whole number; a half away from zero."""
    whole = (2 * abs(exact.numerator) + exact.denominator) // (2 * exact.denominator)
    return whole if exact >= 0 else -whole
