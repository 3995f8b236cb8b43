"""The language that somebody reads, as xx or xx-YY (wire 4.3), and its English name."""

import json
import re
from functools import lru_cache
from importlib.resources import files

from analytics_box.recognition.countries import name_of

# RFC 5646: language, extended language, script, region; what follows tells no more than that here.
_TAG = re.compile(
    r"(?P<language>[a-z]{2,3})(?:-[a-z]{3}){0,3}(?:-[a-z]{4})?(?:-(?P<region>[a-z]{2}))?(?:-[a-z\d]{1,8})*",
    re.IGNORECASE | re.ASCII,
)


@lru_cache(maxsize=2_000)
def language(tag: str) -> str:
    """A tag as browsers and headers write it (`de_DE`, `zh-Hans-CN`, `en;q=0.9`), normalised; empty for nonsense."""
    found = _TAG.fullmatch(tag.partition(";")[0].partition(".")[0].strip().replace("_", "-"))
    if found is None:
        return ""
    region = found["region"]
    return found["language"].lower() + (f"-{region.upper()}" if region else "")


def called(code: str) -> str:
    """The English name of a language as facts have it: German (Austria) for de-AT; the code where there is none."""
    own, _, region = code.partition("-")
    name = _names().get(own)
    if name is None:
        return code
    return f"{name} ({name_of(region) or region})" if region else name


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    data = files("analytics_box.recognition") / "data" / "languages.json"
    return dict(json.loads(data.read_text("utf-8")))
