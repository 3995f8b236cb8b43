"""The start, the setup link, the snippet, invitations and short links name one host."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest

from analytics_box.app.cli.serve import announce
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.shell import snippet
from tests.app.admin.commanding import beside, result
from tests.inprocess import EMAIL, PASSWORD, WholeBox, empty_box, whole_box

HERE = "http://localhost:8000"


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("address") / "data") as inside:
        yield inside


def origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def test_start_and_setup_link_name_one_host(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with empty_box(tmp_path / "data") as empty:
        announce(empty.box, "http://127.0.0.1:8000", as_json=False)
    urls = [word for word in capsys.readouterr().err.split() if word.startswith("http")]
    assert [origin(url) for url in urls] == [HERE, HERE]


def test_address_on_all_interfaces_is_printed_as_it_is(box: WholeBox, capsys: pytest.CaptureFixture[str]) -> None:
    announce(box.box, "http://0.0.0.0:8000", as_json=False)
    assert "listens on http://0.0.0.0:8000\n" in capsys.readouterr().err


def test_snippet_short_link_invitation_and_password_link_name_the_same_host(box: WholeBox) -> None:
    invited = box.post(
        "/organizations/createInvitation", {"email": "grace@example.com", "role": "viewer"}, cookie=box.cookie
    ).json
    with beside(box) as data:
        link = result("link", "create", "https://example.com/", "--organization", "ada", data=data)["shortUrl"]
        reset = result("user", "reset-password", EMAIL, data=data)["link"]
    assert [origin(url) for url in (link, reset, next(v for v in invited.values() if "http" in str(v)))] == [HERE] * 3
    shop = box.box.parts[Directory].find(box.sites["shop"])
    assert shop is not None
    assert f'src="{HERE}/script.js"' in snippet(shop, f"{box.box.settings.tracker_url}/script.js").text


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:8000"])
def test_sign_in_works_at_localhost_and_at_127_0_0_1(box: WholeBox, host: str) -> None:
    form = urlencode({"email": EMAIL, "password": PASSWORD}).encode()
    headers = {
        "host": host,
        "origin": f"http://{host}",
        "sec_fetch_site": "same-origin",
        "content_type": "application/x-www-form-urlencoded",
    }
    answer = box.ask("POST", "/sign-in", headers=headers, body=form)
    assert (answer.status, answer.headers["location"]) == (303, "/")
