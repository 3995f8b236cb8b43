"""Text in XML. Pure."""

import re
from typing import Final

_NO_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def clean(text: str) -> str:
    """Text without the characters that XML does not have."""
    return _NO_XML.sub("", text)
