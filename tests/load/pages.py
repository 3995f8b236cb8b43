"""Pages as people wait for them: an overview of many events in a browser, and what Lighthouse says of pages.

Lighthouse comes from npm when it is asked for: half a hundred megabytes that nothing else needs.
"""

import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.chromium import EXECUTABLE, launch
from tests.load.figures import machine, percentile, remark, report
from tests.load.query import prepared
from tests.load.server import READY_SECONDS, serving
from tests.running import EMAIL, PASSWORD, Account, Server

LIGHTHOUSE: Final = "lighthouse@12.8.2"
RUNS: Final = 9
WAITING: Final = "[aria-busy=true]"  # parts of a page that are still to come
PANEL: Final = "#panel-countries .bar-link"
CATEGORIES: Final = ("performance", "accessibility", "best-practices")
PAGES: Final = ("overview", "/sites", "/links", "/monitors", "/flags", "/docs", "/sign-in")
_SIZES: Final = """() => {
  const [page] = performance.getEntriesByType("navigation");
  const all = [page, ...performance.getEntriesByType("resource")];
  return {
    first: page.responseStart - page.requestStart,
    kilobytes: all.reduce((sum, one) => sum + one.transferSize, 0) / 1000,
    requests: all.length,
  };
}"""


def main(events: int, days: int, folder: Path | None) -> None:
    """Fill a box and look at its pages."""
    machine()
    with tempfile.TemporaryDirectory() as temporary:
        data = folder or Path(temporary) / "box"
        account = prepared(data, events, days)
        with serving(data) as server:
            if events >= 1_000_000:
                remark("waiting for the replica")
                server.wait_until_printed("The column replica is ready", seconds=READY_SECONDS)
            with launch(light=True) as browser, _context(browser) as context:
                _sign_in(context.new_page(), server)
                _time(context, server, account, events)
                cookie = "; ".join(f"{one['name']}={one['value']}" for one in context.cookies())
            _lighthouse(Path(temporary), server, account, cookie)


def _context(browser: Browser) -> BrowserContext:
    """Whose waiting is text that pages would not run."""
    return browser.new_context(viewport={"width": 1280, "height": 900}, bypass_csp=True)


def _sign_in(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/sign-in")
    page.fill("#email", EMAIL)
    page.fill("#password", PASSWORD)
    page.click("form.form button[type=submit]")
    page.wait_for_url("**/sites")
    page.close()


def _time(context: BrowserContext, server: Server, account: Account, events: int) -> None:
    """From nothing to all panels, each time in a new tab; sizes of the first time, before anything is kept."""
    overview = f"{server.url}/sites/{account.website_id}"
    page = context.new_page()
    page.goto(overview)
    _settle(page)
    sizes = page.evaluate(_SIZES)
    loads, first, clicks = [], [], []
    for _ in range(RUNS):
        began = time.monotonic()
        page.goto(overview)
        _settle(page)
        loads.append((time.monotonic() - began) * 1000)
        first.append(page.evaluate(_SIZES)["first"])
        began = time.monotonic()
        page.locator(PANEL).first.click()
        page.wait_for_function("location.search.includes('country')")
        _settle(page)
        clicks.append((time.monotonic() - began) * 1000)
    report(
        "overview in a browser",
        events=events,
        first_load_kb=sizes["kilobytes"],
        requests=sizes["requests"],
        first_byte_ms=statistics.median(first),
        all_panels_ms=statistics.median(loads),
        all_panels_p95_ms=percentile(loads, 95),
        filter_click_ms=statistics.median(clicks),
    )


def _settle(page: Page) -> None:
    page.wait_for_function(f"!document.querySelector('{WAITING}, .htmx-request, .htmx-settling')", polling=5)


def _lighthouse(folder: Path, server: Server, account: Account, cookie: str) -> None:
    npx = shutil.which("npx")
    if npx is None:
        remark("no npx here, so no Lighthouse")
        return
    headers = folder / "headers.json"
    headers.write_text(json.dumps({"Cookie": cookie}))
    for name in PAGES:
        address = f"{server.url}{name if name.startswith('/') else f'/sites/{account.website_id}'}"
        for form in ("mobile", "desktop"):
            report("Lighthouse", page=name, form=form, **_scores(npx, folder, address, headers, form))


def _scores(npx: str, folder: Path, address: str, headers: Path, form: str) -> dict[str, Any]:
    """Of 100, by category, with the ids of what was not passed."""
    out = folder / "lighthouse.json"
    given = ["--preset=desktop"] if form == "desktop" else []
    subprocess.run(
        [
            *(npx, "--yes", LIGHTHOUSE, address, "--quiet", "--output=json", f"--output-path={out}"),
            *(f"--only-categories={','.join(CATEGORIES)}", f"--extra-headers={headers}", *given),
            "--chrome-flags=--headless=new --no-sandbox",
        ],
        env=os.environ | {"CHROME_PATH": str(EXECUTABLE)},
        check=True,
    )
    found = json.loads(out.read_text())
    scores = {name.replace("-", "_"): round(100 * found["categories"][name]["score"]) for name in CATEGORIES}
    failed = [
        name for name, one in found["audits"].items() if one["score"] == 0 and one["scoreDisplayMode"] == "binary"
    ]
    return {**scores, "failed": ", ".join(failed)}
