"""The language that someone reads, as xx or xx-YY (wire 4.3), and its English name."""

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Final

from analytics_box.web.recognition.countries import name_of, names

# RFC 5646: language, extended language, script, region; what follows tells no more than that here.
_TAG = re.compile(
    r"(?P<language>[a-z]{2,3})(?:-[a-z]{3}){0,3}(?:-[a-z]{4})?(?:-(?P<region>[a-z]{2}))?(?:-[a-z\d]{1,8})*",
    re.IGNORECASE | re.ASCII,
)

_WEIGHT = re.compile(r"\s*q\s*=\s*([01](?:\.[0-9]{0,9})?)\s*", re.IGNORECASE | re.ASCII)
_LONGEST: Final = 1_000  # characters of a header that are looked at


@lru_cache(maxsize=2_000)
def language(tag: str) -> str:
    """A tag as browsers and headers write it (`de_DE`, `zh-Hans-CN`, `en;q=0.9`), normalised; empty for nonsense."""
    found = _TAG.fullmatch(tag.partition(";")[0].partition(".")[0].strip().replace("_", "-"))
    if found is None:
        return ""
    region = found["region"]
    return found["language"].lower() + (f"-{region.upper()}" if region else "")


def preferred_language(header: str) -> str:
    """The tag that an Accept-Language header prefers: the first of those with the highest weight (RFC 9110, 12.5.4).

    Tags that stand for any language, or are not wanted, are left out; empty if there is no other.
    """
    first = header.partition(",")[0]
    if ";" not in first and "*" not in first:
        return first.strip()  # as browsers write it; nothing has a higher weight
    return _preferred_tag(header[:_LONGEST])


@lru_cache(maxsize=1_000)
def _preferred_tag(header: str) -> str:
    best, most = "", 0.0
    for part in header.split(","):
        tag, _, parameter = part.partition(";")
        weight = _weight(parameter)
        if weight > most and tag.strip() not in {"", "*"}:
            best, most = tag.strip(), weight
    return best


def _weight(parameter: str) -> float:
    found = _WEIGHT.fullmatch(parameter)
    if found is not None:
        return float(found[1])
    return 0.0 if parameter.strip() else 1.0


def language_name(code: str) -> str:
    """The English name of a language as facts have it: German (Austria) for de-AT; the code where there is none."""
    own, _, region = code.partition("-")
    name = _names().get(own)
    if name is None:
        return code
    return f"{name} ({name_of(region) or region})" if region else name


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    data = files("analytics_box.web.recognition") / "data" / "languages.json"
    return dict(json.loads(data.read_text("utf-8")))


def country(text: str) -> str:
    """The name of the country that is called so, by its name in any case or its ISO 3166 code; else the text."""
    return name_of(text) or _by_name().get(text.casefold(), text)


@lru_cache(maxsize=1)
def _by_name() -> dict[str, str]:
    return {name.casefold(): name for name in names().values()}


_NAMES: Final[Mapping[str, Callable[[str], str]]] = {
    "country": lambda value: name_of(value) or value,
    "language": language_name,
}


def display_name(field: str, value: str) -> str:
    """A value of a field by its English name: a country by its ISO 3166 code, a language by its tag; any other as it
    is."""
    name = _NAMES.get(field)
    return name(value) if name is not None else value
