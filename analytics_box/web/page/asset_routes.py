"""Files for browsers: the tracker under its names, its parts, and /static; a hash of the contents is in the address."""

from analytics_box.base import errors
from analytics_box.web.asgi import Scope
from analytics_box.web.call import Parts
from analytics_box.web.compression import best, compress_file
from analytics_box.web.page.assets import Assets, StaticFile
from analytics_box.web.plain import Plain

_FOR_EVER = "public, max-age=31536000, immutable"
_FOR_AN_HOUR = "public, max-age=3600"


def static(scope: Scope, parts: Parts) -> Plain:
    """A file of web/static; with its hash in the address it never changes."""
    found = parts[Assets].files.get(scope["rest"])
    if found is None:
        raise errors.NotFound("This file does not exist")
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
        raise errors.NotFound("This part of the script does not exist")
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
