"""A public website gives strangers figures and names; what its events carried only where its owner says so, too.

Every text that an event may carry has a secret of its own. None of them stands in any answer to a stranger, of either
engine, and no filter tells whether one is there.
"""

import json
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from analytics_box.base.facts.event import Event, Fact, FactSpan
from analytics_box.base.settings import Settings
from analytics_box.base.store.strings import Strings
from analytics_box.ingest.ledger import Ledger
from analytics_box.ingest.live import LiveSessions
from analytics_box.query.budget import PUBLIC_PARAMETERS
from analytics_box.query.catalog import registry
from analytics_box.query.catalog.values import id_text
from analytics_box.query.filters import COLUMNS, Op
from analytics_box.query.happened import LIMITS, MOST
from analytics_box.query.run import QueryRunner
from tests.cases import each
from tests.contract.conftest import unlimited
from tests.examples import is_thorough, some
from tests.inprocess import Answer, KeyName, WholeBox, whole_box
from tests.query.facts_of_all_kinds import ANA, BEN, visit
from tests.tenants.keys.world import cookie_of

# What an owner publishes with the second box, and what strangers never see.
VALUES = ("secret-property", "secret-message", "secret-link", "secret-text")
NEVER = ("secret-query", "secret-session", "secret-person", "secret-trait", "secret-stack", "secret-agent")
IDS = tuple(id_text(visitor) for visitor in (ANA, BEN))
OF_VALUES = {
    *("custom_event_properties", "custom_events_discovery", "custom_events_property_classification"),
    *("custom_events_property_top_values", "custom_events_property_distribution", "error_types", "outbound_links"),
}
HIDDEN = ("query_string", "message", "href", "text", "session_id")
# Beyond the fields that there are: how somebody might ask for what has no field.
MADE_UP = ("property_value", "properties", "properties.plan", "plan", "value", "trait:email", "stack", "user_agent")
STRANGERS: tuple[KeyName | None, ...] = (None, "foreign", "restricted")


def telling(fact: Fact) -> Fact:
    """The fact with a secret in each text that is no name."""
    if isinstance(fact, FactSpan):
        own = {
            "errors": ("TypeError", "secret-message", "app.js", 3, 4, "secret-stack"),
            "outgoing_links": ("https://x.example/secret-link", "secret-text", "x.example"),
        }.get(fact.table, fact.own)
        return replace(fact, own=own, query_string="secret-query", client_session="secret-session")
    assert isinstance(fact, Event)
    return replace(
        fact,
        query_string="secret-query",
        client_session="secret-session",
        profile="secret-person" if fact.visitor == BEN else "",
        properties=json.dumps({"plan": "secret-property", "list": ["secret-property"]}) if fact.properties else None,
        agent="secret-agent",
    )


