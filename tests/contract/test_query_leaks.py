"""Nobody's query reads what is not theirs: every caller, every target, every query type (spec 5, wire 3.1 and 3.2).

Each website, each organization, each short link and each monitor has facts with a word of its own in all of their
texts. What comes back for a caller and a target may hold the words that a table below gives them, and no other.
"""

import json
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.base.facts.event import Event, Fact, FactSpan, describe_attributes
from analytics_box.base.store.strings import Strings
from analytics_box.ingest.ledger import Ledger
from analytics_box.ingest.live import LiveSessions
from analytics_box.products.links.clicks import rows as click_rows
from analytics_box.products.links.clicks.rows import LinkClick
from analytics_box.products.links.lookup import known_link
from analytics_box.products.monitors.lookup import known_monitor
from analytics_box.query import budget
from analytics_box.query.catalog import registry
from analytics_box.query.request import MAX_PARAMETERS
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from tests.cases import each
from tests.contract.conftest import unlimited
from tests.examples import is_thorough
from tests.inprocess import Answer, WholeBox, whole_box
from tests.query.checks_of_all_kinds import check, store_checks
from tests.query.facts_of_all_kinds import visit
from tests.tenants.keys.world import call, cookie_of

WORDS = (
    "wordshop",
    "wordblog",
    "wordidle",
    "wordlocal",
    "wordforeign",
    "wordown",
    "wordtheirs",
    "wordlink",
    "wordeves",
    "wordmonitor",
    "wordherown",
)
OWN_SITES = ("wordshop", "wordblog", "wordidle", "wordlocal")
ALL_OWN = (*OWN_SITES, "wordown")
REFUSED: tuple[str, ...] = ()

# Who may ask for what, and which words may come back; whoever is not named is refused. "none" names no target.
READERS = ("all", "reading", "owner", "admin", "member", "viewer")
EVES = ("foreign", "eve")
ANYBODY = (*READERS, *EVES, "restricted", "elsewhere", "apart", "nobody", "revoked", "expired")
TARGETS: dict[str, dict[str, tuple[str, ...]]] = {
    "website_id={shop}": dict.fromkeys((*READERS, "restricted"), ("wordshop",)),
    "website_id={blog}": dict.fromkeys(ANYBODY, ("wordblog",)),
    "website_id={idle}": dict.fromkeys(READERS, ("wordidle",)),
    "website_id={local}": dict.fromkeys((*READERS, "elsewhere", "apart"), ("wordlocal",)),
    "website_id={foreign}": dict.fromkeys(EVES, ("wordforeign",)),
    "website_id=unknown": {},
    "organization_id={own}": dict.fromkeys(READERS, ALL_OWN)
    | {"restricted": ("wordshop",), "elsewhere": ("wordlocal",), "apart": ("wordlocal",)},
    "organization_id={other}": dict.fromkeys(EVES, ("wordforeign", "wordtheirs")),
    "organization_id=unknown": {},
    "none": dict.fromkeys(READERS, ALL_OWN) | dict.fromkeys(EVES, ("wordforeign", "wordtheirs")),
    "link_id={link}": dict.fromkeys(READERS, ("wordlink",)),
    "link_id={eves}": dict.fromkeys(EVES, ("wordeves",)),
    "link_id=unknown": {},
    "link_id={number}": {},
    "schedule_id=unknown": {},
    "schedule_id={monitor}": dict.fromkeys(READERS, ("wordmonitor",)),
    "schedule_id={eves_monitor}": dict.fromkeys(EVES, ("wordherown",)),
    "schedule_id={number}": {},
    # The first of several targets counts, and nothing of the others comes with it.
    "website_id={shop}&organization_id={other}": dict.fromkeys((*READERS, "restricted"), ("wordshop",)),
    "organization_id={own}&website_id={foreign}": dict.fromkeys(EVES, ("wordforeign",)),
    "website_id={shop}&link_id={eves}": dict.fromkeys(EVES, ("wordeves",)),
    "website_id={foreign}&link_id={link}": dict.fromkeys(READERS, ("wordlink",)),
    "website_id={shop}&schedule_id=unknown": {},
    "organization_id={own}&schedule_id={link}": {},
}
CALLERS = (*ANYBODY, "tracking", "linking")
STRANGERS = frozenset(ANYBODY) - {*READERS}


def facts_of(word: str, site: int, now: int) -> list[Fact]:
    """A visit of every kind of facts, with this word in all texts. Names of people and secrets have it in their own."""
    return [_named(fact, word, site) for fact in visit(site, now)]


