"""English names for the codes in facts, filters and rules."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from analytics_box.web.recognition import language
from analytics_box.web.recognition.countries import name_of, names


def country(text: str) -> str:
    """The name of the country that is called so, by its name in any case or its ISO 3166 code; else the text."""
    return name_of(text) or _by_name().get(text.casefold(), text)


@lru_cache(maxsize=1)
def _by_name() -> dict[str, str]:
    return {name.casefold(): name for name in names().values()}


_NAMES: Final[Mapping[str, Callable[[str], str]]] = {
    "country": lambda value: name_of(value) or value,
    "language": language.language_name,
}


def display_name(field: str, value: str) -> str:
    """A value of a field by its English name: a country by its ISO 3166 code, a language by its tag; any other as it
    is."""
    name = _NAMES.get(field)
    return name(value) if name is not None else value
