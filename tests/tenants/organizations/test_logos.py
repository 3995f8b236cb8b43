"""Logos: by the form and by RPC, who sees them, and under which headers they are served."""

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from analytics_box.base.settings import Settings
from analytics_box.tenants.organizations import image
from tests.inprocess import Answer, KeyName, whole_box
from tests.tenants.organizations.pictures import BOUNDARY, JPEG, PNG, WEBP, form, png
from tests.tenants.organizations.world import World

LOGO = "/settings/organization/logo"


def unlimited(settings: Settings) -> Settings:
    return replace(settings, limit_sign_in=0, limit_rpc=0)


@pytest.fixture
def people(tmp_path: Path) -> Iterator[World]:
    with whole(tmp_path / "data") as found:
        yield found


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """For tests that change nothing."""
    with whole(tmp_path_factory.mktemp("logos") / "data") as found:
        yield found


@contextmanager
def whole(directory: Path) -> Iterator[World]:
    with whole_box(directory, adjust=unlimited) as inside:
        found = World(inside)
        for name, role in (("kim", "admin"), ("ken", "member"), ("lin", "viewer")):
            found.add(name, role)  # type: ignore[arg-type]  # one of the roles
        found.add("eve", "owner", inside.foreign_organization_id)
        yield found


def upload(people: World, name: str = "ada", content: bytes = PNG, **more: object) -> Answer:
    return people.call(name, "organizations.uploadLogo", image=base64.b64encode(content).decode(), **more)


def path(people: World) -> str:
    """Where the logo is, by what organizations.getById says."""
    address = people.call("ada", "organizations.getById").json["logo"]
    return str(address).removeprefix("http://localhost:8000") if address else ""


def test_a_logo_is_uploaded_by_form_and_shown_in_the_frame(people: World) -> None:
    assert people.call("ada", "organizations.getById").json["logo"] is None
    answer = people.send_bytes("ada", LOGO, form(PNG))
    assert (answer.status, answer.headers["location"]) == (303, "/settings/organization?done=logo")
    page = people.see("ada", "/settings/organization?done=logo").body.decode()
    assert "The logo was uploaded." in page
    assert f'<img class="logo-large" src="{path(people)}"' in page
    people.call("ada", "organizations.create", name="Home")  # with two there is a switch
    assert f'<img class="logo" src="{path(people)}"' in people.see("ada", "/sites").body.decode()


@pytest.mark.parametrize(
    ("content", "kind"), [(PNG, "image/png"), (JPEG, "image/jpeg"), (WEBP, "image/webp")], ids=["png", "jpeg", "webp"]
)
def test_logo_is_served_with_its_type_and_a_strict_policy(people: World, content: bytes, kind: str) -> None:
    sent = form(content, name="logo.html", kind="text/html")  # what is said of it counts for nothing
    assert people.send_bytes("ada", LOGO, sent).status == 303
    answer = people.see("ada", path(people))
    assert (answer.status, answer.body) == (200, content)
    assert answer.headers["content-type"] == kind
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert answer.headers["cache-control"] == "private, max-age=31536000, immutable"
    again = people.box.get(path(people), cookie=people.cookie("ada"), if_none_match=answer.headers["etag"])
    assert (again.status, again.body) == (304, b"")


def test_another_picture_has_another_address_and_the_old_one_is_gone(people: World) -> None:
    upload(people)
    before = path(people)
    upload(people, content=png(shade=200))
    assert path(people) != before
    assert people.see("ada", path(people)).body == png(shade=200)
    assert people.see("ada", before).status == 404
    assert people.call("ada", "organizations.deleteLogo").json == {"success": True}
    assert path(people) == ""
    assert people.call("ada", "organizations.deleteLogo").json == {"success": True}


def test_the_form_takes_it_away(people: World) -> None:
    upload(people)
    answer = people.send("kim", f"{LOGO}/delete")
    assert answer.headers["location"] == "/settings/organization?done=logo-deleted"
    assert path(people) == ""


def test_data_url_is_accepted_as_a_logo(people: World) -> None:
    text = f"data:image/svg+xml;base64,{base64.b64encode(PNG).decode()}"
    assert people.call("ada", "organizations.uploadLogo", image=text).status == 200
    assert people.see("ada", path(people)).headers["content-type"] == "image/png"


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ("not base64!", "as base64"),
        ("ü", "as base64"),
        (base64.b64encode(b"<svg/>").decode(), "PNG, JPEG or WebP"),
        (base64.b64encode(PNG[:40]).decode(), "damaged"),
        (base64.b64encode(PNG + bytes(image.MOST_BYTES)).decode(), "512 KB"),
    ],
)
def test_invalid_image_is_refused(unchanged: World, sent: str, message: str) -> None:
    answer = unchanged.call("ada", "organizations.uploadLogo", image=sent)
    assert (answer.status, answer.json["code"]) == (400, "BAD_REQUEST")
    assert message in answer.json["error"]
    assert answer.json["details"][0]["field"] == "image"
    assert path(unchanged) == ""


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (form(b""), "Choose an image"),
        (form(PNG, field="other"), "Choose an image"),
        (form(b"<svg/>"), "Choose a PNG, JPEG or WebP image"),
        (form(PNG + bytes(image.MOST_BYTES)), "up to 512 KB"),
        (form(PNG + bytes(3 * image.MOST_BYTES)), "up to 512 KB"),
    ],
    ids=["nothing chosen", "another field", "svg", "a byte too many", "far too many"],
)
def test_the_form_says_what_is_wrong_at_the_field(unchanged: World, body: bytes, said: str) -> None:
    answer = unchanged.send_bytes("ada", LOGO, body)
    assert answer.status == 400
    page = answer.body.decode()
    assert 'id="image-error"' in page
    assert said in page
    assert path(unchanged) == ""


