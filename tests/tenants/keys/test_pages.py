"""The pages under /settings/keys: they work without scripts, say what is, and show a secret once."""

import html
import json
import re
from typing import Any
from urllib.parse import urlencode

import pytest

from analytics_box.base.identity import SCOPES, Role
from analytics_box.tenants.keys.ring import KeyRing
from tests.inprocess import Answer, WholeBox
from tests.tenants.keys.world import audited, call, cookie_of, make, works

SECRET = re.compile(r"svc_[0-9A-Za-z]{48}")
HOSTILE = '"><script>alert(1)</script>'


def seen(box: WholeBox, path: str, cookie: str) -> Answer:
    return box.get(path, cookie=cookie)


def sent(box: WholeBox, path: str, fields: dict[str, str], cookie: str, **headers: str) -> Answer:
    form = {"content_type": "application/x-www-form-urlencoded", "cookie": cookie, **headers}
    return box.ask("POST", path, headers=form, body=urlencode(fields).encode())


def filled(**fields: str) -> dict[str, str]:
    """A good form; names are written with underscores for what a keyword cannot hold."""
    return {"name": "Nightly", "scope:read:data": "on", "reach": "all", **fields}


def made_by_page(box: WholeBox, owner: str, fields: dict[str, str]) -> tuple[str, str]:
    """The id and the secret of a key that the page has made."""
    answer = sent(box, "/settings/keys/new", fields, owner)
    assert answer.status == 200
    secret = SECRET.findall(answer.body.decode())[0]
    key = box.box.parts[KeyRing].look_up(secret)
    assert key is not None
    return key.id, secret


def entry(page: str, key_id: str) -> str:
    """What the list says of one key."""
    return page.split(f'id="key-{key_id}"', 1)[1].split("</li>", 1)[0]


def test_a_key_is_made_and_its_secret_shown_once_with_examples(box: WholeBox, owner: str) -> None:
    answer = sent(box, "/settings/keys/new", filled(**{"scope:track:events": "on"}), owner)
    page = answer.body.decode()
    assert answer.status == 200
    assert answer.headers["cache-control"] == "no-store"
    secret = SECRET.findall(page)[0]
    assert set(SECRET.findall(page)) == {secret}
    assert "/track&#39; -H &#39;x-api-key: " + secret in page
    assert "/v1/query?website_id=" in page
    assert works(box, secret)
    listed = seen(box, "/settings/keys", owner).body.decode()
    assert not SECRET.search(listed)
    assert f"{secret[:8]}…" in listed


def test_the_examples_fit_what_the_key_may(box: WholeBox, owner: str) -> None:
    page = sent(box, "/settings/keys/new", filled(), owner).body.decode()
    assert "/v1/query?website_id=" in page
    assert "/track" not in page


def test_page_of_a_new_key_connects_assistants_with_it(box: WholeBox, owner: str) -> None:
    page = html.unescape(sent(box, "/settings/keys/new", filled(), owner).body.decode())
    secret = SECRET.findall(page)[0]
    assert (
        f'--transport http analytics-box {box.box.settings.public_url}/v1/mcp --header "Authorization: Bearer' in page
    )
    for start in ('{"mcpServers": ', "code --add-mcp '"):
        command = page.split(start, 1)[1].split("</code>")[0]
        assert secret in command


def test_list_of_keys_connects_assistants_with_a_masked_key(box: WholeBox, owner: str) -> None:
    page = html.unescape(seen(box, "/settings/keys", owner).body.decode())
    file = json.loads(page.split('<code id="cursor">', 1)[1].split("</code>")[0])
    assert file["mcpServers"]["analytics-box"]["headers"] == {"Authorization": "Bearer svc_…"}
    assert not SECRET.search(page)


def test_examples_are_about_a_website_on_which_the_key_may(box: WholeBox, owner: str) -> None:
    shop, local = box.sites["shop"], box.sites["local"]
    fields = {"name": "Split", "reach": "some", f"website:{shop}": "on", f"website:{local}": "on"}
    fields |= {f"own:{shop}:track:events": "on", f"own:{local}:read:data": "on"}
    page = sent(box, "/settings/keys/new", fields, owner).body.decode()
    assert f"&#34;websiteId&#34;: &#34;{shop}&#34;" in page
    assert f"/v1/query?website_id={local}" in page


