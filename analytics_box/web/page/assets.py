"""Files for browsers: the tracker under its names, its parts, and /static; a hash of the contents is in the address."""

import hashlib
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.translation import _
from analytics_box.web.asgi import Scope
from analytics_box.web.call import Parts
from analytics_box.web.compression import best, compress_file
from analytics_box.web.plain import Plain

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
            done[name] = _MODULE.sub(
                lambda found: found[0] + b"?v=" + tag(named(f"{_FOLDER}/{found[1].decode()}")).encode(), files[name]
            )
        return done[name]

    return {name: named(name) if name.startswith(f"{_FOLDER}/") else content for name, content in files.items()}


def tag(content: bytes) -> str:
    """The start of its SHA-256, which is in its address."""
    return hashlib.sha256(content).hexdigest()[:12]


_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".txt": "text/plain"}
_TEXTS = ("text/", "image/svg+xml", "application/json")
_TINY = 300  # bytes


class StaticFile(Struct, frozen=True):
    """A file as it is served."""

    content: bytes
    type: str
    tag: str  # start of its SHA-256

    @property
    def shrinks(self) -> bool:
        """Whether compressing it is worth the while: it is text, and not tiny."""
        return len(self.content) > _TINY and self.type.startswith(_TEXTS)


class Assets:
    """All files below a folder and those joined from them, read when one of them is first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def files(self) -> dict[str, StaticFile]:
        """The files by their path in the folder."""
        return {name: _file(name, content) for name, content in join_files(self._read).items()}

    @cached_property
    def parts_tag(self) -> str:
        """The tag of all parts of the tracker together."""
        return tag(b"".join(content for name, content in self._read.items() if name.startswith("tracker/parts/")))

    def url(self, name: str) -> str:
        """The address of this file for pages; it changes with the content. Raises KeyError for an unknown name."""
        return f"/static/{name}?v={self.files[name].tag}"

    @property
    def _read(self) -> dict[str, bytes]:
        return {
            path.relative_to(self._folder).as_posix(): path.read_bytes()
            for path in sorted(self._folder.rglob("*"))
            if path.is_file() and not path.name.startswith(".")
        }


def _file(name: str, content: bytes) -> StaticFile:
    kind = _TYPES.get(PurePosixPath(name).suffix, "application/octet-stream")
    return StaticFile(content, kind, tag(content))


_FOR_EVER = "public, max-age=31536000, immutable"
_FOR_AN_HOUR = "public, max-age=3600"


def static(scope: Scope, parts: Parts) -> Plain:
    """A file of web/static; with its hash in the address it never changes."""
    found = parts[Assets].files.get(scope["rest"])
    if found is None:
        raise errors.NotFound(_("This file does not exist"))
    return _serve(scope, found, _lifetime(scope, found.tag))


def tracker(scope: Scope, parts: Parts) -> Plain:
    """The script that pages load; any site may."""
    return _serve(scope, parts[Assets].files["tracker/script.js"], _FOR_AN_HOUR, everywhere=True)


def tracker_to_read(scope: Scope, parts: Parts) -> Plain:
    """The script as it was written, which says in the console what it does (wire 5.1)."""
    return _serve(scope, parts[Assets].files["tracker/debug.js"], _FOR_AN_HOUR, everywhere=True)


def tracker_parts(scope: Scope, parts: Parts) -> Plain:
    """The part of the script that loads other parts, if a page asks for more than the script can do."""
    return _serve(scope, parts[Assets].files["tracker/parts.js"], _FOR_AN_HOUR, everywhere=True)


def tracker_part(scope: Scope, parts: Parts) -> Plain:
    """A part of the tracker. An older script may name an older hash: it gets today's part, for an hour."""
    assets = parts[Assets]
    found = assets.files.get(f"tracker/parts/{scope['rest']}")
    if found is None:
        raise errors.NotFound(_("This part of the script does not exist"))
    return _serve(scope, found, _lifetime(scope, assets.parts_tag), everywhere=True)


def favicon(scope: Scope, parts: Parts) -> Plain:
    """The icon that browsers ask for on their own."""
    return _serve(scope, parts[Assets].files["favicon.svg"], _FOR_AN_HOUR)


def _lifetime(scope: Scope, version: str) -> str:
    return _FOR_EVER if scope["query_string"] == b"v=" + version.encode() else _FOR_AN_HOUR


def _serve(scope: Scope, file: StaticFile, cache: str, *, everywhere: bool = False) -> Plain:
    asked = dict(scope["headers"])
    coding = best(asked.get(b"accept-encoding", b"").decode("latin-1")) if file.shrinks else ""
    headers = {"cache-control": cache, "etag": f'"{file.tag}{coding}"', "vary": "accept-encoding"}
    if everywhere:
        headers |= {"access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin"}
    if asked.get(b"if-none-match", b"").decode("latin-1") == headers["etag"]:
        return Plain(b"", file.type, headers, 304)
    if not coding:
        return Plain(file.content, file.type, headers)
    return Plain(compress_file(file.content, coding), file.type, {**headers, "content-encoding": coding})
