"""Pages as people wait for them: an overview of many events in a browser, a click on a filter of the demo, and what
Lighthouse says of the demo's pages.

The browser has a core of its own, and the server the other one, then both: a page waits while the box works, and the
other way round. Before each look an event arrives, so that no answer is kept from the look before. Lighthouse comes
from npm when it is asked for, unless it is on the path: half a hundred megabytes that nothing else needs.
"""

import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
from playwright.sync_api import Browser, BrowserContext, Page

from tests.benchmarks.figures import machine, percentile, remark, report
from tests.benchmarks.query import prepared
from tests.benchmarks.server import GENERATOR_CORE, LIMITS_OFF, READY_SECONDS, SERVER_CORE, pin, serving
from tests.browser.chromium import EXECUTABLE, launch
from tests.running import BROWSER, EMAIL, PASSWORD, Server, command

LIGHTHOUSE: Final = "lighthouse@12.8.2"
CORES: Final = ((SERVER_CORE,), (SERVER_CORE, GENERATOR_CORE))
RUNS: Final = 9
WAITING: Final = "[aria-busy=true]"  # parts of a page that are still to come
HELD_MS: Final = 80  # that a mouse button is down in a click; most people take a little longer
PANEL: Final = "#panel-countries .bar-link"
CATEGORIES: Final = ("performance", "accessibility", "best-practices")
SITE: Final = "/sites/{site}"
PAGES: Final = {
    "overview": SITE,
    "realtime": f"{SITE}/realtime",
    "goals": f"{SITE}/goals",
    "site settings": f"{SITE}/settings",
    "API explorer": f"{SITE}/queries",
    "details": f"{SITE}/details/pages",
    "websites": "/sites",
    "links": "/links",
    "monitors": "/monitors",
    "flags": "/flags",
    "status pages": "/status-pages",
    "manual": "/docs",
    "a page of the manual": "/docs/dashboard",
    "sign in": "/sign-in",
}
_SIZES: Final = """() => {
  const [page] = performance.getEntriesByType("navigation");
  const all = [page, ...performance.getEntriesByType("resource")];
  return {
    first: page.responseStart - page.requestStart,
    loaded: page.loadEventEnd,
    now: performance.now(),
    kilobytes: all.reduce((sum, one) => sum + one.encodedBodySize, 0) / 1000,
    requests: all.length,
  };
}"""


_CLICK: Final = f"""async (held) => {{
  const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const coming = () => [...document.querySelectorAll("{WAITING}, .swapping")];
  const link = document.querySelector("{PANEL}");
  link.scrollIntoView({{ block: "center" }});
  await drawn();
  if (held) {{
    link.dispatchEvent(new PointerEvent("pointerdown", {{ bubbles: true, pointerType: "mouse" }}));
    await new Promise((done) => setTimeout(done, held));
  }}
  const began = performance.now();
  link.click();
  do await drawn(); while (!location.search.includes("country") || coming().length);
  return performance.now() - began;
}}"""


class Entry(NamedTuple):
    """Who signs in where."""

    url: str
    email: str
    password: str


def main(events: int, days: int, folder: Path | None) -> None:
    """Fill a box and look at its overview; then at all pages of the demo."""
    machine()
    with tempfile.TemporaryDirectory() as temporary:
        data = folder or Path(temporary) / "box"
        account = prepared(data, events, days)
        with serving(data) as server:
            if events >= 1_000_000:
                remark("waiting for the replica")
                server.wait_until_printed("The column replica is ready", seconds=READY_SECONDS)
            with _signed_in(Entry(server.url, EMAIL, PASSWORD)) as context:
                for cores in CORES:
                    pin(server.process.pid, *cores)
                    _time(context, server.url, account.website_id, of=f"{events:,} events", server_cores=len(cores))
        with _demo(Path(temporary)) as demo, _signed_in(demo) as context:
            site = _only_site(context, demo)
            _time(context, demo.url, site, of="the demo", server_cores=1)
            cookie = "; ".join(f"{one['name']}={one['value']}" for one in context.cookies())
            _lighthouse(Path(temporary), demo, site, cookie)


@contextmanager
def _demo(folder: Path) -> Iterator[Entry]:
    """A running demo."""
    server = Server(folder / "demo", LIMITS_OFF, command("demo", "--json"))
    try:
        server.wait_until_printed('"password"', seconds=READY_SECONDS)
        pin(server.process.pid, SERVER_CORE)
        line = next(line for line in server.printed().splitlines() if '"password"' in line)
        given = json.loads(line)
        yield Entry(given["listening"], given["email"], given["password"])
        server.stop()
    finally:
        server.kill()


@contextmanager
def _signed_in(entry: Entry) -> Iterator[BrowserContext]:
    """A browser on a core of its own, signed in. What it waits for is text that pages would not run."""
    ours = os.sched_getaffinity(0)
    if (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, {int(GENERATOR_CORE)})
    try:
        with launch(light=True) as browser, _context(browser) as context:
            _sign_in(context.new_page(), entry)
            yield context
    finally:
        os.sched_setaffinity(0, ours)