def _named(fact: Fact, word: str, site: int) -> Fact:
    visitor = site * 1_000 + fact.visitor
    attributes = tuple(f"{word} {number}" for number in range(len(describe_attributes(fact))))
    if isinstance(fact, FactSpan):
        own: list[Any] = [f"{word} own" if isinstance(value, str) else value for value in fact.own]
        if fact.table == "errors":
            own[-1] = f"stack of {word}"
        return replace(fact, visitor=visitor, path=f"/{word}", attributes=attributes, own=tuple(own))
    return replace(
        fact,
        visitor=visitor,
        name=word if fact.properties else fact.name,
        path=f"/{word}{fact.path}",
        namespace=word,
        query_string=word,
        attributes=attributes,
        client_session=f"session of {word}" if fact.client_session else "",
        profile=f"name in {word}" if fact.profile else "",
        properties=json.dumps({"plan": word}) if fact.properties else None,
        agent=word if fact.agent else "",
    )


class Strangers:
    """The box, its callers' credentials and its targets' ids."""

    def __init__(self, box: WholeBox) -> None:
        self.box = box
        now = box.clock.now()
        numbers = {f"word{name}": number for name, number in box.numbers.items()}
        organizations = box.box.parts[OrganizationDirectory]
        owners = {
            "wordown": organizations.site_of(box.organization_id),
            "wordtheirs": organizations.site_of(box.foreign_organization_id),
        }
        self.numbers = numbers | owners
        facts = [fact for word, site in numbers.items() for fact in facts_of(word, site, now)]
        for word, site in owners.items():
            facts += [fact for fact in facts_of(word, site, now) if isinstance(fact, Event) and fact.properties]
        ledger = Ledger(Strings(), LiveSessions())
        box.box.events.db.write_now(lambda db: ledger.append(db, facts))
        self.ids = {str(name): website_id for name, website_id in box.sites.items()}
        self.ids |= {"own": box.organization_id, "other": box.foreign_organization_id}
        for name, key, word in (("link", "all", "wordlink"), ("eves", "foreign", "wordeves")):
            self._link(name, key, word, now)
        for name, key, word in (("monitor", "all", "wordmonitor"), ("eves_monitor", "foreign", "wordherown")):
            self._monitor(name, key, word, now)
        roles = {"owner": "owner", "admin": "admin", "member": "member", "viewer": "viewer"}
        self._cookies = {name: cookie_of(box, role) for name, role in roles.items()}  # type: ignore[arg-type]  # roles
        self._cookies["eve"] = cookie_of(box, "owner", organization_id=box.foreign_organization_id)
        # A key that may read one website and send to another: its scopes are those websites' own.
        resources = {f"website:{self.ids['shop']}": ["track:events"], f"website:{self.ids['local']}": ["read:data"]}
        wanted = {"name": "apart", "organizationId": box.organization_id, "scopes": [], "resources": resources}
        made = call(box, "create", wanted, self._cookies["owner"])
        assert made.status == 200, made.json
        self._secrets = {str(name): secret for name, secret in box.keys.items()} | {"apart": made.json["secret"]}

    def _link(self, name: str, key: Any, word: str, now: int) -> None:
        """A short link with a click of each kind, under a number that some website has, too."""
        made = self.box.post("/links/create", {"name": word, "targetUrl": "https://to.example"}, key=key)
        assert made.status == 200, made.json
        self.ids[name] = made.json["id"]
        known = self.box.box.box_db.read_now(lambda db: known_link(db, self.ids[name]))
        assert known is not None
        self.ids["number"] = str(known[0])
        self.numbers[word] = known[0]
        clicks = [LinkClick(known[0], now - 1_000, kind, 77, 0, 0, *[word] * 12) for kind in (1, 2, 3)]
        strings = Strings()
        self.box.box.events.db.write_now(lambda db: click_rows.append(db, strings=strings, clicks=clicks, orphans={}))

    def _monitor(self, name: str, key: Any, word: str, now: int) -> None:
        """A monitor with a check that failed, under a number that some website has, too."""
        wanted = {"url": f"https://{word}.example", "granularity": "minute"}
        made = self.box.post("/uptime/createSchedule", wanted, key=key)
        assert made.status == 200, made.json
        self.ids[name] = made.json["scheduleId"]
        known = self.box.box.box_db.read_now(lambda db: known_monitor(db, self.ids[name]))
        assert known is not None
        self.numbers[word] = known[0]
        texts: dict[str, Any] = dict.fromkeys(("error", "reason", "region", "address", "url"), word)
        store_checks(self.box.box.events.db, [check(known[0], now - 1_000, status=0, **texts)])

    def post(self, caller: str, target: str, content: object, path: str = "/v1/query", **headers: str) -> Answer:
        given = dict(headers)
        if caller in self._cookies:
            given |= {"cookie": self._cookies[caller], "sec_fetch_site": "same-origin"}
        elif caller != "nobody":
            given["x_api_key"] = self._secrets[caller]
        query = "" if target == "none" else f"?{target.format(**self.ids)}"
        return self.box.post(f"{path}{query}", content, key=None, **given)


