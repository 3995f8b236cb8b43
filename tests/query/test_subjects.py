"""What a query can be about is said once: the parameter that names it, and who may read it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.base.errors import AuthRequired, BoxError, Forbidden, MissingTarget
from analytics_box.base.identity import ApiKey, Identity
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.subjects import Subjects
from tests.inprocess import WholeBox, whole_box

TYPE = ("summary_totals",)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    folder: Path = tmp_path_factory.mktemp("subjects") / "data"
    with whole_box(folder) as inside:
        yield inside


def key_of(box: WholeBox, *websites: str) -> Identity:
    """A key of the owner's organization, of single websites if any are given."""
    held = frozenset(("read:data",))
    return Identity("203.0.113.7", ApiKey("k", box.organization_id, "Key", "svc", held, frozenset(websites) or None))


def asked(box: WholeBox, given: dict[str, str], who: Identity) -> ReadScope | type[BoxError]:
    """What a request with these parameters reads, or how it is refused."""
    try:
        return box.run(box.box.parts[Subjects].of_request(who, given, TYPE))
    except BoxError as refused:
        return type(refused)


NOBODY = Identity("203.0.113.7")


def test_a_website_is_read_by_its_number(box: WholeBox) -> None:
    found = asked(box, {"website_id": box.sites["shop"]}, key_of(box))
    assert isinstance(found, ReadScope)
    assert (found.sites, found.subject, found.public) == ((box.numbers["shop"],), "website", False)


def test_without_a_name_it_is_the_caller_s_organization(box: WholeBox) -> None:
    for given in ({}, {"organization_id": ""}, {"organization_id": box.organization_id}):
        found = asked(box, given, key_of(box))
        assert isinstance(found, ReadScope)
        assert set(found.sites) == {number for name, number in box.numbers.items() if name != "foreign"}
        assert found.owner


def test_a_key_of_single_websites_has_no_organization_of_its_own(box: WholeBox) -> None:
    key = key_of(box, box.sites["shop"])
    assert asked(box, {}, key) is MissingTarget
    found = asked(box, {"organization_id": box.organization_id}, key)
    assert isinstance(found, ReadScope)
    assert (found.sites, found.owner) == ((box.numbers["shop"],), 0)


@pytest.mark.parametrize("parameter", ["link_id", "schedule_id", "website_id", "organization_id"])
def test_missing_subject_is_refused_like_a_foreign_one(box: WholeBox, parameter: str) -> None:
    others = {"website_id": box.sites["foreign"], "organization_id": box.foreign_organization_id}
    for subject_id in ("nothing", others.get(parameter, "nothing")):
        assert asked(box, {parameter: subject_id}, key_of(box)) is Forbidden
        assert asked(box, {parameter: subject_id}, NOBODY) is AuthRequired


@pytest.mark.parametrize("first", ["link_id", "schedule_id"])
def test_of_several_the_first_in_the_table_counts(box: WholeBox, first: str) -> None:
    website = {"website_id": box.sites["shop"]}
    assert asked(box, {first: "nothing"} | website, key_of(box)) is Forbidden
    assert isinstance(asked(box, website | {"organization_id": "nothing"}, key_of(box)), ReadScope)


def test_every_type_is_about_something_that_can_be_named(box: WholeBox) -> None:
    subjects = box.box.parts[Subjects]
    assert {query_type.subject for query_type in TYPES.values()} <= subjects.names
