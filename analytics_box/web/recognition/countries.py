"""English names of countries."""

import json
from functools import lru_cache
from importlib import resources

_FILE = resources.files("analytics_box.web.recognition").joinpath("data/countries.json")


@lru_cache(maxsize=1)
def names() -> dict[str, str]:
    """English names of countries by their ISO 3166 code."""
    return dict(json.loads(_FILE.read_text("utf-8")))


def name_of(code: str) -> str:
    """The country's English name; empty for what is no code of a country."""
    return names().get(code.upper(), "")


def find(given: str) -> tuple[str, str]:
    """The code and the English name of a country, from either of them; without a code for an unknown name."""
    name = name_of(given)
    if name:
        return given.upper(), name
    return next((code for code, known in names().items() if known.lower() == given.lower()), ""), given


def proper_name(name: str) -> str:
    """The English name of the country with this name in any case; empty if there is none."""
    return _proper_names().get(name.lower(), "")


@lru_cache(maxsize=1)
def _proper_names() -> dict[str, str]:
    return {name.lower(): name for name in names().values()}
