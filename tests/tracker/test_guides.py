"""The snippets of the manual's guides, as each system puts them into its pages, in a browser with a real box."""

import html
import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import jinja2
import pytest
from playwright.sync_api import Page

from analytics_box.app.parts import web_dir
from tests.browser.chromium import SITE, as_people_have_it
from tests.running import Box, serving, set_up
from tests.tracker.collector import Collector
from tests.tracker.test_box import SPANS, events, eventually, rows

pytestmark = pytest.mark.browser

GUIDES = ("get-started", "script", "frameworks", "website-builders")
WEB = Path(__file__).parents[2] / "web"
# Renders a layout of Next.js, with a stand-in for its script component, and evaluates the settings of Nuxt.
RENDER = """
import { transformSync } from "esbuild"
const [language, source] = JSON.parse(process.argv[1])
const text = (attributes) => Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`).join("")
const React = { createElement: (tag, attributes, ...inner) =>
  `<${tag.name ?? tag}${text(attributes ?? {})}>${inner.join("")}</${tag.name ?? tag}>` }
const Script = { name: "script" }
const code = transformSync(source.replace(/import Script.*/, ""), { loader: language, format: "cjs" }).code
const module = { exports: {} }
new Function("module", "React", "Script", "defineNuxtConfig", code)(module, React, Script, (one) => one)
const found = module.exports.default
console.log(language == "jsx" ? found({ children: "Hello" })
  : found.app.head.script.map((one) => React.createElement("script", one)).join(""))
"""


def in_node(language: str, source: str) -> str:
    """The HTML that a block of code for a framework leads to."""
    command = ("node", "--input-type=module", "-e", RENDER, json.dumps([language, source]))
    ended = subprocess.run(command, cwd=WEB, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def django(source: str) -> str:
    user = {"is_authenticated": True, "pk": "user-1"}
    return jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=True).from_string(source).render(user=user)


def blade(source: str) -> str:
    return re.sub(r"@(?:end)?auth|@js\(\(string\) auth\(\)->id\(\)\)", _of_user, source)


def erb(source: str) -> str:
    return re.sub(r"<%=? (.*?) %>", lambda match: "user-1" if match[1] == "current_user.id" else "", source)


def _of_user(match: re.Match[str]) -> str:
    return '"user-1"' if match[0].startswith("@js") else ""


# By the language of a block: the HTML that the system makes of it for a signed-in user.
RENDERERS: dict[str, Callable[[str], str]] = {
    "html": lambda source: source.replace("%sveltekit.head%", ""),
    "jsx": lambda source: in_node("jsx", source),
    "ts": lambda source: in_node("ts", source),
    "astro": lambda source: source.replace(" is:inline", ""),
    "erb": erb,
    "django": django,
    "blade": blade,
    "go-html-template": lambda source: re.sub(r"\{\{.*?\}\}\n", "", source),
}


def snippets() -> Iterator[tuple[str, str, str]]:
    """Each block of the guides that puts the script into a page: its section, language and source."""
    for name in GUIDES:
        page = (web_dir() / f"manual/{name}.md").read_text(encoding="utf-8")
        for part in re.split(r"\n##+ ", page):
            for number, (language, source) in enumerate(re.findall(r"```(\S+)\n(.*?)```", part, re.DOTALL)):
                if "script.js" in source and language in RENDERERS:
                    yield f"{name} {part.splitlines()[0]} {number}", language, source


SNIPPETS = list(snippets())


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    data_dir = tmp_path_factory.mktemp("guides") / "data"
    account = set_up(data_dir, domain=SITE)
    with serving(data_dir) as server:
        yield Box(server, account)


def test_every_system_of_the_guides_has_a_snippet() -> None:
    sections = " ".join(section for section, _language, _source in SNIPPETS)
    systems = ["Next.js", "Nuxt", "Astro", "SvelteKit", "Rails", "Django", "Laravel", "Ghost", "Hugo", "Shopify"]
    assert [one for one in (*systems, "Google Tag Manager") if one not in sections] == []


@pytest.mark.parametrize(("section", "language", "source"), SNIPPETS, ids=[section for section, *_ in SNIPPETS])
def test_page_with_the_snippet_sends_its_view(
    page: Page, collector: Collector, box: Box, section: str, language: str, source: str
) -> None:
    filled = source.replace("https://stats.example.com", box.url).replace("YOUR-WEBSITE-ID", box.account.website_id)
    path = f"/{re.sub('[^a-z0-9]+', '-', section.lower())}"
    head = RENDERERS[language](filled)
    assert html.unescape(head).count("script.js") == 1
    collector.pages[path] = (f"<!doctype html><title>{section}</title>{head}<body>Hello", {})
    as_people_have_it(page)
    page.goto(collector.site + path)
    eventually(lambda: "screen_view" in events(box, path))


@pytest.mark.parametrize("language", ["erb", "django", "blade"])
def test_template_connects_a_visitor_with_the_signed_in_user(
    page: Page, collector: Collector, box: Box, language: str
) -> None:
    guide = (web_dir() / "manual/frameworks.md").read_text(encoding="utf-8")
    source = "".join(re.findall(rf"```{language}\n(.*?)```", guide, re.DOTALL)).replace("user-1", "user-of-the-page")
    filled = source.replace("https://stats.example.com", box.url).replace("YOUR-WEBSITE-ID", box.account.website_id)
    head = RENDERERS[language](filled).replace("user-1", f"user-{language}")
    collector.pages[f"/{language}"] = (f"<!doctype html><title>Signed in</title>{head}<body>Hello", {})
    as_people_have_it(page)
    page.goto(f"{collector.site}/{language}")
    eventually(lambda: f"user-{language}" in {profile for profile, _ in rows(box, SPANS["profiles"])})


def test_event_and_next_page_are_tracked_by_a_script_whose_options_are_in_its_address(
    page: Page, collector: Collector, box: Box
) -> None:
    """A tag manager creates the element itself, without the attributes that its user typed."""
    (source,) = (source for section, _language, source in SNIPPETS if "Tag Manager" in section)
    (address,) = re.findall(r'src="(.*?)"', source)
    filled = address.replace("https://stats.example.com", box.url).replace("YOUR-WEBSITE-ID", box.account.website_id)
    collector.pages["/managed"] = ("<!doctype html><title>Managed</title><body>Hello", {})
    as_people_have_it(page)
    page.goto(f"{collector.site}/managed")
    page.evaluate("src => document.head.append(Object.assign(document.createElement('script'), { src }))", filled)
    page.wait_for_function("window.analyticsBox")
    page.evaluate("history.pushState(null, '', '/managed-next'); analyticsBox.track('signup'); analyticsBox.flush()")
    eventually(lambda: "screen_view" in events(box, "/managed") and "screen_view" in events(box, "/managed-next"))
    eventually(lambda: "signup" in {**events(box, "/managed"), **events(box, "/managed-next")})
