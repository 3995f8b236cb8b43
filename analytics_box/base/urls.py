"""The parts of URLs that other people wrote. Pure."""

import re
from typing import Final
from urllib.parse import SplitResult, urlsplit

_NONE: Final = SplitResult("", "", "", "", "")


def url_parts(text: str) -> SplitResult:
    """The parts of a URL; all of them empty for what is none, such as `http://[::1`. Only `port` may still raise."""
    try:
        return urlsplit(text)
    except ValueError:
        return _NONE


_HOST_FIRST: Final = re.compile(
    r"""
    (?: [^\s/?\#@:\\.]+ \. )+ [^\W\d_][^\s/?\#@:\\.]* \.?  # example.org, with a last label that begins with a letter
    (?: : [0-9]{1,5} )?
    (?: [/?\#] .* )?
    """,
    re.VERBOSE | re.DOTALL,
)


def web_address(text: str) -> str:
    """A web address in full: example.org/page gets https:// before it. What is none of these stays as it is."""
    text = text.strip()
    return f"https://{text}" if _HOST_FIRST.fullmatch(text) else text