def test_a_key_for_chosen_websites_with_an_end_and_a_limit(box: WholeBox, owner: str) -> None:
    fields = filled(reach="some", expires="2027-01-31", max="10", window="30")
    key_id, _ = made_by_page(box, owner, fields | {f"website:{box.sites['shop']}": "on"})
    record = call(box, "getById", {"id": key_id}, owner).json
    assert record["resources"] == {f"website:{box.sites['shop']}": []}
    assert record["expiresAt"] == "2027-02-01T00:00:00.000Z"
    assert record["ratelimit"] == {"enabled": True, "max": 10, "window": 30}


def test_everything_of_a_key_can_be_said_on_the_page(box: WholeBox, owner: str) -> None:
    shop, local = box.sites["shop"], box.sites["local"]
    fields = filled(reach="some", tags="import, nightly", type="automation", expires="2026-12-24", expires_at="18:00")
    fields |= {"description": "By cron", "max": "10", "window": "30", "unlimited": "on"}
    fields |= {f"website:{shop}": "on", f"website:{local}": "on", f"own:{shop}:manage:websites": "on"}
    key_id, _ = made_by_page(box, owner, fields)
    record = call(box, "getById", {"id": key_id}, owner).json
    assert record["type"] == "automation"
    assert record["tags"] == ["import", "nightly"]
    assert record["description"] == "By cron"
    assert record["resources"] == {f"website:{shop}": ["manage:websites"], f"website:{local}": []}
    assert record["expiresAt"] == "2026-12-24T18:00:00.000Z"
    assert record["ratelimit"] == {"enabled": False, "max": 10, "window": 30}
    listed = entry(seen(box, "/settings/keys", owner).body.decode(), key_id)
    for words in ("An automation", "nightly", "Also on Shop", "Add, edit and delete websites", "24 Dec 2026, 18:00"):
        assert words in listed
    assert "at most 10 requests" not in listed, "that limit rests"
    form = seen(box, f"/settings/keys/{key_id}", owner).body.decode()
    assert f'name="own:{shop}:manage:websites" checked' in form
    assert f'name="own:{local}:manage:websites" checked' not in form


def test_a_key_is_switched_off_and_on_again(box: WholeBox, owner: str) -> None:
    made = make(box, owner, name="Nightly")
    switch = f"/settings/keys/{made['id']}"
    assert f'action="{switch}/disable"' in seen(box, "/settings/keys", owner).body.decode()
    answer = sent(box, f"{switch}/disable", {}, owner)
    assert (answer.status, answer.headers["location"]) == (303, f"/settings/keys?done=disabled#key-{made['id']}")
    assert not works(box, made["secret"])
    listed = seen(box, "/settings/keys?done=disabled", owner).body.decode()
    assert "Disabled" in listed
    assert f'action="{switch}/enable"' in listed
    assert sent(box, f"{switch}/enable", {}, owner).status == 303
    assert works(box, made["secret"])
    assert audited(box, made["id"]) == ["created", "updated", "updated"]
    assert seen(box, f"{switch}/disable", owner).status == 404, "there is no page to confirm it"
    assert call(box, "revoke", {"id": made["id"]}, owner).status == 200
    assert sent(box, f"{switch}/enable", {}, owner).status == 409, "a revoked key stays revoked"
    assert sent(box, f"{switch}/disable", {}, cookie_of(box, "member")).status == 403


