"""Optional libraries, and how to install one here."""

import sys
from typing import Final, Literal

Extra = Literal["brotli", "zstd", "s3", "clickhouse"]

# By extra, as `pyproject.toml` has them.
LIBRARIES: Final[dict[Extra, str]] = {
    "brotli": "brotli>=1.2,<2",
    "zstd": "backports-zstd>=1.2,<2",
    "s3": "obstore>=0.12,<1",
    "clickhouse": "clickhouse-connect>=1.12,<2",
}


def missing(extra: Extra) -> str:
    """Return what to do about a library that is not installed, in the words for this installation."""
    if getattr(sys, "frozen", False):
        return f"this build of the box does not contain {LIBRARIES[extra].partition('>')[0]}; use one that does"
    return f"run {sys.executable} -m pip install '{LIBRARIES[extra]}' and restart the box"
