"""Files for browsers: the tracker under its names, its parts, and /static; a hash of the contents is in the address."""

import mimetypes
from pathlib import Path, PurePosixPath
from typing import Any

from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec import Struct

from analytics_box import errors
from analytics_box.http.call import Parts
from analytics_box.http.compression import best, packed
from analytics_box.http.page.joined import made, tag

_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_TEXTS = ("text/", "image/svg+xml", "application/json")
_TINY = 300  # bytes
_FOR_EVER = "public, max-age=31536000, immutable"
_FOR_AN_HOUR = "public, max-age=3600"


class File(Struct, frozen=True):
    """A file as it is served."""

    content: bytes
    type: str
    tag: str  # start of its SHA-256

    @property
    def shrinks(self) -> bool:
        """Whether compressing it is worth the while: it is text, and not tiny."""
        return len(self.content) > _TINY and self.type.startswith(_TEXTS)


class Assets(Struct, frozen=True):
    """All files below web/static and those joined from them, read once at start."""

    files: dict[str, File]
    parts_tag: str  # of all parts of the tracker together

    def url(self, name: str) -> str:
        """Where a page finds this file; a new content has a new address. Raises KeyError for an unknown one."""
        return f"/static/{name}?v={self.files[name].tag}"


def load(folder: Path) -> Assets:
    """Read every file of a folder."""
    found = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }
    parts = b"".join(content for name, content in found.items() if name.startswith("tracker/parts/"))
    return Assets({name: _file(name, content) for name, content in made(found).items()}, tag(parts))


def _file(name: str, content: bytes) -> File:
    kind = _TYPES.get(PurePosixPath(name).suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    return File(content, kind, tag(content))


async def static(
    request: Request[Any, Any, Any], file: FromPath[str], parts: NamedDependency[Parts]
) -> Response[bytes]:
    """A file of web/static; with its hash in the address it never changes."""
    found = parts[Assets].files.get(file.lstrip("/"))
    if found is None:
        raise errors.NotFound("There is no such file")
    return _serve(request, found, _lifetime(request, found.tag))


async def tracker(request: Request[Any, Any, Any], parts: NamedDependency[Parts]) -> Response[bytes]:
    """The script that pages load; any site may."""
    return _serve(request, parts[Assets].files["tracker/script.js"], _FOR_AN_HOUR, everywhere=True)


async def tracker_to_read(request: Request[Any, Any, Any], parts: NamedDependency[Parts]) -> Response[bytes]:
    """The script as it was written, which says in the console what it does (wire 5.1)."""
    return _serve(request, parts[Assets].files["tracker/debug.js"], _FOR_AN_HOUR, everywhere=True)


async def tracker_parts(request: Request[Any, Any, Any], parts: NamedDependency[Parts]) -> Response[bytes]:
    """What the script loads when a page asks for more than it can do; it loads the single parts."""
    return _serve(request, parts[Assets].files["tracker/parts.js"], _FOR_AN_HOUR, everywhere=True)


async def tracker_part(
    request: Request[Any, Any, Any], part: FromPath[str], parts: NamedDependency[Parts]
) -> Response[bytes]:
    """One part of the tracker. An older script may name an older hash: it gets today's part, for an hour."""
    assets = parts[Assets]
    found = assets.files.get(f"tracker/parts/{part}")
    if found is None:
        raise errors.NotFound("The tracker has no such part")
    return _serve(request, found, _lifetime(request, assets.parts_tag), everywhere=True)


async def favicon(request: Request[Any, Any, Any], parts: NamedDependency[Parts]) -> Response[bytes]:
    """The icon that browsers ask for on their own."""
    return _serve(request, parts[Assets].files["favicon.svg"], _FOR_AN_HOUR)


def _lifetime(request: Request[Any, Any, Any], version: str) -> str:
    return _FOR_EVER if request.query_params.get("v") == version else _FOR_AN_HOUR


def _serve(request: Request[Any, Any, Any], file: File, cache: str, *, everywhere: bool = False) -> Response[bytes]:
    coding = best(request.headers.get("accept-encoding", "")) if file.shrinks else ""
    headers = {"cache-control": cache, "etag": f'"{file.tag}{coding}"', "vary": "accept-encoding"}
    if everywhere:
        headers |= {"access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin"}
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(b"", status_code=304, headers=headers)
    if not coding:
        return Response(file.content, media_type=file.type, headers=headers)
    return Response(packed(file.content, coding), media_type=file.type, headers={**headers, "content-encoding": coding})
