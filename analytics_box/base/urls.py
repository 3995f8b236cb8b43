"""The parts of URLs that other people wrote. Pure."""

from typing import Final
from urllib.parse import SplitResult, urlsplit

_NONE: Final = SplitResult("", "", "", "", "")


def url_parts(text: str) -> SplitResult:
    """The parts of a URL; all of them empty for what is none, such as `http://[::1`. Only `port` may still raise."""
    try:
        return urlsplit(text)
    except ValueError:
        return _NONE
