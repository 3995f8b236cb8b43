"""The pages of the manual: complete, linked, and true to the tables of the code that they repeat."""

import html
import inspect
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from markupsafe import escape

from analytics_box.app.cli.main import main
from analytics_box.app.cli.options import EXIT_CODES
from analytics_box.app.cli.reference import rows
from analytics_box.app.docs.manual import MOVED, PAGES, ManualPages, Section
from analytics_box.app.openapi.refusals import codes
from analytics_box.app.parts import web_dir
from analytics_box.app.watch import warnings
from analytics_box.base.errors import NotFound
from analytics_box.base.notify.kinds.table import KINDS
from analytics_box.base.settings import Settings
from analytics_box.ingest.reasons import REASON_TEXTS
from tests.inprocess import WholeBox, whole_box

ROOT = Path(__file__).parents[2]
FOLDER = web_dir() / "manual"
MANUAL = ManualPages(FOLDER)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("manual") / "data") as inside:
        yield inside


def sections(page: Section) -> Iterator[Section]:
    yield page
    for part in page.parts:
        yield from sections(part)


def source(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


def test_every_file_of_the_folder_is_a_page() -> None:
    assert sorted(path.stem for path in FOLDER.iterdir()) == sorted(PAGES)


def test_the_readme_is_short_and_leads_to_every_page() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(readme.splitlines()) <= 150
    assert [name for name in PAGES if name != "changelog" and f"(web/manual/{name}.md)" not in readme] == []
    assert "(CHANGELOG.md)" in readme


def test_the_changelog_of_the_repository_is_the_page_that_is_served() -> None:
    assert (FOLDER / "changelog.md").resolve() == (ROOT / "CHANGELOG.md").resolve()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_begins_with_what_it_is_about_and_each_heading_has_an_anchor_of_its_own(name: str) -> None:
    cover = next(cover for cover in MANUAL.covers if cover.name == name)
    page = MANUAL.page(name)
    assert cover.title == page.title
    assert page.text.striptags().startswith(cover.lead)
    assert cover.lead.endswith(".")
    anchors = [section.id for section in sections(page)]
    assert len(set(anchors)) == len(anchors)
    assert page.terms or name == "changelog"
    assert [part.title for part in sections(page) if not part.text and not part.parts] == []


def test_links_of_a_page_lead_to_existing_pages(box: WholeBox) -> None:
    linked = {
        (name, html.unescape(href))
        for name in PAGES
        for section in sections(MANUAL.page(name))
        for href in re.findall(r'href="([^"]*)"', section.text)
        if not href.startswith("https://")
    }
    assert len(linked) > 50
    for name, href in sorted(linked):
        path, _, anchor = href.partition("#")
        answer = box.get(path or f"/docs/{name}", accept="text/html")
        assert answer.status == 200, (name, href)
        assert not anchor or f'id="{anchor}"' in answer.body.decode(), (name, href)


def test_every_link_of_the_code_into_the_manual_leads_to_a_heading(box: WholeBox) -> None:
    code = [path.read_text() for path in (ROOT / "analytics_box").rglob("*.py")]
    code += [path.read_text() for path in (ROOT / "web/templates").rglob("*.html")]
    found = {
        (page, anchor)
        for text in code
        for page, anchor in re.findall(r"""["'](?:/docs/)?([a-z-]+)#([a-z0-9-]+)["']""", text)
        if page in PAGES
    }
    assert len(found) > 8
    anchors = {name: {section.id for section in sections(MANUAL.page(name))} for name in PAGES}
    assert [f"{page}#{anchor}" for page, anchor in sorted(found) if anchor not in anchors[page]] == []


def test_former_address_of_a_group_of_the_api_redirects(box: WholeBox) -> None:
    answer = box.get("/docs/api/alarms", accept="text/html")
    assert (answer.status, answer.headers["location"]) == (301, "/docs/api/alert-rules")
    assert "/alarms/create" in box.get("/docs/api/alert-rules", accept="text/html").body.decode()


def test_files_of_the_repository_that_the_readme_links_to_are_there() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    linked = [href for href in re.findall(r"\]\(([^)]+)\)", readme) if "://" not in href]
    assert [href for href in linked if not (ROOT / href).exists()] == []


def questions() -> dict[str, tuple[str, str]]:
    """The links into the manual by the names that pages give them: a page with its anchor, and a label."""
    template = (web_dir() / "templates/components/manual.html").read_text(encoding="utf-8")
    entries = re.findall(r'^  "([\w-]+)": \("([^"]+)", _\("([^"]+)"\)\)', template, re.M)
    return {name: (page, label) for name, page, label in entries}


def test_questions_on_pages_lead_to_their_answers(box: WholeBox) -> None:
    for page, label in questions().values():
        name, _, anchor = page.partition("#")
        assert label
        assert not anchor or anchor in [section.id for section in sections(MANUAL.page(name))], page
    templates = "".join(path.read_text(encoding="utf-8") for path in (web_dir() / "templates").glob("*.html"))
    assert set(re.findall(r'manual\("([^"]+)"\)', templates)) == set(questions())


def test_warnings_lead_to_places_that_there_are() -> None:
    places = set(re.findall(r'"((?:production|proxies)#[\w-]+)"', inspect.getsource(warnings)))
    assert len(places) > 4
    for place in sorted(places):
        name, _, anchor = place.partition("#")
        assert anchor in [section.id for section in sections(MANUAL.page(name))], place


def test_every_page_lists_all_pages_and_its_headings(box: WholeBox) -> None:
    for name in ("", *PAGES):
        answer = box.get(f"/docs/{name}".rstrip("/"), accept="text/html")
        content = answer.body.decode()
        assert answer.status == 200
        assert [one for one in PAGES if f'href="/docs/{one}"' not in content] == []
        assert content.count('aria-current="page"') == 1
        assert "style=" not in content
        assert "<script>" not in content
        for section in sections(MANUAL.page(name)) if name else ():
            assert escape(section.title) in content


def test_examples_name_this_box_but_the_setting_that_names_it_does_not() -> None:
    manual = ManualPages(FOLDER, "https://box.example")
    queries = "".join(section.text for section in sections(manual.page("queries")))
    assert "curl &#39;https://box.example/v1/query?" in queries
    settings = "".join(section.text for section in sections(manual.page("settings")))
    assert "https://box.example" not in settings


def test_former_address_of_a_page_redirects_to_its_present_one(box: WholeBox) -> None:
    assert MOVED["overview"] == "dashboard"
    for former, name in MOVED.items():
        answer = box.get(f"/docs/{former}", accept="text/html")
        assert (answer.status, answer.headers["location"]) == (301, f"/docs/{name}")
        assert name in PAGES
        assert former not in PAGES


def test_a_page_that_is_not_there(box: WholeBox) -> None:
    assert box.get("/docs/nothing", accept="text/html").status == 404
    with pytest.raises(NotFound):
        MANUAL.page("../../pyproject")


# What stands in the code, too

LABELS = (
    ("dropped-events", "**Dropped traffic**"),
    ("dropped-events", "**Not a bot**"),
    ("dropped-events", "**Take back**"),
    ("dashboard", "**Match day of week**"),
    ("website-settings", "**Website settings**"),
    ("queries", "**API explorer**"),
    ("visitors", "**Visitors**"),
    ("links", "**Links**"),
    ("links", "**Domains**"),
    ("links", "**Import**"),
    ("links", "**Export**"),
    ("api-keys", "Settings, API keys"),
    ("members", "Settings, Members"),
    ("members", "(Security)"),
    ("members", "Settings, Audit log"),
    ("integrations", "Settings, Integrations"),
    ("integrations", "Settings, Domains"),
    ("integrations", "## Defaults"),
    ("production", "**Settings → Server → Status**"),
)


@pytest.mark.parametrize(("name", "label"), LABELS)
def test_labels_in_the_manual_match_the_pages(name: str, label: str) -> None:
    assert label in source(name)


def first_cells(page: str) -> list[str]:
    """The names in the first cells of the tables of a page or a part of it."""
    return [name for line in page.splitlines() if line.startswith("| `") for name in _names(line.split(" | ")[0])]


def _names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_all_commands_are_listed_and_no_other() -> None:
    table = source("commands").partition("\n## All commands\n")[2].partition("\n## ")[0]
    assert sorted(first_cells(table)) == sorted(_commands(main))


def test_exit_codes_are_those_of_the_commands() -> None:
    table = source("commands").partition("| exit code |")[2].partition("\n## ")[0]
    codes = [line.strip("| ").split(" | ")[0] for line in table.splitlines() if re.match(r"\| \d", line)]
    assert codes == [str(code) for code, _ in EXIT_CODES]


def test_examples_use_commands_and_options_that_there_are() -> None:
    options = {
        row.name: {word for one in row.options for word in re.findall(r"--[a-z-]+", one.written)} for row in rows(main)
    }
    examples = [line for line in source("commands").splitlines() if line.startswith("analytics-box ")]
    assert len(examples) > 10
    for line in examples:
        words = shlex.split(line.partition(" | ")[0].partition(" > ")[0])[1:]
        name = next(name for name in options if words[: len(name.split())] == name.split())
        assert {word for word in words if word.startswith("--")} <= options[name], line


def test_warnings_are_listed_and_no_other() -> None:
    table = source("production").partition("| warning | when |")[2].partition("\n### ")[0]
    code = inspect.getsource(warnings)
    assert sorted(first_cells(table)) == sorted(set(re.findall(r'Warning\(\s*"(\w+)"', code)))


def _commands(group: click.Group, before: str = "") -> Iterator[str]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from _commands(command, f"{before}{name} ")
        else:
            yield f"{before}{name}"


def test_all_codes_of_refusals_are_listed_with_their_status_and_no_other() -> None:
    table = source("errors").partition("| status |")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith(("| 4", "| 5"))]
    listed = {code for _, named, _ in rows for code in _names(named)}
    known = {code: status for status, names in codes().items() for code in names}
    assert listed == set(known)
    for statuses, named, _ in rows:
        assert {known[code] for code in _names(named)} == {int(status) for status in statuses.split(", ")}, named


