"""Countries by their English names."""

from functools import lru_cache

from analytics_box.query.catalog.values import SortableValue
from analytics_box.query.plan import DerivedKey
from analytics_box.web.recognition import countries


def country_code() -> SortableValue:
    """The ISO 3166 code of a country; empty for an unknown one."""
    return SortableValue(lambda row: _codes().get(row["country"], ""), DerivedKey("coded", ("country",), _codes))


@lru_cache(maxsize=1)
def _codes() -> dict[str, str]:
    return {name: code for code, name in countries.names().items()}
