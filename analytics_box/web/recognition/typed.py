"""Countries as people type them, converted to codes."""

from functools import lru_cache

from analytics_box.web.recognition.countries import name_of, names


def country(text: str) -> str:
    """The name of the country that is called so, by its name in any case or its ISO 3166 code; else the text."""
    return name_of(text) or _by_name().get(text.casefold(), text)


@lru_cache(maxsize=1)
def _by_name() -> dict[str, str]:
    return {name.casefold(): name for name in names().values()}
