"""Files of web/static as pages load them. Pure.

What all pages of a kind need is one file without comments: that is fewer bytes, and fewer requests. A module that
another one loads is named there with its hash, so that a browser keeps it for ever, and has it once.
"""

import hashlib
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

JOINED: Final[dict[str, tuple[str, ...]]] = {
    "base.css": ("app.css", "forms.css", "palette.css"),
    "figures.css": (
        *("widths.css", "vendor/uPlot.min.css", "overview.css"),
        *("filters.css", "shades.css", "notes.css"),
    ),
    "js/base.js": (
        *("js/keys.js", "js/menus.js", "js/theme.js", "js/palette_opener.js", "js/late.js"),
        "js/typed_early.js",
    ),
    "js/figures.js": (
        *("js/late_parts.js", "js/swaps.js", "js/tabs.js", "js/live.js", "js/drawn.js"),
        *("js/copy.js", "js/zone.js", "js/tips.js", "js/print.js", "js/week.js"),
        *("js/chart_look.js", "js/chart.js", "js/chart_flags.js"),
    ),
}
_COMMENT: Final = {".css": re.compile(rb"/\*.*?\*/\n?", re.DOTALL), ".js": re.compile(rb"^ *//.*\n", re.MULTILINE)}
_IMPORT: Final = re.compile(rb'^import \{ (.+) \} from "(.+)";\n', re.MULTILINE)
_MODULE: Final = re.compile(rb'(?:from |import\()"\./([a-z_]+\.js)(?=")')
_FOLDER: Final = "js"  # whose modules name each other as ./name.js
_OWN: Final = (_FOLDER, "")  # folders of what is written here; the others are as they came


def join_files(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files to serve from a folder's files. Raises KeyError if a file that another one needs is missing."""
    return _with_hashes(_with_joined({name: _without_comments(name, content) for name, content in files.items()}))


def _without_comments(name: str, content: bytes) -> bytes:
    folder, _, file = name.rpartition("/")
    comment = _COMMENT.get(PurePosixPath(file).suffix)
    return content if comment is None or folder not in _OWN else comment.sub(b"", content)


def _with_joined(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files, and beside them those that are made of several."""
    return {**files, **{name: _join(name, [files[part] for part in parts]) for name, parts in JOINED.items()}}


def _join(name: str, parts: list[bytes]) -> bytes:
    """Style sheets one after the other; modules each in a block of its own, with all that they import before them."""
    if not name.endswith(".js"):
        return b"\n".join(parts)
    return _imports(parts) + b"".join(b"{\n%s}\n" % _IMPORT.sub(b"", part) for part in parts)


def _imports(parts: list[bytes]) -> bytes:
    """The imports of modules, each name once: a file that imports a name twice is invalid."""
    names: dict[bytes, dict[bytes, None]] = {}
    for given, module in (found for part in parts for found in _IMPORT.findall(part)):
        names.setdefault(module, {}).update(dict.fromkeys(given.split(b", ")))
    return b"".join(b'import { %s } from "%s";\n' % (b", ".join(given), module) for module, given in names.items())


def _with_hashes(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files, with `?v=` and its tag behind the name of each module that one of them loads."""
    done: dict[str, bytes] = {}

    def named(name: str) -> bytes:
        if name not in done:
            done[name] = _MODULE.sub(lambda found: found[0] + b"?v=" + tag(named(_path(found))).encode(), files[name])
        return done[name]

    return {name: named(name) if name.startswith(f"{_FOLDER}/") else content for name, content in files.items()}


def _path(found: re.Match[bytes]) -> str:
    return f"{_FOLDER}/{found[1].decode()}"


def tag(content: bytes) -> str:
    """The start of its SHA-256, which is in its address."""
    return hashlib.sha256(content).hexdigest()[:12]
