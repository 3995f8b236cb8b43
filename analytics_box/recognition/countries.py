"""English names of countries."""

import json
from functools import lru_cache
from importlib import resources

_FILE = resources.files("analytics_box.recognition").joinpath("data/countries.json")


@lru_cache(maxsize=1)
def names() -> dict[str, str]:
    """English names of countries by their ISO 3166 code."""
    return dict(json.loads(_FILE.read_text("utf-8")))


def name_of(code: str) -> str:
    """The country's English name; empty for what is no code of a country."""
    return names().get(code.upper(), "")