def test_all_reasons_for_what_is_not_counted_are_listed_and_no_other() -> None:
    table = source("dropped-events").partition("\n## Reasons\n")[2].partition("\n## ")[0]
    unlisted = {"missing_client_id", "invalid_client_id"}  # of no website, so no page shows them
    assert set(first_cells(table)) == set(REASON_TEXTS) | unlisted


def test_every_setting_is_listed_once_with_its_default_and_description() -> None:
    page = "".join(section.text for section in sections(MANUAL.page("settings")))
    listed = re.findall(r"<td><code>(\w+)</code></td>\s*<td>(.*?)</td>\s*<td>(.*?)</td>", page)
    assert [name for name, _default, _help in listed] == list(Settings.__struct_fields__)
    shown = {name: (html.unescape(default), html.unescape(text)) for name, default, text in listed}
    assert shown["port"] == ("<code>8000</code>", "Port to listen on. 0 selects a free port.")
    assert shown["data_dir"][0] == "the user's data folder"
    assert shown["base_url"][0] == "none"


def test_limits_are_those_of_the_settings() -> None:
    defaults: dict[str, Any] = {name: getattr(Settings(), name) for name in Settings.__struct_fields__}
    page = source("limits")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    counted = {row[-1].strip("`"): row[-2] for row in rows if row[-1].startswith("`limit_")}
    assert {name: int(value.replace(",", "")) for name, value in counted.items()} == {
        name: defaults[name] for name in counted
    }
    said = re.findall(
        r"([\d,]+) (?:requests per 60 seconds |at the same time |)?\(`(limit_\w+|answer_rows\w*)`\)", page
    )
    assert len(said) >= 4
    assert {name: int(value.replace(",", "")) for value, name in said} == {name: defaults[name] for _, name in said}
    named = {name for name in defaults if name.startswith("limit_")}
    assert [name for name in sorted(named) if f"`{name}`" not in page] == []


def test_every_kind_of_channel_has_a_section_that_names_its_fields() -> None:
    parts = source("integrations").split("\n### ")
    for kind in KINDS.values():
        (section,) = [part for part in parts if part.startswith(f"{kind.label}\n")]
        for field in kind.fields:
            assert f"**{field.label}**" in section, (kind.name, field.name)
