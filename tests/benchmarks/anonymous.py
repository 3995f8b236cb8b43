"""The processor time of one request without a credential, for each line of the table of routes and other addresses.

Each address is asked as a browser asks, always with another query, so that no answer is there because the same was
asked a moment before.
"""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec

from analytics_box.app.docs.manual import PAGES
from analytics_box.app.routes import TABLE
from analytics_box.base.settings import Settings
from analytics_box.figures.explorer.families import FAMILIES
from analytics_box.ingest.routes import ADDRESSES
from analytics_box.query.catalog.registry import TYPES
from tests.benchmarks.figures import machine, report
from tests.inprocess import WholeBox, whole_box
from tests.products.status_pages.world import World

MOST_MS = 5.0  # of one request, but for those that hash a password, which are limited
WARM, TIMES = 3, 15
MONITORS = 100  # of the public status page
FORM, JSON = "application/x-www-form-urlencoded", "application/json"
SEARCHES = ("a", "session", "monitor+status+page+alert", "+".join("abcdefgh"), "the+is+of+to+in+and+for+on", "e" * 100)


class RequestKind(NamedTuple):
    """The method, path, body and content type of a request."""

    method: str
    path: str
    body: bytes = b""
    type: str = JSON


def main() -> None:
    """Print the milliseconds of each address, those that take longest first."""
    machine()
    with TemporaryDirectory() as folder, whole_box(Path(folder) / "data", adjust=_unlimited) as box:
        _fill(box)
        figures = sorted(((_measured(box, asked), asked) for asked in _requests(box)), reverse=True)
    for (milliseconds, status, size), asked in figures:
        report(f"{asked.method} {asked.path}", ms=milliseconds, status=status, bytes=size)
    slow = [asked.path for (milliseconds, *_), asked in figures if milliseconds > MOST_MS]
    report("anonymous", addresses=len(figures), slower=len(slow), slow=" ".join(slow))


def _unlimited(settings: Settings) -> Settings:
    names = (name for name in Settings.__struct_fields__ if name.startswith("limit_"))
    return msgspec.structs.replace(settings, **dict.fromkeys(names, 0))


def _fill(box: WholeBox) -> None:
    """A public status page with monitors, and a short link."""
    world = World(box)
    page = world.page()
    for number in range(MONITORS):
        world.good("addMonitor", statusPageId=page, uptimeScheduleId=world.monitor(f"https://s{number}.example.com/"))
    made = box.post("/links/create", {"name": "L", "targetUrl": "https://example.com/", "slug": "load"}, key="all")
    assert made.status == 200, made.body


def _requests(box: WholeBox) -> Iterator[RequestKind]:
    blog = box.sites["blog"]
    for route in TABLE:
        path = re.sub(r"\{.*?\}", "nothing", route.path)
        if route.method in {"POST", "PUT"}:
            yield RequestKind(route.method, path, b"a=b" if route.page else b"{}", FORM if route.page else JSON)
        else:
            yield RequestKind(route.method, path)
    for method, path in ADDRESSES:
        yield RequestKind(
            method, f"{path}?client_id={box.sites['shop']}", b'{"name": "x"}' if method == "POST" else b""
        )
    for words in SEARCHES:
        yield RequestKind("GET", f"/docs/search?q={words}")
    yield from (RequestKind("GET", f"/docs/{name}") for name in PAGES)
    yield from (RequestKind("GET", f"/docs/query-types/{family.slug}") for family in FAMILIES)
    groups = re.findall(r"/docs/api/([a-z0-9-]+)", box.get("/docs/api", accept="text/html").body.decode())
    yield from (RequestKind("GET", f"/docs/api/{group}") for group in sorted(set(groups)))
    yield from (RequestKind("GET", path) for path in ("/l/load", "/l/none", "/status/shop", "/status/none", "/none"))
    yield from (
        RequestKind("GET", f"/status/shop{path}") for path in ("/feed.atom", "/history", "/api/v2/summary.json")
    )
    yield from (
        RequestKind(
            "POST", f"/v1/query?website_id={blog}", msgspec.json.encode({"parameters": [kind], "preset": "last_30d"})
        )
        for kind in TYPES
        if TYPES[kind].public
    )
    yield RequestKind("POST", "/websites/getPublicSummary", msgspec.json.encode({"id": blog}))
    yield RequestKind("POST", "/statusPage/getBySlug", b'{"slug": "shop"}')
    yield RequestKind("POST", "/sign-in", b"email=ada%40example.com&password=wrong+and+long+enough", FORM)


def _measured(box: WholeBox, asked: RequestKind) -> tuple[float, int, int]:
    """Milliseconds of a request, its status and the bytes of its answer."""
    headers = {"accept": "text/html", "accept_encoding": "gzip, br", "content_type": asked.type}
    joint = "&" if "?" in asked.path else "?"

    def ask(number: int) -> tuple[int, int]:
        target = f"{asked.path}{joint}n={number}" if "search?q" not in asked.path else f"{asked.path}+{number}"
        answer = box.ask(asked.method, target, headers=headers, body=asked.body, address=f"203.0.{number}.7")
        return answer.status, len(answer.body)

    for number in range(WARM):
        ask(number)
    began = time.process_time()
    for number in range(WARM, WARM + TIMES):
        status, size = ask(number)
    return (time.process_time() - began) * 1000 / TIMES, status, size
