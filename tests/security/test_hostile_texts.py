"""Every text of a website, its visitors and its members is markup; on no page of the website does any of it become
markup, an address to elsewhere, or a formula of a spreadsheet.

Pages come from the table of routes: one that is new is looked at without being named here.
"""

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any, Final, get_args
from urllib.parse import quote, urlencode

import pytest
from msgspec.structs import replace

from analytics_box.app.routes import PAGES_AND_API
from analytics_box.base.facts.event import Event, Fact, FactSpan, describe_attributes
from analytics_box.base.facts.tables import ATTRIBUTES
from analytics_box.base.store.strings import Strings
from analytics_box.ingest.ledger import Ledger
from analytics_box.ingest.live import LiveSessions
from analytics_box.products.ai_traffic.board import AI
from analytics_box.products.mcp_analytics.board import MCP
from analytics_box.products.overview.board import WEBSITE
from analytics_box.products.shares.seen import board_of
from analytics_box.products.shares.share import PanelName
from analytics_box.query.sheets import FORMULA
from analytics_box.tenants.websites.shell import GUIDES, OWN_DOMAIN_GUIDES
from tests.contract.conftest import unlimited
from tests.inprocess import Answer, WholeBox, whole_box
from tests.query.facts_of_all_kinds import visit

FORM = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin"}
_ADDRESSES = ("href", "src", "action", "formaction", "xlink:href", "poster", "srcset", "ping")
_OF_SCRIPTS = ("data-href", "data-part", "data-values", "data-live", "data-poll", "data-hx-get", "data-hx-post")
# Nothing on another host, and no script; a shared dashboard leads to its website.
_OUR_OWN = re.compile(r"(?:https://shop\.example|(?:[/?#](?![/\\]).*)?)\Z", re.DOTALL)


def text(name: str) -> str:
    """A text that would be something else wherever it is not escaped, or escaped twice; `name` says whose it is."""
    return f"='\"><xss {name}></title></script>{{{{7*7}}}}&lt;b&gt;"


def hostile(fact: Fact) -> Fact:
    """The fact with such a text wherever a visitor's browser may send one."""
    attributes = tuple(
        known if name == "device" else text(name)
        for name, known in zip(ATTRIBUTES, describe_attributes(fact), strict=True)
    )
    if isinstance(fact, FactSpan):
        own = {
            "errors": (text("error"), text("message"), text("file"), 3, 4, text("stack")),
            "mcp_calls": (
                *(text("tool"), 12, 3, text("failure"), "g", text("client"), text("client version")),
                *(text("server"), text("server version"), text("environment"), text("user agent")),
            ),
            "outgoing_links": (f"javascript:{text('href')}", text("link"), text("domain")),
        }.get(fact.table, fact.own)
        return replace(fact, path=f"/{text('path')}", query_string=text("query"), attributes=attributes, own=own)
    assert isinstance(fact, Event)
    return replace(
        fact,
        name=text("event") if fact.name == "buy" else fact.name,
        path=f"/{text('path')}",
        query_string=text("query"),
        title=text("title"),
        attributes=attributes,
        properties=json.dumps({text("key"): text("value")}) if fact.properties else None,
        agent=text("agent") if fact.agent else "",
        exposure=(text("flag"), text("variant")) if fact.exposure else fact.exposure,
    )


PANELS: Final = get_args(PanelName)
SHARED: Final = {"slug": "hostile", "panels": [*PANELS], "embedHosts": ["www.example.com"]}


