"""Logos and favicons of status pages: uploaded or fetched once, checked, and served by the box."""

import asyncio
import base64
from pathlib import Path

import msgspec
import pytest

from analytics_box.base.errors import BadRequest, NotFound
from analytics_box.base.store.seal import Seal
from analytics_box.products.status_pages import pictures
from analytics_box.products.status_pages.pictures import GOOD_FOR, PagePicture, Upload, token_of, upload_of
from analytics_box.tenants.keys.ring import KeyRing
from tests.base.outgoing.places import OPEN, client_of, plain, web
from tests.cases import each
from tests.inprocess import Answer
from tests.products.status_pages.world import World
from tests.tenants.organizations.pictures import JPEG, PNG, WEBP, png

LARGE = b"\x89PNG\r\n\x1a\n" + b"x" * (512 * 1024)
BOX = "http://localhost:8000"


def url_for(world: World, page_id: str, asset: str = "logo", **given: str) -> str:
    """Where a picture can be uploaded now, as a path."""
    made = world.good("createAssetUploadUrl", statusPageId=page_id, asset=asset, **given)
    assert made["method"] == "PUT"
    return str(made["uploadUrl"]).removeprefix(BOX)


def put(world: World, path: str, content: bytes) -> Answer:
    return world.box.ask("PUT", path, headers={"content_type": "image/png"}, body=content)


@each("content", [PNG, JPEG, WEBP])
def test_an_uploaded_picture_is_served_at_once(shared: World, content: bytes) -> None:
    known = shared.pages.by_slug("uploads")
    page_id = known.page.id if known is not None else shared.page("uploads")
    answer = put(shared, url_for(shared, page_id), content)
    assert answer.status == 200
    served = answer.json["url"]
    assert shared.good("get", statusPageId=page_id)["logoUrl"] == served
    assert shared.box.get(served.removeprefix(BOX)).body == content
    before = shared.known(page_id).page
    again = shared.good("update", statusPageId=page_id, logoUrl=served, name="Shop")  # as `get` tells it
    assert (again["logoUrl"], shared.known(page_id).page.logo) == (served, before.logo)


def test_the_favicon_is_another_picture_and_null_removes_one(shared: World) -> None:
    page_id = shared.page("icons")
    served = {
        asset: put(shared, url_for(shared, page_id, asset), png(shade=shade)).json["url"]
        for shade, asset in enumerate(("logo", "favicon"))
    }
    shown = shared.good("get", statusPageId=page_id)
    assert (shown["logoUrl"], shown["faviconUrl"]) == (served["logo"], served["favicon"])
    assert shared.good("update", statusPageId=page_id, logoUrl=None)["logoUrl"] is None
    assert shared.box.get(served["logo"].removeprefix(BOX)).status == 404
    assert shared.box.get(served["favicon"].removeprefix(BOX)).status == 200
    assert shared.rows("select kind from status_page_files where page_id = ?", page_id) == [("favicon",)]


