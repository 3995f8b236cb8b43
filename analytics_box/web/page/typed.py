"""Completion of values that people type into fields. Pure."""

import re
from typing import Final

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
