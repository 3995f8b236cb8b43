"""What a person is called: said on the profile page, shown to the members of the same organizations, written down."""

import pytest

from tests.inprocess import EMAIL, WholeBox
from tests.tenants.accounts.world import send

PROFILE = "/settings/profile"


def names(box: WholeBox, cookie: str) -> list[str]:
    return [one["name"] for one in box.post("/organizations/listMembers", {}, cookie=cookie).json]


def test_a_name_stands_beside_the_address_and_can_be_taken_back(box: WholeBox) -> None:
    cookie = box.cookie
    assert names(box, cookie) == [""]
    assert send(box, PROFILE, cookie, name="  Ada   Lovelace ").status == 303
    assert b'value="Ada Lovelace"' in box.get(PROFILE, cookie=cookie).body
    page = box.get("/settings/members", cookie=cookie).body.decode()
    assert "<bdi>Ada Lovelace</bdi>" in page
    assert f"<bdi>{EMAIL}</bdi>" in page
    assert names(box, cookie) == ["Ada Lovelace"]
    assert send(box, PROFILE, cookie, name="").status == 303
    assert names(box, cookie) == [""]


def test_a_form_without_it_leaves_the_name(box: WholeBox) -> None:
    cookie = box.cookie
    send(box, PROFILE, cookie, name="Ada")
    assert send(box, PROFILE, cookie, theme="dark").status == 303
    assert names(box, cookie) == ["Ada"]


@pytest.mark.parametrize("name", ["x" * 101, "Ada\u202eevol", "a\x00b"])
def test_invalid_name_is_reported_and_the_rest_of_the_form_is_not_saved(box: WholeBox, name: str) -> None:
    cookie = box.cookie
    refused = send(box, PROFILE, cookie, name=name, theme="dark")
    assert refused.status == 400
    assert b"Use at most 100 characters" in refused.body
    assert b'href="#name"' in refused.body
    assert b'data-theme="dark"' not in box.get(PROFILE, cookie=cookie).body
    assert names(box, cookie) == [""]


def test_markup_in_a_name_is_only_text(box: WholeBox) -> None:
    cookie, name = box.cookie, '<img src=x onerror="alert(1)">'
    send(box, PROFILE, cookie, name=name)
    for path in (PROFILE, "/settings/members", "/settings/audit"):
        page = box.get(path, cookie=cookie).body
        assert b"<img src=x" not in page
        assert b"&lt;img src=x" in page


def test_a_change_is_written_down_once(box: WholeBox) -> None:
    cookie = box.cookie
    for _ in range(2):
        send(box, PROFILE, cookie, name="Ada")
    found = box.post("/audit/list", {"subject": "user", "action": "updated"}, cookie=cookie).json
    assert [entry["detail"] for entry in found["entries"]] == [{"name": {"before": "", "after": "Ada"}}]