@each(
    ("content", "status", "message"),
    [
        (b"", 400, "Send the image as the body"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", 400, "Choose a PNG, JPEG or WebP image"),
        (PNG[:-20], 400, "This image is damaged or not supported"),
        (LARGE, 413, "The image can have up to 512 KB"),
    ],
)
def test_invalid_image_is_refused(shared: World, content: bytes, status: int, message: str) -> None:
    known = shared.pages.by_slug("no-pictures")
    page_id = known.page.id if known is not None else shared.page("no-pictures")
    answer = put(shared, url_for(shared, page_id), content)
    assert (answer.status, answer.json["error"]) == (status, message)
    assert shared.known(page_id).page.logo == ""


def test_an_upload_address_is_good_for_ten_minutes_and_for_one_page(world: World) -> None:
    page_id = world.page()
    path = url_for(world, page_id)
    start, token = path.rpartition("/")[0], path.rpartition("/")[2]
    for forged in (
        token[:-1] + ("A" if token[-1] != "A" else "B"),
        "x",
        "%20",
        "ä",
        base64.b64encode(b"{}" * 20).decode(),
    ):
        assert put(world, f"{start}/{forged}", PNG).status == 404
    later = url_for(world, page_id)
    world.box.clock.advance(seconds=599)
    assert put(world, path, PNG).status == 200
    world.box.clock.advance(seconds=1)
    assert put(world, later, PNG).status == 404
    path = url_for(world, page_id)
    world.good("delete", statusPageId=page_id)
    assert put(world, path, PNG).status == 404


def test_an_upload_address_works_once_however_it_is_written(world: World) -> None:
    page_id = world.page()
    path = url_for(world, page_id)
    assert put(world, path, b"no picture").status == 400
    assert put(world, path, PNG).status == 200
    before = world.known(page_id).page.logo
    for again in (path, f"{path}%3D", f"{path}%21", f"{path}%0A"):
        assert put(world, again, png(shade=7)).status == 404
    assert world.known(page_id).page.logo == before
    assert put(world, url_for(world, page_id), png(shade=7)).status == 200
    assert world.known(page_id).page.logo != before
    world.box.clock.advance(seconds=601)
    assert put(world, url_for(world, page_id), PNG).status == 200
    kept = world.box.box.box_db.read_now(lambda db: db.execute("select count(*) from status_page_uploads").fetchall())
    assert kept == [(1,)]  # those that have expired are forgotten


def test_an_address_ends_with_the_membership_of_who_asked_for_it_before_a_body_is_read(world: World) -> None:
    page_id, cookie = world.page(), world.member
    path = url_for(world, page_id, cookie=cookie)
    world.box.box.box_db.write_now(lambda db: db.execute("delete from members where role = 'member'") and None)
    assert put(world, path, LARGE).status == 403
    assert world.known(page_id).page.logo == ""


def test_former_admin_cannot_upload(world: World) -> None:
    page_id, cookie = world.page(), world.member
    path = url_for(world, page_id, cookie=cookie)
    world.box.box.box_db.write_now(
        lambda db: db.execute("update members set role = 'viewer' where role = 'member'") and None
    )
    assert put(world, path, PNG).status == 403
    assert world.known(page_id).page.logo == ""


def test_an_address_ends_with_the_key_that_asked_for_it(world: World) -> None:
    page_id = world.page()
    path = url_for(world, page_id)
    key = world.box.box.parts[KeyRing].find(world.box.keys["all"])
    assert key is not None
    assert world.box.post("/apikeys/revoke", {"id": key.id}, cookie=world.box.cookie).status == 200
    assert put(world, path, PNG).status == 404
    assert world.known(page_id).page.logo == ""


def test_an_address_ends_when_the_page_goes_to_another_organization(world: World) -> None:
    page_id = world.page()
    path = url_for(world, page_id)
    world.good(
        "transfer", statusPageId=page_id, targetOrganizationId=world.box.foreign_organization_id, cookie=world.owner
    )
    assert put(world, path, PNG).status == 404
    assert world.known(page_id).page.logo == ""


def test_a_token_says_what_it_allows_under_its_own_key_only(tmp_path: Path) -> None:
    seal, other = Seal(tmp_path / "secret.key"), Seal(tmp_path / "other.key")
    upload = Upload("organization-1", "page-0001", "logo", "user:ada", "ada", 1_000 + GOOD_FOR)
    token = token_of(seal, upload)
    assert upload_of(seal, token, 1_000) == upload
    assert token.isascii()
    for sealed, now in ((other, 1_000), (seal, upload.until)):
        with pytest.raises(NotFound):
            upload_of(sealed, token, now)


def fetch(reply: bytes, *, allowed: tuple[str, ...] = (f"{OPEN}/32",)) -> PagePicture:
    """What becomes of this answer to a request for a logo."""

    async def ask() -> PagePicture:
        async with web() as server:
            server.reply = lambda _: reply
            return await pictures.fetch_picture(
                client_of(allowed=allowed), f"http://{OPEN}:{server.port}/logo.png", "logo"
            )

    return asyncio.run(ask())


def test_a_picture_is_fetched_once_with_where_it_came_from() -> None:
    found = fetch(plain(PNG))
    assert found.picture == msgspec.structs.replace(found.picture, type="image/png", content=PNG)
    assert found.url is not None
    assert found.url.endswith("/logo.png")


@each(
    ("reply", "message"),
    [
        (plain(PNG, "404 Not Found"), "The image could not be downloaded: status 404"),
        (plain(b"<html>"), "Choose a PNG, JPEG or WebP image"),
        (plain(LARGE), "The image can have up to 512 KB"),
        (b"nonsense", "The image could not be downloaded"),
    ],
)
def test_downloaded_file_that_is_no_image_is_refused(reply: bytes, message: str) -> None:
    with pytest.raises(BadRequest) as refused:
        fetch(reply)
    assert refused.value.details[0].field == "logoUrl"
    assert message in refused.value.message


def test_addresses_of_private_networks_are_not_fetched(shared: World) -> None:
    page_id = shared.page("private-logo")
    with pytest.raises(BadRequest, match="private or reserved network"):
        fetch(plain(PNG), allowed=())
    for url in ("https://169.254.169.254/latest", "https://localhost/x.png", "https://[::1]/x.png"):
        status, message = shared.refused("update", statusPageId=page_id, logoUrl=url)
        assert (status, "could not be downloaded" in message) == (400, True)
    assert shared.known(page_id).page.logo_url is None


def test_a_viewer_makes_the_box_fetch_nothing(shared: World) -> None:
    page_id = shared.page("viewer-logo")
    url = "https://169.254.169.254/latest"
    assert shared.refused("update", statusPageId=page_id, logoUrl=url, cookie=shared.viewer)[0] == 403
    assert shared.refused("createAssetUploadUrl", statusPageId=page_id, asset="logo", cookie=shared.viewer)[0] == 403