WRONG: list[tuple[dict[str, str], str]] = [
    ({"name": "", "scope:read:data": "on", "reach": "all"}, "Enter a name."),
    ({"name": "x" * 101, "scope:read:data": "on", "reach": "all"}, "Use up to 100 characters."),
    ({"name": "Key", "reach": "all"}, "Select at least one permission."),
    ({"name": "Key", "scope:read:everything": "on", "reach": "all"}, "Select at least one permission."),
    ({"name": "Key", "scope:read:data": "on", "reach": "some"}, "Select at least one website"),
    ({"name": "Key", "scope:read:data": "on", "reach": "some", "website:x": "on"}, "website"),
    ({"name": "Key", "scope:read:data": "on", "expires": "2020-01-01"}, "a time in the future"),
    ({"name": "Key", "scope:read:data": "on", "expires": "9999-12-31"}, "Enter a date such as"),
    ({"name": "Key", "scope:read:data": "on", "expires": "soon"}, "Enter a date such as"),
    ({"name": "Key", "scope:read:data": "on", "expires_at": "18:00"}, "Enter a date such as"),
    ({"name": "Key", "scope:read:data": "on", "expires": "2027-01-31", "expires_at": "noon"}, "Enter a date such as"),
    ({"name": "Key", "scope:read:data": "on", "tags": "a,b,c,d,e,f,g,h,i,j,k"}, "up to 10 tags"),
    ({"name": "Key", "own:x:read:data": "on", "reach": "all"}, "Select at least one permission."),
    ({"name": "Key", "own:x:read:data": "on", "website:y": "on", "reach": "some"}, "Select a website above"),
    ({"name": "Key", "scope:read:data": "on", "own:x:read:data": "on", "reach": "all"}, "website"),
    ({"name": "Key", "scope:read:data": "on", "max": "many"}, "whole numbers"),
    ({"name": "Key", "scope:read:data": "on", "max": "0"}, "at least 1"),
]


@pytest.mark.parametrize(("fields", "words"), WRONG)
def test_a_form_that_is_wrong_comes_back(box: WholeBox, owner: str, fields: dict[str, str], words: str) -> None:
    before = len(box.box.parts[KeyRing].all())
    answer = sent(box, "/settings/keys/new", fields, owner)
    assert answer.status == 400
    assert words in answer.body.decode()
    assert len(box.box.parts[KeyRing].all()) == before


def test_form_of_a_key_shows_all_errors_together(box: WholeBox, owner: str) -> None:
    fields = {"name": "", "reach": "some", "expires": "soon", "max": "many"}
    page = sent(box, "/settings/keys/new", fields, owner).body.decode()
    for words in (
        "Enter a name.",
        "Select at least one permission.",
        "Select at least one website",
        "Enter a date such as",
    ):
        assert words in page
    assert "Enter whole numbers." in page


def test_a_key_is_edited(box: WholeBox, owner: str) -> None:
    made = make(box, owner, name="Before", scopes=["read:data"], tags=["kept"])
    form = seen(box, f"/settings/keys/{made['id']}", owner).body.decode()
    assert 'value="Before"' in form
    assert re.search(r'name="scope:read:data" checked', form)
    assert not re.search(r'name="scope:track:events" checked', form)
    assert 'name="tags" type="text" autocomplete="off" value="kept"' in form
    fields = {"name": "After", "scope:track:events": "on", "reach": "all", "tags": "kept, nightly"}
    answer = sent(box, f"/settings/keys/{made['id']}", fields, owner)
    assert (answer.status, answer.headers["location"]) == (303, "/settings/keys?done=updated")
    record = call(box, "getById", {"id": made["id"]}, owner).json
    assert (record["name"], record["scopes"], record["tags"]) == ("After", ["track:events"], ["kept", "nightly"])
    assert box.get("/v1/query/websites", x_api_key=made["secret"]).status == 403


@pytest.mark.parametrize(("ending", "status"), [("rotate", 200), ("revoke", 303), ("delete", 303)])
def test_an_end_is_confirmed_by_name_and_is_at_once(box: WholeBox, owner: str, ending: str, status: int) -> None:
    made = make(box, owner, name="Nightly import")
    asked = seen(box, f"/settings/keys/{made['id']}/{ending}", owner)
    assert asked.status == 200
    assert f"{ending.capitalize()} Nightly import?" in asked.body.decode()
    assert works(box, made["secret"])  # asking does nothing
    answer = sent(box, f"/settings/keys/{made['id']}/{ending}", {}, owner)
    assert answer.status == status
    assert not works(box, made["secret"])
    assert audited(box, made["id"])[1:] == [{"rotate": "rotated", "revoke": "revoked", "delete": "deleted"}[ending]]
    if ending == "rotate":
        assert works(box, SECRET.findall(answer.body.decode())[0])


