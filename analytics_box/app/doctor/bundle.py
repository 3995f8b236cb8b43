"""The bundle: a document per subject, in one .tar.gz.

A subject that cannot be looked at says so by the kind of the error.
"""

import io
import tarfile
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

FOLDER: Final = "analytics-box-doctor"

Section = Callable[[], object]


def gather_sections(sections: Mapping[str, Section]) -> dict[str, Any]:
    """Every section as plain values."""
    return {name: _looked_at(section) for name, section in sections.items()}


def _looked_at(section: Section) -> Any:
    try:
        return msgspec.to_builtins(section())
    except Exception as broken:  # a box in trouble is what it is for
        return {"error": type(broken).__name__}


def pack_bundle(found: Mapping[str, Any], now: int) -> bytes:
    """The bundle as a .tar.gz; `now` is UTC ms."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as bundle:
        for name, values in found.items():
            text = msgspec.json.format(msgspec.json.encode(values), indent=1) + b"\n"
            entry = tarfile.TarInfo(f"{FOLDER}/{name}.json")
            entry.size, entry.mode, entry.mtime = len(text), 0o600, now / 1000
            bundle.addfile(entry, io.BytesIO(text))
    return content.getvalue()
