"""A newcomer's first hour with a box that somebody packed, in a real browser.

`python -m tests.packaging.first_visit COMMAND...` starts the command, which has to serve an empty data directory on a
free port. It opens the setup link, looks at a page that carries the script, asks one query, stops the box, starts it
again, signs in and finds the visitor. A line for each step; a step that goes wrong ends it with what the box printed.
"""

import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
from playwright.sync_api import Browser, Page, expect

from tests.browser.chromium import SITE, USER_AGENT, launch
from tests.browser.website import website
from tests.running import EMAIL, PASSWORD, Server

AS_A_PERSON = "Object.defineProperty(navigator, 'webdriver', {get: () => false})"
STOP_SECONDS = 30.0


def main(command: list[str]) -> None:
    """Every step in order; the first that fails ends the run."""
    with (
        TemporaryDirectory(prefix="first visit ") as name,
        launch(arguments=(f"--user-agent={USER_AGENT}",)) as browser,
    ):
        folder = Path(name)
        with started(folder, command) as box:
            page = browser.new_page()
            snippet = set_up(page, box)
            site = page.url
            view_a_page(browser, folder, snippet)
            expect(page.locator("#tile-visitors .tile-value")).to_have_text("1")
            say("set up by its link; the script counted one visitor")
            key = make_key(page)
            assert visitors(box.url, key) == 1
            say("a query counts one, too")
        with started(folder, command) as box:
            page = browser.new_context().new_page()
            page.goto(re.sub(r"//[^/]*/", f"//localhost:{box.port}/", site))
            sign_in(page)
            expect(page.locator("#tile-visitors .tile-value")).to_have_text("1")
            assert visitors(box.url, key) == 1
            say("signed in; the visitor is still there")


@contextmanager
def started(folder: Path, command: list[str]) -> Iterator[Server]:
    """A running box; it has to end with exit code 0 when it is told to."""
    began = time.monotonic()
    server = Server(folder / "data", {}, serve=command)
    try:
        server.wait_until_ready()
        say(f"served after {time.monotonic() - began:.1f} s, with {memory(server.process.pid) >> 20} MB of memory")
        yield server
        code = server.stop(seconds=STOP_SECONDS)
        assert code == 0, f"it ended with {code} on SIGTERM"
        say("stopped with exit code 0")
    except BaseException:
        say("the box said:\n" + server.printed())
        raise
    finally:
        server.kill()


def memory(pid: int) -> int:
    """Bytes of memory that a process and its descendants hold."""
    tasks = Path(f"/proc/{pid}")
    own = re.search(r"VmRSS:\s+(\d+) kB", (tasks / "status").read_text())
    children = (tasks / "task" / str(pid) / "children").read_text().split()
    return (int(own[1]) * 1024 if own else 0) + sum(memory(int(child)) for child in children)


def set_up(page: Page, box: Server) -> str:
    """Fill in the form behind the setup link; the script's line, which the website's page then shows."""
    link = re.search(r"http://\S+/setup\?token=\S+", box.printed())
    assert link is not None, "it printed no setup link"
    page.goto(link[0])
    for field, text in (("email", EMAIL), ("password", PASSWORD), ("domain", SITE)):
        page.fill(f"#{field}", text)
    page.click("main form button[type=submit]")
    expect(page.locator("#snippet")).to_contain_text("data-client-id")
    page.wait_for_load_state()  # the style sheet hides what is not ticked
    return page.locator("#snippet").inner_text()


def make_key(page: Page) -> str:
    """An API key that may read, made on the page for that."""
    page.goto(re.sub("/sites/.*", "/settings/keys", page.url))
    page.get_by_role("link", name="New key").click()
    page.get_by_label("Name").fill("First program")
    page.locator("[name='scope:read:data']").check()
    page.get_by_role("button", name="Create key").click()
    return page.locator("#secret").inner_text()


def sign_in(page: Page) -> None:
    """Sign in on the page that asks for it, which leads back to where one wanted to go."""
    page.fill("#email", EMAIL)
    page.fill("#password", PASSWORD)
    page.click("button[type=submit]")
    page.wait_for_url("**/sites/*")


def view_a_page(browser: Browser, folder: Path, snippet: str) -> None:
    """Look at a page of the website, as a person would."""
    pages = folder / "site"
    pages.mkdir()
    with website(pages, snippet) as site:
        person = browser.new_context()
        person.add_init_script(AS_A_PERSON)
        page = person.new_page()
        with page.expect_response(re.compile("/script.js")):
            page.goto(site)
        page.wait_for_load_state("networkidle")
        page.close()


def visitors(url: str, key: str) -> int:
    """How many visitors a query finds."""
    headers = {"x-api-key": key}
    website = httpx.get(f"{url}/v1/query/websites", headers=headers).json()["websites"][0]["id"]
    question = {"parameters": ["summary_totals"], "preset": "last_7d"}
    answer = httpx.post(f"{url}/v1/query", params={"website_id": website}, headers=headers, json=question).json()
    found: int = answer["data"][0]["data"][0]["visitors"]
    return found


def say(words: str) -> None:
    """One line of progress."""
    sys.stdout.write(f"  {words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