class Hostile:
    """A box whose website has nothing but such texts, and its pages."""

    def __init__(self, box: WholeBox) -> None:
        self.box = box
        self.shop = box.sites["shop"]
        facts = [hostile(fact) for fact in visit(box.numbers["shop"], box.clock.now())]
        ledger = Ledger(Strings(), LiveSessions())
        box.box.events.db.write_now(lambda db: ledger.append(db, facts))
        for table in ("websites", "organizations"):
            named = f"update {table} set name = ?"
            box.box.box_db.write_now(lambda db: db.execute(named, (text(table),)).fetchall())  # noqa: B023  at once
        box.reopen()
        self.cookie = box.cookie
        who = {"profileId": text("profile"), "websiteId": self.shop, "traits": {text("trait"): text("of a trait")}}
        assert box.post("/identify", who, key="all").status == 200
        only = [{"field": "country", "op": "in", "value": [text("country"), text("filter")]}]
        goal = {"name": text("goal"), "description": text("description"), "conditions": [{"property": text("key")}]}
        self.ids = {
            "segment_id": self.made("segments", name=text("segment"), filters=only, isShared=True),
            "note_id": self.made("annotations", text=text("note"), tags=[text("t")], xValue="2026-06-17"),
            "share_id": self.made("shares", name=text("share"), title=text("shared"), **SHARED),
            "report_id": self.made("reports", name=text("report"), recipients=["mara@elsewhere.example"]),
            "funnel_id": self.made(
                "funnels",
                name=text("funnel"),
                description=text("about"),
                steps=[
                    {"type": "PAGE_VIEW", "target": "/*", "name": text("first")},
                    {"type": "EVENT", "target": text("event"), "name": text("second")},
                ],
            ),
            "goal_id": self.made("goals", type="EVENT", target=text("event"), **goal),
        }
        # Its name stands in the uptime panel of the dashboard.
        given = {"url": "https://shop.example", "name": text("monitor"), "granularity": "hour"}
        answer = box.post("/uptime/createSchedule", given, key="all")
        assert answer.status == 200, answer.body
        sessions = box.query("shop", {"parameters": ["session_list"], "preset": "today"}).json["data"][0]["data"]
        self.session = sessions[0]["session_id"]
        asked = urlencode({"type": "top_pages", "field1": "path", "op1": "contains", "value1": text("asked")})
        saved = urlencode({"name": text("question"), "question": asked, "shared": "on"}).encode()
        target = f"/sites/{self.shop}/queries/saved"
        assert box.post(target, saved, key=None, cookie=self.cookie, **FORM).status == 303
        found = box.box.box_db.read_now(lambda db: db.execute("select id from saved_questions").fetchall())
        self.ids["question_id"] = str(found[0][0])
        upload = self.box.post("/imports/createUpload", {"websiteId": self.shop, "fileName": text("file")}, key="all")
        assert upload.status == 200, upload.body
        self.ids["import_id"] = str(upload.json["id"])
        self.asked = asked

    def made(self, resource: str, **given: Any) -> str:
        answer = self.box.post(f"/{resource}/create", {"websiteId": self.shop, **given}, key="all")
        assert answer.status == 200, answer.body
        return str(answer.json["id"])

    def see(self, target: str) -> Answer:
        answer = self.box.get(target, cookie=self.cookie, accept="text/html")
        assert answer.status == 200, (target, answer.status, answer.body[:500])
        return answer

    def targets(self) -> Iterator[str]:
        """The addresses of all pages of the website, and of those around it that say something of it."""
        only = urlencode({"country": text("country"), "path.contains": text("filter"), "city.matches": "("})
        all_parts, kept = "wait=all", f"segment={self.ids['segment_id']}&goal={self.ids['goal_id']}"
        queries = {
            "": [f"{all_parts}&range={quote(text('range'))}&{only}", f"{all_parts}&range=today&{kept}"],
            "/events": [urlencode({"name": text("event"), "range": "today"})],
            "/goals": ["range=today"],
            "/retention": [urlencode({"activation": text("event"), "split": "entry", "range": "today"})],
            "/ai-traffic": [urlencode({"product": text("product"), "range": "today"})],
            "/mcp": [urlencode({"tool": text("tool"), "client": text("client"), "range": "today"})],
            "/journeys": ["range=today", urlencode({"collapse": text("collapse"), "events": "on", "range": "today"})],
            "/goal": [f"range=today&{kept}"],
            "/goals/new": [urlencode({"event": text("event")})],
            "/notes/{note_id}": [urlencode({"back": text("back")})],
            "/queries": [f"{self.asked}&range=today", urlencode({"type": "custom_event_properties", "range": "today"})],
            "/session": [urlencode({"id": self.session, "range": "today"})],
            "/segments": [urlencode({"query": text("typed"), "back": text("back")})],
            "/values": [urlencode({"field": field, "range": "today"}) for field in WEBSITE.fields],
            "/visitors": [urlencode({"search": text("search")})],
            "/visitors/profile": [urlencode({"profile": text("profile")})],
            "/visitors/delete": [urlencode({"profile": text("profile")})],
        }
        several = {
            "/parts/{name}": list(WEBSITE.parts),
            "/ai-traffic/parts/{name}": list(AI.parts),
            "/ai-traffic/details/{name}": list(AI.lists),
            "/mcp/parts/{name}": list(MCP.parts),
            "/mcp/details/{name}": list(MCP.lists),
            "/details/{name}": [name for name in WEBSITE.lists if name in WEBSITE.tables(name)],
            "/settings/install/{name}": [name for name, _title in (*GUIDES, *OWN_DOMAIN_GUIDES)],
        }
        for route in PAGES_AND_API:
            page = re.sub(r"\{(\w+):str\}", r"{\1}", route.path).removeprefix("/sites/{website_id}")
            if route.method != "GET" or not route.path.startswith("/sites/{website_id") or page.endswith(FILES):
                continue
            usual = ["range=today"] if page in several else [""]
            for name in several.get(page, [""]):
                path = page.format(name=name, **self.ids)
                for query in queries.get(page, usual):
                    yield f"/sites/{self.shop}{path}" + (f"?{query}" if query else "")
        yield from self.shared()
        found = urlencode({"q": text("search")})
        yield from (
            f"/sites/{self.shop}/details/pages?range=today&{only}&{kept}&{found}",
            "/sites",
            f"/palette?{urlencode({'q': 'xss'})}",
            f"/palette/options?{urlencode({'q': 'xss'})}",
            "/settings/audit",
        )

    def shared(self) -> Iterator[str]:
        """The addresses of what strangers see of it."""
        board = board_of(PANELS)
        only = urlencode({"country": text("country"), "path.contains": text("filter"), "range": text("range")})
        for home in ("/share/hostile", "/embed/hostile"):
            yield from (
                f"{home}?wait=all&{only}",
                f"{home}?wait=all&range=today",
                f"{home}?theme={quote(text('theme'))}",
            )
            yield from (f"{home}/parts/{name}?range=today" for name in board.parts)
            yield from (f"{home}/details/{name}?range=today" for name in board.lists if name in board.tables(name))