def _context(browser: Browser) -> BrowserContext:
    return browser.new_context(viewport={"width": 1280, "height": 900}, bypass_csp=True)


def _sign_in(page: Page, entry: Entry) -> None:
    page.goto(f"{entry.url}/sign-in")
    page.fill("#email", entry.email)
    page.fill("#password", entry.password)
    page.click("form.form button[type=submit]")
    page.wait_for_url("**/sites**")
    page.close()


def _only_site(context: BrowserContext, entry: Entry) -> str:
    """The id of the website that an account has."""
    page = context.new_page()
    page.goto(f"{entry.url}/sites")
    found = re.search(r'href="/sites/(\w{20})"', page.content())
    page.close()
    assert found is not None, "the account has no website"
    return found[1]


def _time(context: BrowserContext, url: str, site: str, **of: str | int) -> None:
    """From nothing to all panels, and a click on a filter; sizes of the first time, before anything is kept."""
    page, overview = context.new_page(), f"{url}/sites/{site}"
    page.goto(overview)
    _settle(page)
    sizes = page.evaluate(_SIZES)
    loads, panels, first = [], [], []
    clicks: dict[int, list[float]] = {0: [], HELD_MS: []}
    for nth, held in enumerate([*clicks] * RUNS):
        page.goto("about:blank")  # a page that is open would fetch itself anew at the same time
        _visit(url, site, nth)
        began = time.monotonic()
        page.goto(overview)
        _settle(page)
        loads.append((time.monotonic() - began) * 1000)
        told = page.evaluate(_SIZES)
        first.append(told["first"])
        panels.append(max(0.0, told["now"] - told["loaded"]))
        clicks[held].append(page.evaluate(_CLICK, held))
    page.close()
    report(
        "overview in a browser",
        **of,
        first_look_kb=sizes["kilobytes"],
        requests=sizes["requests"],
        first_byte_ms=statistics.median(first),
        panels_after_load_ms=statistics.median(panels),
        panels_after_load_p95_ms=percentile(panels, 95),
        all_panels_ms=statistics.median(loads),
        filter_click_ms=statistics.median(clicks[0]),
        filter_click_p95_ms=percentile(clicks[0], 95),
        filter_click_by_mouse_ms=statistics.median(clicks[HELD_MS]),
        filter_click_by_mouse_p95_ms=percentile(clicks[HELD_MS], 95),
        load=os.getloadavg()[0],
    )


def _visit(url: str, site: str, nth: int) -> None:
    """A page view that makes all answers old."""
    view = {"name": "screen_view", "path": f"/new-{nth}", "anonymousId": f"visitor {nth}"}
    headers = {"user-agent": BROWSER}
    httpx.post(f"{url}/?client_id={site}", json=view, headers=headers).raise_for_status()


def _settle(page: Page) -> None:
    page.wait_for_function(f"!document.querySelector('{WAITING}, .swapping')", polling=5)


def _lighthouse(folder: Path, entry: Entry, site: str, cookie: str) -> None:
    found, npx = shutil.which("lighthouse"), shutil.which("npx")
    if not found and not npx:
        remark("no npx here, so no Lighthouse")
        return
    run = [found] if found else [str(npx), "--yes", LIGHTHOUSE]
    headers = folder / "headers.json"
    headers.write_text(json.dumps({"Cookie": cookie}))
    for name, path in PAGES.items():
        address = entry.url + path.format(site=site)
        for form in ("mobile", "desktop"):
            given = [] if path == "/sign-in" else [f"--extra-headers={headers}"]
            given += ["--preset=desktop"] if form == "desktop" else []
            report("Lighthouse", page=name, form=form, **_scores([*run, address, *given], folder))


def _scores(run: list[str], folder: Path) -> dict[str, Any]:
    """Of 100, by category, with the ids of what was not passed."""
    out = folder / "lighthouse.json"
    subprocess.run(
        [
            *(*run, "--quiet", "--output=json", f"--output-path={out}"),
            *(f"--only-categories={','.join(CATEGORIES)}", "--chrome-flags=--headless=new --no-sandbox"),
        ],
        env=os.environ | {"CHROME_PATH": str(EXECUTABLE)},
        check=True,
    )
    found = json.loads(out.read_text())
    scores = {name.replace("-", "_"): round(100 * (found["categories"][name]["score"] or 0)) for name in CATEGORIES}
    blocked = found["audits"]["total-blocking-time"].get("numericValue", 0.0)
    failed = [
        name for name, one in found["audits"].items() if one["score"] == 0 and one["scoreDisplayMode"] == "binary"
    ]
    return {**scores, "blocked_ms": blocked, "shown": found["finalDisplayedUrl"], "failed": ", ".join(failed)}
