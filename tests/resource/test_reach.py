"""Reach: the resources that a caller can act on, and the role with which."""

import apsw
import pytest
from msgspec import Struct

from analytics_box.base.acting import By
from analytics_box.base.errors import Forbidden, NotFound
from analytics_box.resource.reach import Reach, check, in_reach, role_of

ANNA = By("user:anna", 0, user_id="anna")


class Gate(Struct, frozen=True):
    organization_id: str
    website_id: str | None = None


@pytest.fixture
def db() -> apsw.Connection:
    made = apsw.Connection(":memory:")
    made.execute(
        """
        create table organizations (id text, deleted_at integer);
        create table members (organization_id text, user_id text, role text);
        insert into organizations values ('own', null), ('gone', 1);
        insert into members values ('own', 'anna', 'member'), ('gone', 'anna', 'owner');
        """
    )
    return made


def test_resource_of_another_organization_is_not_found() -> None:
    own = Reach("own", ANNA)
    assert in_reach(own, Gate("own", "shop"), "link", "x") == Gate("own", "shop")
    for row in (None, Gate("other")):
        with pytest.raises(NotFound):
            in_reach(own, row, "link", "x")


def test_restricted_key_reaches_only_resources_of_its_websites() -> None:
    own = Reach("own", By("apikey:1", 0), frozenset(("shop",)))
    assert [own.covers(Gate("own", website)) for website in ("shop", "blog", None)] == [True, False, False]


def test_role_in_the_organization_decides(db: apsw.Connection) -> None:
    check(db, Reach("own", ANNA), "member")
    with pytest.raises(Forbidden):
        check(db, Reach("own", ANNA), "admin")


def test_deleted_organization_has_no_members(db: apsw.Connection) -> None:
    with pytest.raises(Forbidden):
        role_of(db, "gone", ANNA)


def test_key_acts_as_an_admin(db: apsw.Connection) -> None:
    assert role_of(db, "own", By("apikey:1", 0)) == "admin"
