"""Amounts of money: integers in the minor unit of their currency, such as cents, and never floats (ISO 4217)."""

from decimal import Decimal, InvalidOperation

from analytics_box.base.figures import MINUS, NBSP

USUAL_PLACES = 2
_WITHOUT_CENTS = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
_WITH_THOUSANDTHS = "BHD IQD JOD KWD LYD OMR TND"
# Decimal places of currencies that have another number of them than two.
_EXPONENTS = {
    **dict.fromkeys(_WITHOUT_CENTS.split(), 0),
    **dict.fromkeys(_WITH_THOUSANDTHS.split(), 3),
    "CLF": 4,
    "UYW": 4,
}
_WITH_CENTS = """
AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY
COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HRK HTG HUF IDR ILS
INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD
NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP
SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG ZWL
"""
# The decimal places of each currency, by its code.
CURRENCIES = {**dict.fromkeys(_WITH_CENTS.split(), USUAL_PLACES), **_EXPONENTS}
MOST_PLACES = 4
# The largest amount in minor units. The sum of nine thousand of them still fits into 64 bits.
LARGEST = 10**15
_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹", "KRW": "₩", "BRL": "R$"}


class AmountError(ValueError):
    """Raised for a text that is no amount of a currency."""


def places_of(currency: str) -> int:
    """The decimal places of a currency."""
    return CURRENCIES.get(currency, USUAL_PLACES)


def major(amount: int, currency: str) -> Decimal:
    """An amount of minor units in the currency's main unit, with all of its decimal places: 1230 cents are 12.30."""
    places = places_of(currency)
    return Decimal(amount).scaleb(-places)


def minor(text: str, currency: str) -> int:
    """The minor units of an amount that is written as a decimal number. Raises AmountError for a text that is no
    number, has more decimal places than the currency, or is too large."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise AmountError(text) from None
    if not value.is_finite() or abs(value) > LARGEST:
        raise AmountError(text)
    shifted = value.scaleb(places_of(currency))
    whole = int(shifted)
    if whole != shifted or abs(whole) > LARGEST:
        raise AmountError(text)
    return whole


def amount_text(amount: int | Decimal, currency: str) -> str:
    """An amount as pages show it: $1,230.50, −€3.00, 1,230 SEK. An integer is in minor units."""
    value = major(amount, currency) if isinstance(amount, int) else amount
    number = f"{abs(value):,.{places_of(currency)}f}"
    before, after = marks_of(currency)
    return f"{MINUS if value < 0 else ''}{before}{number}{after}"


def marks_of(currency: str) -> tuple[str, str]:
    """The text before and after a number that makes it an amount of the currency: a symbol, or the code of others."""
    symbol = _SYMBOLS.get(currency, "")
    if symbol:
        return symbol, ""
    return "", f"{NBSP}{currency}" if currency else ""
