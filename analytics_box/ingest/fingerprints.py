"""Fingerprints of JavaScript errors: errors with the same cause get the same one. Pure.

A fingerprint consists of the type, the message without what differs from case to case, and the functions and scripts of
the top stack frames. Lines and columns are left out: they change with each release.
"""

import re
from hashlib import blake2b
from typing import Final

MOST_FRAMES: Final = 3
_SHORTEST_NAME = 3  # of a function: shorter names are those of a minifier, and differ in each release

# Browsers name the property that could not be read or set in quotes. It belongs to the code, not to the data. A quote
# inside a word is an apostrophe.
_QUOTED = re.compile(
    r"(?P<code>\b(?:reading|setting) '[^']{1,200}')|(?<!\w)(?:"
    + "|".join(f"{first}[^{last}]{{1,200}}{last}" for first, last in ("''", '""', "``", "“”"))
    + ")"
)
_URL = re.compile(r"\b(?:https?|wss?|blob|file|data):[^\s'\"`)]+")
_ID = re.compile(r"\b(?=[0-9a-f-]*\d)[0-9a-f]{8}[0-9a-f-]*\b|\b(?=\w*\d)(?=\w*[A-Za-z])\w{16,}\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_HASH = re.compile(r"[._-](?:(?=[a-zA-Z]*\d)[0-9a-zA-Z]{6,}|(?=[A-Z]*[a-z])(?=[a-z]*[A-Z])[a-zA-Z]{8})(?=[._-]|$)")
# A stack frame, as browsers of all kinds write it.
FRAME = re.compile(
    r"^(?:at )?(?:(?P<name>[^@()]*?)(?:@| \())?(?P<script>[^\s()@]+?):(?P<line>\d+)(?::(?P<column>\d+))?\)?$"
)


def fingerprint(kind: str, message: str, filename: str, stack: str) -> str:
    """The fingerprint of an error, 16 hexadecimal digits."""
    frames = top_frames(stack) or (_script(filename),)
    text = "\n".join((kind, normalize_message(message), *frames))
    return blake2b(text.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def normalize_message(message: str) -> str:
    """A message without URLs, quoted values, ids and numbers."""
    message = _URL.sub("<url>", message)
    message = _QUOTED.sub(lambda found: found["code"] or "<text>", message)
    return _NUMBER.sub("<n>", _ID.sub("<id>", message))


def top_frames(stack: str) -> tuple[str, ...]:
    """The functions and scripts of the first frames of a stack, as browsers of all kinds write them."""
    frames: list[str] = []
    for line in stack.splitlines():
        found = FRAME.match(line.strip())
        if found is None:
            continue
        name = (found["name"] or "").removeprefix("async ").removeprefix("new ").strip()
        frames.append(f"{name if len(name) >= _SHORTEST_NAME else ''}@{_script(found['script'])}")
        if len(frames) == MOST_FRAMES:
            break
    return tuple(frames)


def _script(address: str) -> str:
    """The file name of a script without the hash that its content gives it."""
    name = address.partition("?")[0].partition("#")[0].rstrip("/").rpartition("/")[2]
    return _HASH.sub("", name)
