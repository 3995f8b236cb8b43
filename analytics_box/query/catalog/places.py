"""Countries by their English names."""

from functools import lru_cache

from analytics_box.ingest import geo


def code_of(country: str) -> str:
    """The ISO 3166 code of a country; empty for an unknown one."""
    return _codes().get(country, "")


@lru_cache(maxsize=1)
def _codes() -> dict[str, str]:
    return {name: code for code, name in geo.names().items()}