# Pages that are files, and what scripts read: looked at in tests of their own, or no markup.
FILES = (
    "/details/{name}/{form}",
    "/export/{table}/{month}/{form}",
    "/export/{form}",
    "/queries/csv",
    "/visitors/export",
    "/live",
    "/settings/wordpress/analytics-box.zip",
    "/reports/{report_id}/mail",
)


class Look(HTMLParser):
    """What is wrong with a page, and all the text that it has, in words and in attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.wrong: list[str] = []
        self.said: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in {"xss", "style", "object", "embed", "base"} or (tag == "script" and "src" not in given):
            self.wrong.append(f"<{tag}>")
        if tag == "iframe" and given.get("sandbox") != "":
            self.wrong.append("<iframe> that is not sandboxed")
        for name, value in given.items():
            if name.startswith("on") or name in {"style", "xss"}:
                self.wrong.append(f"<{tag} {name}>")
            if name in {*_ADDRESSES, *_OF_SCRIPTS} and not _OUR_OWN.match(value):
                self.wrong.append(f"<{tag} {name}={value!r}>")
            self.said.append(value)
        if "data-chart" in given:
            json.loads(given["data-chart"])

    def handle_data(self, data: str) -> None:
        self.said.append(data)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hostile]:
    with whole_box(tmp_path_factory.mktemp("hostile") / "data", adjust=unlimited) as box:
        yield Hostile(box)


SHOWN = (
    *("path", "event", "key", "value", "flag", "href", "link", "domain", "message", "agent"),
    *("source", "country", "region", "city", "browser", "system", "language", "utm_source", "utm_campaign"),
    *("websites", "organizations", "profile", "trait", "of a trait"),
    *("segment", "filter", "note", "t", "goal", "description", "question", "asked", "typed", "search"),
)


def test_no_text_becomes_markup_on_any_page_of_a_website(world: Hostile) -> None:
    said, wrong = [], []
    for target in world.targets():
        look = Look(world.see(target).body.decode())
        wrong += [f"{target}: {one}" for one in look.wrong]
        said += look.said
    assert wrong == [], "\n".join(wrong[:40])
    whole = "\n".join(said)
    assert [name for name in SHOWN if text(name) not in whole] == []


def test_strangers_see_no_text_of_what_a_share_leaves_out(world: Hostile) -> None:
    world.box.clock.advance(seconds=120)
    pages = [world.see(target).body.decode() for target in world.shared()]
    pages += [world.see("/share/hostile/export/json?range=today").body.decode()]
    whole = "\n".join((*pages, *(word for page in pages[:-1] for word in Look(page).said)))
    assert text("path") in whole
    assert text("event") in whole
    hidden = (
        *("key", "value", "flag", "variant", "href", "link", "message", "agent", "profile", "trait", "of a trait"),
        *("note", "t", "description", "segment", "question", "share", "monitor", "organizations", "funnel", "utm_term"),
    )
    assert [name for name in hidden if text(name) in whole] == []


def test_no_text_becomes_a_formula_of_a_spreadsheet(world: Hostile) -> None:
    home = f"/sites/{world.shop}"
    names = [name for panel in WEBSITE.panels for name in WEBSITE.tables(panel)]
    sheets = [world.see(f"{home}/details/{name}/csv?range=today").body.decode() for name in names]
    world.box.clock.advance(seconds=120)
    shared = board_of(PANELS)
    tables = [name for panel in shared.panels for name in shared.tables(panel)]
    sheets += [world.see(f"/share/hostile/details/{name}/csv?range=today").body.decode() for name in tables]
    sheets += [world.see(f"{home}/queries/csv?type=custom_event_properties&range=today").body.decode()]
    with zipfile.ZipFile(io.BytesIO(world.see(f"{home}/export/csv?range=today").body)) as archive:
        sheets += [archive.read(name).decode() for name in archive.namelist()]
    cells = [cell for sheet in sheets for row in csv.reader(io.StringIO(sheet)) for cell in row]
    assert [cell for cell in cells if cell.startswith(FORMULA) and not re.fullmatch(r"-[\d.]+", cell)] == []
    assert f"'{text('country')}" in cells