@pytest.fixture(scope="module", params=["off", "on"])
def box(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    """A box whose public website has all secrets; answered by each engine."""

    def adjust(settings: Settings) -> Settings:
        return replace(unlimited(settings), columnar=request.param)

    with whole_box(tmp_path_factory.mktemp("values") / "data", adjust=adjust) as made:
        facts = [telling(fact) for fact in visit(made.numbers["blog"], made.clock.now())]
        ledger = Ledger(Strings(), LiveSessions())
        made.box.events.db.write_now(lambda db: ledger.append(db, facts))
        who = {"websiteId": made.sites["blog"], "profileId": "secret-person", "traits": {"email": "secret-trait"}}
        assert made.post("/identify", who, key="all").status == 200
        if request.param == "on":
            made.run(made.box.parts[QueryRunner].engines.maintain())
        assert made.box.parts[QueryRunner].engines.name == {"off": "sqlite", "on": "duckdb"}[request.param]
        yield made


@pytest.fixture
def published(box: WholeBox) -> Iterator[WholeBox]:
    """The same while its owner publishes values, too."""
    publish(box, values=True)
    yield box
    publish(box, values=False)


def publish(box: WholeBox, *, values: bool) -> None:
    given = {"id": box.sites["blog"], "isPublic": True, "publicValues": values}
    answer = box.post("/websites/togglePublic", given, cookie=box.cookie, sec_fetch_site="same-origin")
    assert answer.json["publicValues"] is values


def ask(box: WholeBox, types: list[str], *, key: KeyName | None = None, path: str = "", **more: Any) -> Answer:
    headers = {"accept": more.pop("accept")} if "accept" in more else {}
    body = {"parameters": types, "preset": "today", **more}
    return box.post(f"/v1/query{path}?website_id={box.sites['blog']}", body, key=key, **headers)


def secrets_in(*answers: Answer) -> set[str]:
    text = "".join(answer.body.decode() for answer in answers)
    return {secret for secret in (*VALUES, *NEVER, *IDS) if secret in text}


def public(*, values: bool = False) -> list[str]:
    return [name for name, known in registry.TYPES.items() if known.is_public(values=values)]


def asked(box: WholeBox, types: list[str], **more: Any) -> list[dict[str, Any]]:
    """The entries of these types, however many there are."""
    entries: list[dict[str, Any]] = []
    for at in range(0, len(types), PUBLIC_PARAMETERS):
        answer = ask(box, types[at : at + PUBLIC_PARAMETERS], **more)
        assert answer.status == 200, answer.json
        assert "LIMIT_EXCEEDED" not in answer.body.decode()
        assert secrets_in(answer) & {*NEVER, *IDS} == set()
        entries += answer.json["data"]
    return entries


def part(table: list[str], turn: int) -> list[str]:
    """A third of it, and all in a thorough run."""
    return table if is_thorough() else table[turn % 3 :: 3]


def test_types_that_show_values_are_said_not_to_be_public(box: WholeBox) -> None:
    assert {name for name, known in registry.TYPES.items() if known.values} == OF_VALUES
    configs = box.get("/v1/query/types").json["configs"]
    assert {name for name, config in configs.items() if config["publicAccess"]} == set(public())


def is_said_already(box: WholeBox, key: KeyName | None, name: str) -> bool:
    """Who asks is looked at before an engine is: all strangers ask SQLite, and those without a key DuckDB, too, in an
    ordinary run for what they get."""
    if box.box.parts[QueryRunner].engines.name == "sqlite":
        return False
    return key is not None or not (is_thorough() or name in public(values=True))


def strangers() -> list[tuple[KeyName | None, str]]:
    """Everybody and every type; in an ordinary run those with a key have some of the types."""
    types = sorted(registry.TYPES)
    return [(key, name) for key in STRANGERS for name in (types if key is None else some(types, 40))]


@each(("key", "name"), strangers())
def test_no_answer_to_a_stranger_holds_a_value(box: WholeBox, name: str, key: KeyName | None) -> None:
    if is_said_already(box, key, name):
        return
    whole = ask(box, [name], key=key)
    answers = [
        whole,
        ask(box, ["top_pages", name], key=key),
        ask(box, [name], key=key, limit=1, page=2),
        ask(box, [name], key=key, comparison="previous_period"),
        ask(box, [name], key=key, accept="text/csv"),
        ask(box, [name], key=key, path="/compile"),
    ]
    assert secrets_in(*answers) == set()
    if name in public():
        assert whole.status == 200
        assert whole.json["data"][0]["success"]
    else:
        assert {answer.status for answer in answers} == {401 if key is None else 403}


def test_signed_in_stranger_is_treated_as_anonymous(box: WholeBox) -> None:
    eve = cookie_of(box, "owner", organization_id=box.foreign_organization_id)
    target = f"/v1/query?website_id={box.sites['blog']}"
    for name in OF_VALUES:
        answer = box.post(target, {"parameters": [name], "preset": "today"}, cookie=eve, sec_fetch_site="same-origin")
        assert answer.status == 403


def test_no_order_shows_a_value(box: WholeBox) -> None:
    columns = {column for name in public() for column in registry.TYPES[name].sortable}
    of_duckdb = box.box.parts[QueryRunner].engines.name == "duckdb"
    for column in (*some(sorted(columns), 6 if of_duckdb else len(columns)), *HIDDEN, "property_value"):
        entries = asked(box, public(), sortBy=column, sortOrder="desc")
        assert "secret" not in json.dumps(entries)


@each(("turn", "field"), enumerate(sorted({*COLUMNS, *MADE_UP} - {*MOST}, key=lambda field: (field in HIDDEN, field))))
def test_no_filter_tells_a_stranger_whether_a_value_is_there(box: WholeBox, turn: int, field: str) -> None:
    """An ordinary run asks a third of the types for each field, and of hidden ones a third of the operators."""
    if box.box.parts[QueryRunner].engines.name == "duckdb" and field not in HIDDEN:
        return  # which filters count is decided before an engine is asked
    usual = "eq" if field in LIMITS else "contains"
    types = part(public(), turn)

    def answers(value: str, operator: str = usual) -> list[dict[str, Any]]:
        own = {"field": field, "op": operator, "value": value}
        either = {"any": [own, {"field": "path", "op": "eq", "value": "/a"}]}
        return asked(box, types, filters=[either] if field == "funnel_dropoff" else [either, own])

    assert answers("secret") == answers("nothing")
    if field in HIDDEN:
        for operator in part(sorted({*get_args(Op)} - {"regex"}), turn):
            by_secret = answers("secret", operator)
            assert by_secret == answers("nothing", operator)
            assert all(entry["success"] for entry in by_secret)
            assert not any(
                field in registry.TYPES[e["parameter"]].filters and not e["ignoredFilters"] for e in by_secret
            )


def test_strangers_have_no_patterns_searched_for(box: WholeBox) -> None:
    pattern = {"field": "path", "op": "regex", "value": "(a?){50}b"}
    for filters in ([pattern], [{"any": [{"field": "country", "op": "is_set"}, {"all": [pattern]}]}]):
        for entry in asked(box, ["top_pages", "summary_totals"], filters=filters):
            assert (entry["success"], entry["error"]) == (False, "Only members can filter by patterns")
        assert ask(box, ["top_pages"], key="all", filters=filters).json["data"][0]["success"]


@pytest.mark.parametrize("field", ["query_string", "message", "session_id"])
def test_the_filters_of_members_go_on_finding(box: WholeBox, field: str) -> None:
    name = "error_summary" if field == "message" else "custom_events_summary" if field == "session_id" else "top_pages"
    found = [
        ask(box, [name], key="all", filters=[{"field": field, "op": operator, "value": value}]).json["data"][0]
        for value, operator in (("secret", "contains"), ("nothing", "contains"))
    ]
    assert found[0]["data"] != found[1]["data"]
    assert all("ignoredFilters" not in entry for entry in found)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/websites/getPublicSummary", {"id": "{blog}"}, 200),
        ("/websites/getById", {"id": "{blog}"}, 200),
        ("/profiles/list", {"websiteId": "{blog}"}, 401),
        ("/profiles/list", {"websiteId": "{blog}", "search": "secret-person"}, 401),
        ("/profiles/export", {"websiteId": "{blog}", "profileId": "secret-person"}, 401),
        ("/v1/export/data", {"website_id": "{blog}"}, 401),
    ],
)
def test_nothing_else_shows_strangers_a_value(
    published: WholeBox, path: str, body: dict[str, str], status: int
) -> None:
    given = {name: value.format(**published.sites) for name, value in body.items()}
    answer = published.post(path, given)
    assert answer.status == status
    assert secrets_in(answer) == set()