@pytest.mark.parametrize(
    "body",
    [b"", b"nonsense", form(PNG)[:-20], form(PNG).replace(b"form-data", b"other", 1), b"--" + b"-" * 9_000],
    ids=["nothing", "no form", "an end too early", "no name", "no boundary"],
)
def test_a_broken_form_is_refused(unchanged: World, body: bytes) -> None:
    assert unchanged.send_bytes("ada", LOGO, body).status == 400
    kind = "multipart/form-data"  # without a boundary
    headers = {"content_type": kind, "cookie": unchanged.cookie("ada"), "sec_fetch_site": "same-origin"}
    assert unchanged.box.ask("POST", LOGO, headers=headers, body=body).status == 400
    assert unchanged.send("ada", LOGO, image="x").status == 415


def test_the_largest_picture_goes_through_both_ways(people: World) -> None:
    noise = b"".join(bytes([at * 37 % 251, at * 11 % 241]) for at in range(300_000))
    large = JPEG[:-2] + noise.replace(b"\xff", b"\xfe")
    large = large[: image.MOST_BYTES - 2] + b"\xff\xd9"
    assert len(large) == image.MOST_BYTES
    assert upload(people, content=large).status == 200
    assert people.call("ada", "organizations.deleteLogo").status == 200
    assert people.send_bytes("ada", LOGO, form(large, name="n" * 200)).status == 303
    assert people.see("ada", path(people)).body == large


@pytest.mark.parametrize(("name", "status"), [("ada", 200), ("kim", 200), ("ken", 403), ("lin", 403), ("eve", 403)])
def test_owners_and_admins_change_it(people: World, name: str, status: int) -> None:
    own = people.box.organization_id
    assert upload(people, name, organizationId=own).status == status
    upload(people)
    assert people.call(name, "organizations.deleteLogo", organizationId=own).status == status
    if status == 403 and name != "eve":
        assert people.send_bytes(name, LOGO, form(PNG)).status == 403
        assert people.send(name, f"{LOGO}/delete").status == 403
        assert LOGO not in people.see(name, "/settings/organization").body.decode()


def test_keys_need_manage_config_and_global_access(people: World) -> None:
    sent = {"image": base64.b64encode(PNG).decode()}
    asked: tuple[tuple[KeyName, int], ...] = (("reading", 403), ("restricted", 403), ("revoked", 401), ("all", 200))
    for key, status in asked:
        assert people.box.post("/organizations/uploadLogo", sent, key=key).status == status, key
        assert people.box.post("/organizations/deleteLogo", {}, key=key).status == status, key
    assert people.box.post("/organizations/uploadLogo", sent).status == 401


def test_only_members_and_keys_of_the_organization_load_it(people: World) -> None:
    upload(people)
    where = path(people)
    for name in ("ada", "kim", "ken", "lin"):
        assert people.see(name, where).status == 200
    assert people.box.get(where, x_api_key=people.box.keys["all"]).status == 200
    theirs = people.see("eve", where)
    unknown = people.see("eve", f"/logos/nowhere/{'0' * 32}")
    assert theirs.status == unknown.status == 404
    assert theirs.json["error"] == unknown.json["error"]
    assert people.box.get(where, x_api_key=people.box.keys["foreign"]).status == 404
    assert people.box.get(where).status == 401
    # the same picture of another organization is no way in
    assert upload(people, "eve").status == 200
    assert people.see("eve", where).status == 404


def test_a_closed_organization_shows_no_logo(people: World) -> None:
    upload(people)
    where = path(people)
    people.call("ada", "organizations.create", name="Home")
    people.call("ada", "organizations.delete", organizationId=people.box.organization_id)
    assert people.see("ada", where).status == 404
    people.call("ada", "organizations.restore", organizationId=people.box.organization_id)
    assert people.see("ada", where).status == 200


def test_the_audit_log_names_the_picture_but_does_not_hold_it(people: World) -> None:
    upload(people)
    upload(people)  # the same again is no change
    people.call("ada", "organizations.deleteLogo")
    entries = people.call("ada", "audit.list", subject="organization").json["entries"][:2]
    digest = entries[1]["detail"]["logo"]
    assert entries[1]["detail"] == {"logo": digest, "type": "image/png", "bytes": len(PNG)}
    assert entries[0]["detail"] == {"logo": {"before": digest, "after": None}}
    assert base64.b64encode(PNG).decode()[:40] not in str(entries)


def test_a_form_of_another_site_is_refused(unchanged: World) -> None:
    kind = f"multipart/form-data; boundary={BOUNDARY}"
    headers = {"content_type": kind, "cookie": unchanged.cookie("ada"), "sec_fetch_site": "cross-site"}
    assert unchanged.box.ask("POST", LOGO, headers=headers, body=form(PNG)).status == 403
    assert path(unchanged) == ""