def test_a_key_that_may_do_everything_says_so_in_a_word(box: WholeBox, owner: str) -> None:
    everything, most = (make(box, owner, scopes=scopes) for scopes in (list(SCOPES), list(SCOPES[1:])))
    page = seen(box, "/settings/keys", owner).body.decode()
    assert "Full access" in entry(page, everything["id"])
    assert "Everything" not in entry(page, most["id"])


def test_states_are_said_as_they_are(box: WholeBox, owner: str) -> None:
    make(box, owner, name="Fresh")
    used = make(box, owner, name="Used")
    works(box, used["secret"])
    ended = make(box, owner, name="Ended")
    call(box, "revoke", {"id": ended["id"]}, owner)
    page = seen(box, "/settings/keys", owner).body.decode()
    assert "Last used" in entry(page, used["id"])
    assert "Revoked" in entry(page, ended["id"])
    assert "/rotate" not in entry(page, ended["id"])
    assert "Never used" in entry(page, ended["id"])


@pytest.mark.parametrize(
    ("role", "path", "status"),
    [
        ("viewer", "/settings/keys", 200),
        ("viewer", "/settings/keys/new", 403),
        ("member", "/settings/keys/new", 200),
        ("member", "/settings/keys/{id}", 403),
        ("member", "/settings/keys/{id}/delete", 403),
        ("admin", "/settings/keys/{id}", 200),
        ("admin", "/settings/keys/{id}/delete", 200),
    ],
)
def test_roles_see_what_they_may_do(box: WholeBox, owner: str, role: Role, path: str, status: int) -> None:
    made = make(box, owner)
    cookie = cookie_of(box, role)
    assert seen(box, path.format(id=made["id"]), cookie).status == status
    listed = seen(box, "/settings/keys", cookie).body.decode()
    assert ("/delete" in listed) == (role in {"admin", "owner"})
    if status == 403:
        assert sent(box, path.format(id=made["id"]), filled(), cookie).status == 403
        assert works(box, made["secret"])


def test_a_member_cannot_give_more_by_another_form(box: WholeBox) -> None:
    cookie = cookie_of(box, "member")
    assert sent(box, "/settings/keys/new", filled(**{"scope:manage:config": "on"}), cookie).status == 403
    own = {f"own:{box.sites['shop']}:manage:websites": "on"}
    assert sent(box, "/settings/keys/new", filled(**own), cookie).status == 403
    page = seen(box, "/settings/keys/new", cookie).body.decode()
    assert re.search(r'name="scope:manage:config" disabled', page)


@pytest.mark.parametrize("path", ["/settings/keys/new", "/settings/keys/{id}/delete"])
def test_forms_of_another_site_do_nothing(box: WholeBox, owner: str, path: str) -> None:
    made = make(box, owner)
    answer = sent(box, path.format(id=made["id"]), filled(), owner, sec_fetch_site="cross-site")
    assert answer.status == 403
    assert works(box, made["secret"])


def test_keys_of_another_organization_are_not_there(box: WholeBox, owner: str) -> None:
    foreign = next(key.id for key in box.box.parts[KeyRing].all() if key.organization_id == box.foreign_organization_id)
    for path in (f"/settings/keys/{foreign}", f"/settings/keys/{foreign}/delete", "/settings/keys/unknown/revoke"):
        assert seen(box, path, owner).status == 404
        assert sent(box, path, filled(), owner).status == 404
    assert foreign not in seen(box, "/settings/keys", owner).body.decode()


def test_names_are_text(box: WholeBox, owner: str) -> None:
    key_id, _ = made_by_page(box, owner, filled(name=HOSTILE, description=HOSTILE))
    paths: list[Any] = ["/settings/keys", *(f"/settings/keys/{key_id}{rest}" for rest in ("", "/rotate", "/delete"))]
    for path in paths:
        page = seen(box, path, owner).body.decode()
        assert "<script>alert" not in page
        assert "alert(1)" in page
        assert not re.search(r"<[^>]*\s(style|on\w+)=", page.replace(HOSTILE, ""))


def test_every_scope_has_its_words(box: WholeBox, owner: str) -> None:
    page = seen(box, "/settings/keys/new", owner).body.decode()
    assert set(re.findall(r'name="scope:([^"]+)"', page)) == set(SCOPES)
