"""Who somebody is, in queries: links that hold from a time on, filters on people and on what is known of them."""

from collections.abc import Callable, Iterator

import pytest

from analytics_box.base.clock import MINUTE
from analytics_box.base.errors import DeadlineExceeded, Unavailable
from analytics_box.base.store.db import Connection
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog.values import id_text
from analytics_box.query.run import ParameterAnswer
from tests.query.facts_of_all_kinds import ANA, page_view
from tests.query.world import World

SITE = 1


class KnownTraits:
    """Ann is on the plan pro, bob on free; broken ones cannot be read."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def having(self, site: int, trait: str, matches: Callable[[str], bool]) -> tuple[str, ...]:
        assert site == SITE
        self.asked.append(trait)
        if trait == "overloaded":
            raise Unavailable("Too many queries are running")
        if trait == "late":
            raise DeadlineExceeded("This took too long")
        if trait == "broken":
            raise ValueError("the seal is broken")
        return tuple(who for who, plan in (("ann", "pro"), ("bob", "free")) if trait == "plan" and matches(plan))


@pytest.fixture(scope="module")
def traits() -> KnownTraits:
    return KnownTraits()


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory, traits: KnownTraits) -> Iterator[World]:
    """One device: ann's from the first minute on, bob's from the third; another that nobody is known of."""
    world = World(tmp_path_factory.mktemp("people"), traits=traits)
    now = world.clock.now() - 10 * MINUTE
    views = [page_view(SITE, now + minute * MINUTE, f"/{minute}", ANA) for minute in range(5)]
    world.store_facts([*views, page_view(SITE, now, "/other", 99), page_view(SITE, now, "/named", 98, profile="cy")])

    def link(db: Connection) -> None:
        for name, minute in (("ann", 1), ("bob", 3)):
            db.execute("insert or ignore into strings (value) values (?)", (name,))
            db.execute(
                "insert into visitor_profiles (site, visitor, time, profile)"
                " values (?, ?, ?, (select id from strings where value = ?))",
                (SITE, ANA, now + minute * MINUTE, name),
            )

    world.db.write_now(link)
    yield world
    world.close()


def ask(world: World, name: str, *filters: dict[str, object], scope: ReadScope | None = None) -> ParameterAnswer:
    body: dict[str, object] = {"parameters": [name], "preset": "today", "filters": list(filters)}
    (entry,) = world.entries(body, scope or ReadScope((SITE,)), now=world.clock.now())
    return entry


def is_(field: str, value: object, op: str = "eq") -> dict[str, object]:
    return {"field": field, "op": op, "value": value}


def test_device_belongs_to_its_latest_profile_and_earlier_to_the_first(told: World) -> None:
    rows = {row["profile_id"] or row["visitor_id"]: row for row in ask(told, "profile_list").data}
    assert {who: row["total_events"] for who, row in rows.items()} == {"ann": 3, "bob": 2, "cy": 1, id_text(99): 1}
    assert rows["ann"]["country"] == "Germany"


@pytest.mark.parametrize(("who", "paths"), [("ann", {"/0", "/1", "/2"}), ("bob", {"/3", "/4"}), ("cy", {"/named"})])
def test_filter_by_profile_finds_only_its_events(told: World, who: str, paths: set[str]) -> None:
    assert {row["name"] for row in ask(told, "top_pages", is_("profile_id", who)).data} == paths
    others = {row["name"] for row in ask(told, "top_pages", is_("profile_id", who, "ne")).data}
    assert others.isdisjoint(paths)
    assert len(others | paths) == 7


def test_people_are_found_by_whether_they_are_known(told: World) -> None:
    assert {row["name"] for row in ask(told, "top_pages", {"field": "profile_id", "op": "is_not_set"}).data} == {
        "/other"
    }


def test_a_person_in_detail_is_theirs_alone(told: World) -> None:
    (row,) = ask(told, "profile_detail", is_("profile_id", "bob")).data
    assert (row["profile_id"], row["total_pageviews"], row["visitor_id"]) == ("bob", 2, "")


@pytest.mark.parametrize(
    ("filter_", "paths"),
    [
        (is_("trait:plan", "pro"), {"/0", "/1", "/2"}),
        (is_("trait:plan", ["pro", "free"], "in"), {"/0", "/1", "/2", "/3", "/4"}),
        (is_("trait:plan", "pro", "ne"), {"/3", "/4", "/other", "/named"}),
        (is_("trait:plan", "r", "contains"), {"/0", "/1", "/2", "/3", "/4"}),
        (is_("trait:plan", "^f", "regex"), {"/3", "/4"}),
        ({"field": "trait:plan", "op": "is_not_set"}, {"/other", "/named"}),
        (is_("trait:colour", "red"), set()),
    ],
)
def test_a_filter_on_a_trait_is_one_on_those_who_have_it(
    told: World, filter_: dict[str, object], paths: set[str]
) -> None:
    assert {row["name"] for row in ask(told, "top_pages", filter_).data} == paths


def test_traits_work_inside_groups(told: World) -> None:
    either: dict[str, object] = {"any": [is_("trait:plan", "free"), is_("path", "/0"), is_("path", "/other")]}
    assert {row["name"] for row in ask(told, "top_pages", either).data} == {"/0", "/3", "/4", "/other"}
    assert ask(told, "country", either).error == "Trait filters are not supported for country"


def test_each_trait_is_looked_for_once_in_a_request(told: World, traits: KnownTraits) -> None:
    wanted = [is_("trait:plan", "pro"), is_("trait:plan", "free", "ne"), is_("trait:colour", "red", "ne")]
    body: dict[str, object] = {
        "parameters": ["top_pages", "summary_totals", "session_list", "country", "profile_list", "session_metrics"],
        "preset": "today",
        "filters": [*wanted, {"any": wanted}],
    }
    traits.asked.clear()
    entries = told.entries(body, ReadScope((SITE,)), now=told.clock.now())
    assert [entry.success for entry in entries] == [True] * 5 + [False]
    assert sorted(traits.asked) == sorted(2 * ["colour", "plan", "plan"])  # for each of the two engines


def test_trait_lookup_on_a_busy_box_fails_the_request(told: World) -> None:
    with pytest.raises(Unavailable):
        ask(told, "top_pages", is_("trait:overloaded", "x"))


@pytest.mark.parametrize(
    ("name", "trait", "scope", "error"),
    [
        ("country", "plan", ReadScope((SITE,)), "Trait filters are not supported for country"),
        ("top_pages", "plan", ReadScope((SITE, 2)), "Trait filters are only supported for website queries"),
        (
            "top_pages",
            "plan",
            ReadScope((SITE,), subject="link"),
            "Trait filters are only supported for website queries",
        ),
        ("top_pages", "broken", ReadScope((SITE,)), "Trait filter failed"),
        ("top_pages", "late", ReadScope((SITE,)), "Trait filter failed"),
        ("top_pages", "plan", ReadScope((SITE,), people=False), "Trait filters are not supported for top_pages"),
    ],
)
def test_a_trait_that_cannot_be_asked_for_fails_alone(
    told: World, name: str, trait: str, scope: ReadScope, error: str
) -> None:  # wire 2.2
    entry = ask(told, name, is_(f"trait:{trait}", "pro"), scope=scope)
    assert (entry.success, entry.error) == (False, error)


@pytest.mark.parametrize("name", ["profile_list", "top_pages"])
def test_caller_with_figures_only_sees_no_visitors(told: World, name: str) -> None:
    entry = ask(told, name, is_("profile_id", "ann"), scope=ReadScope((SITE,), people=False))
    assert not entry.success
    nested: dict[str, object] = {"any": [is_("path", "/0"), is_("profile_id", "ann")]}
    assert not ask(told, name, nested, scope=ReadScope((SITE,), people=False)).success
    by_device = is_("anonymous_id", "ann")  # finds people by their profile id, too (wire 1.11)
    assert not ask(told, name, by_device, scope=ReadScope((SITE,), people=False)).success
