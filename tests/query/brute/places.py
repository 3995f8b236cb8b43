"""Places (wire 1.6)."""

from analytics_box.web.recognition import countries
from tests.query.brute.facts import Row
from tests.query.brute.tables import Table, answers, standard

_CODES = {name: code for code, name in countries.names().items()}


def place(country: str) -> Row:
    """A country by its code and its name."""
    return {"country_code": _CODES.get(country, ""), "country_name": country}


def _within(name: str) -> Table:
    return standard(name, "country", more=lambda key: {"country": key[1], **place(key[1])})


ANSWERS = answers(
    {
        "country": standard("country", more=lambda key: place(key[0])),
        "region": _within("region"),
        "city": _within("city"),
    }
)