@pytest.fixture(scope="module")
def strangers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Strangers]:
    with whole_box(tmp_path_factory.mktemp("leaks") / "data", adjust=unlimited) as inside:
        yield Strangers(inside)


def needing(field: str) -> list[str]:
    """The types that need a filter on this field."""
    return [name for name, known in registry.TYPES.items() if field in known.needs]


@cache
def questions(*, public: bool) -> tuple[str, ...]:
    """Bodies that together ask every type, or every public one, as JSON; filters name what everybody has."""
    names = [name for name, known in registry.TYPES.items() if known.is_public(values=False) or not public]
    plain = [name for name in names if not registry.TYPES[name].needs]
    allowed = budget.PUBLIC
    most, limit = (allowed.parameters, allowed.rows // allowed.parameters) if public else (MAX_PARAMETERS, 1_000)
    bodies: list[dict[str, Any]] = [{"parameters": plain[at : at + most]} for at in range(0, len(plain), most)]
    wanted: dict[str, list[str]] = {
        "session_id": [f"session of {word}" for word in WORDS],
        "profile_id": [f"name in {word}" for word in WORDS],
    }
    for field, values in wanted.items():
        if types := [name for name in needing(field) if name in names]:
            bodies.append({"parameters": types, "filters": [{"field": field, "op": "in", "value": values}]})
    for path in ("/wordshop", "/wordforeign"):
        if types := [name for name in needing("path") if name in names]:
            bodies.append({"parameters": types, "filters": [{"field": "path", "op": "eq", "value": path}]})
    return tuple(json.dumps(body | {"preset": "today", "limit": limit}) for body in bodies)


def bodies_of(*, public: bool) -> list[dict[str, Any]]:
    return [json.loads(text) for text in questions(public=public)]


def found_in(answers: list[Answer]) -> set[str]:
    """The words that stand in answers."""
    text = "\n".join(answer.body.decode() for answer in answers).lower()
    return {word for word in WORDS if word in text}


def is_stranger(caller: str, target: str) -> bool:
    """Whether they read only because the website is public."""
    return target == "website_id={blog}" and caller in STRANGERS


def third(bodies: list[dict[str, Any]], turn: int) -> list[dict[str, Any]]:
    """A third of these types, and two that show all words; in a thorough run all of them."""
    if is_thorough():
        return bodies
    plain = [name for body in bodies if "filters" not in body for name in body["parameters"]]
    shown = {*plain[turn % 3 :: 3], *({*plain} & {"custom_events", "uptime_reasons"})}
    rest = [body for body in bodies if "filters" in body]
    named = sorted(shown)
    pieces = (named[at : at + MAX_PARAMETERS] for at in range(0, len(named), MAX_PARAMETERS))
    return [*(bodies[0] | {"parameters": piece} for piece in pieces), *rest[turn % 3 :: 3]]


@each(("number", "caller", "target"), ((at, *one) for at, one in enumerate(product(CALLERS, TARGETS))))
def test_an_answer_holds_the_words_of_its_target_alone(
    strangers: Strangers, number: int, target: str, caller: str
) -> None:
    """An ordinary run asks each caller of each target a third of the types."""
    allowed = TARGETS[target].get(caller, REFUSED)
    bodies = third(bodies_of(public=is_stranger(caller, target)), sum(divmod(number, len(TARGETS))))
    answers = [strangers.post(caller, target, body) for body in bodies]
    if not allowed:
        assert {answer.status for answer in answers} <= {400, 401, 403}
        assert found_in(answers) == set()
        return
    assert {answer.status for answer in answers} == {200}, answers[0].json
    assert found_in(answers) == set(allowed)
    if caller == "viewer" or is_stranger(caller, target):
        assert all("name in" not in answer.body.decode() for answer in answers)
    if is_stranger(caller, target):
        assert all(word not in answer.body.decode() for answer in answers for word in ("stack of", "session of"))
        visitors = [f"{strangers.numbers['wordblog'] * 1_000 + person:016x}" for person in (5, 6, 7)]
        assert all(visitor not in answer.body.decode() for answer in answers for visitor in visitors)


_MEMBERS = ("session_list", "link_variants", "uptime_reasons")


def _read_by(params: dict[str, Any]) -> list[int]:
    """The numbers of websites, links or monitors that a statement with these values reads: one, or a list of them."""
    return [*([params["site"]] if "site" in params else []), *json.loads(params.get("sites", "[]"))]


@each(("caller", "target"), product(CALLERS, TARGETS))
def test_statements_and_sheets_are_about_the_same(strangers: Strangers, target: str, caller: str) -> None:
    allowed = TARGETS[target].get(caller, REFUSED)
    types = ["top_pages", "custom_events", *([] if is_stranger(caller, target) else _MEMBERS)]
    body = {"parameters": types, "preset": "today"}
    statements = strangers.post(caller, target, body, "/v1/query/compile")
    sheet = strangers.post(caller, target, body | {"parameters": ["top_pages"]}, accept="text/csv")
    if not allowed:
        assert {statements.status, sheet.status} <= {400, 401, 403}
        assert found_in([statements, sheet]) == set()
        return
    assert found_in([sheet]) == {word for word in allowed if word in {*OWN_SITES, "wordforeign"}}
    of_links = {strangers.numbers[word] for word in allowed if word in {"wordlink", "wordeves"}}
    of_monitors = {strangers.numbers[word] for word in allowed if word in {"wordmonitor", "wordherown"}}
    of_sites = set() if of_links or of_monitors else {strangers.numbers[word] for word in allowed}
    for entry in statements.json["data"]:
        read = {number for statement in entry["statements"] for number in _read_by(statement["params"])}
        if entry["parameter"] == "link_variants":
            assert read == of_links
        elif entry["parameter"] == "uptime_reasons":
            assert read == of_monitors
        elif entry["parameter"] == "custom_events":
            assert read == of_sites
        else:  # the organization's own events are custom ones
            assert read <= of_sites


@pytest.mark.parametrize("caller", sorted(STRANGERS))
def test_single_private_type_closes_the_whole_request(strangers: Strangers, caller: str) -> None:
    """Wire 1.22, in one query and in one of a batch."""
    public = {"parameters": ["top_pages"], "preset": "today"}
    for name, known in registry.TYPES.items():
        if known.is_public(values=False) or (known.needs and name != "session_events"):
            continue
        mixed = {"parameters": ["top_pages", name], "preset": "today"}
        for body in (mixed, [public, mixed]):
            answer = strangers.post(caller, "website_id={blog}", body)
            assert answer.status in {401, 403}, name
            assert found_in([answer]) == set()


def is_(field: str, op: str, value: Any) -> dict[str, Any]:
    return {"field": field, "op": op, "value": value}


OWN, SHOP, BLOG = "organization_id={own}", "website_id={shop}", "website_id={blog}"
# Filters that name something of others: who asks, in what, and the words that come back.
FILTERS: tuple[tuple[str, str, dict[str, Any], set[str]], ...] = (
    ("all", OWN, is_("website_id", "eq", "{foreign}"), set()),
    ("all", OWN, is_("website_id", "eq", "{other}"), set()),
    ("all", OWN, is_("website_id", "eq", ""), {"wordown"}),
    ("all", OWN, is_("website_id", "in", ["{shop}", "{foreign}"]), {"wordshop"}),
    ("restricted", OWN, is_("website_id", "eq", "{local}"), set()),
    ("restricted", OWN, is_("website_id", "eq", ""), set()),
    ("restricted", OWN, is_("website_id", "ne", "{shop}"), set()),
    ("apart", OWN, is_("website_id", "eq", "{shop}"), set()),
    ("all", SHOP, is_("website_id", "ne", "{shop}"), set()),
    ("all", SHOP, is_("website_id", "eq", ""), set()),
    ("all", SHOP, {"any": [is_("website_id", "eq", "{local}")]}, set()),
    ("nobody", BLOG, {"any": [is_("path", "contains", "word"), is_("website_id", "ne", "x")]}, {"wordblog"}),
)


@pytest.mark.parametrize(("caller", "target", "wanted", "words"), FILTERS)
def test_a_filter_opens_nothing(
    strangers: Strangers, caller: str, target: str, wanted: dict[str, Any], words: set[str]
) -> None:
    body = {
        "parameters": ["custom_events", *([] if caller == "nobody" else ["custom_event_properties"])],
        "preset": "today",
        "filters": [_filled(strangers, wanted)],
    }
    answer = strangers.post(caller, target, body)
    assert answer.status == 200, answer.json
    text = json.dumps([entry["data"] for entry in answer.json["data"]])
    assert {word for word in WORDS if word in text} == words


def _filled(strangers: Strangers, value: Any) -> Any:
    """With ids in place of their names."""
    if isinstance(value, dict):
        return {name: _filled(strangers, item) for name, item in value.items()}
    if isinstance(value, list):
        return [_filled(strangers, item) for item in value]
    return value.format(**strangers.ids)