@each(("key", "name"), strangers())
def test_public_values_publish_properties_but_no_visitor_id(
    published: WholeBox, name: str, key: KeyName | None
) -> None:
    if is_said_already(published, key, name):
        return
    answers = [ask(published, [name], key=key), ask(published, [name], key=key, accept="text/csv")]
    if name not in public(values=True):
        assert {answer.status for answer in answers} == {401 if key is None else 403}
        assert secrets_in(*answers) == set()
        return
    shown = {"error_types": {"secret-message"}, "outbound_links": {"secret-link", "secret-text"}}
    expected = shown.get(name, {"secret-property"} if name in OF_VALUES else set())
    assert {answer.status for answer in answers} == {200}
    assert secrets_in(answers[0]) == secrets_in(answers[1]) == expected


def test_with_the_second_box_filters_on_values_work_and_those_on_sessions_do_not(published: WholeBox) -> None:
    def entry(field: str) -> dict[str, Any]:
        given = [{"field": field, "op": "contains", "value": "nothing"}]
        return asked(published, ["outbound_domains"], filters=given)[0]

    assert entry("href")["data"] == entry("text")["data"] == entry("query_string")["data"] == []
    assert entry("session_id")["data"] != []
    assert entry("session_id")["ignoredFilters"] == ["session_id"]


def test_profiles_stay_private(published: WholeBox) -> None:
    for field in ("profile_id", "anonymous_id", "trait:email"):
        given = [{"field": field, "op": "eq", "value": "secret-person"}]
        for entry in asked(published, ["summary_totals", "top_pages"], filters=given):
            assert not entry["success"] or entry.get("ignoredFilters")
