"""The pages of integrations and domains, as forms: what they do, what they show to whom, and what they say is wrong."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.base.notify.kinds.table import KINDS
from tests.base.outgoing.places import plain
from tests.tenants.configuration.world import World, world_in

INTEGRATIONS, DOMAINS = "/settings/integrations", "/settings/domains"


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    with world_in(tmp_path / "data") as found:
        found.people.add("mia", "member")
        yield found


def see(here: World, name: str, path: str) -> str:
    answer = here.people.see(name, path)
    assert answer.status == 200, answer.body
    return answer.body.decode()


def send(here: World, path: str, **fields: str) -> tuple[int, str]:
    """Status, and where a form led or the page that came back."""
    answer = here.people.send("ada", path, **fields)
    return answer.status, answer.headers.get("location", "") or answer.body.decode()


def add(here: World, **fields: str) -> str:
    """A webhook, made by the form; the page that shows its secret."""
    answer = here.box.ask(
        "POST",
        f"{INTEGRATIONS}/new",
        headers={
            "content_type": "application/x-www-form-urlencoded",
            "sec_fetch_site": "same-origin",
            "cookie": here.people.cookie("ada"),
            "accept": "text/html",
        },
        body="&".join(
            f"{key}={value}" for key, value in {"type": "webhook", "name": "Hook", **fields}.items()
        ).encode(),
    )
    return answer.body.decode() if answer.status != 303 else answer.headers["location"]


def channel_id(here: World) -> str:
    return str(here.call("ada", "config.listChannels")[0]["id"])


def test_a_webhook_is_added_and_its_secret_is_on_that_answer_only(here: World) -> None:
    page = add(here, url=here.hook)
    secret = re.findall(r"whsec_[A-Za-z0-9+/=]+", page)
    assert len(set(secret)) == 1
    listed = see(here, "ada", INTEGRATIONS)
    assert "whsec_" not in listed
    assert "very-secret" not in listed
    assert "No messages yet." in listed
    form = see(here, "ada", f"{INTEGRATIONS}/{channel_id(here)}")
    assert here.hook in form
    assert "whsec_" not in form


def test_a_test_shows_what_came_of_it(here: World) -> None:
    add(here, url=here.hook)
    path = f"{INTEGRATIONS}/{channel_id(here)}/test"
    assert "The test arrived at Hook." in send(here, path)[1]
    here.web.reply = lambda _: plain(b"", "503 Busy")
    assert "The test did not arrive at Hook: The server responds with 503" in send(here, path)[1]
    assert "Last attempt failed" in see(here, "ada", INTEGRATIONS)


def test_a_channel_is_edited_switched_and_deleted(here: World) -> None:
    add(here, url=here.hook)
    own = f"{INTEGRATIONS}/{channel_id(here)}"
    assert send(here, f"{own}/off") == (303, f"{INTEGRATIONS}?done=off")
    assert here.call("ada", "config.listChannels")[0]["enabled"] is False
    assert send(here, f"{own}/on") == (303, f"{INTEGRATIONS}?done=on")
    assert "whsec_" in send(here, f"{own}/rotate")[1]
    assert send(here, own, url=here.hook, chatId="")[0] == 400  # it needs a name
    assert "Hook will no longer receive messages" in see(here, "ada", f"{own}/delete")
    assert send(here, f"{own}/delete") == (303, f"{INTEGRATIONS}?done=deleted")
    assert here.call("ada", "config.listChannels") == []
    for path in (own, f"{own}/delete"):
        assert here.people.see("ada", path).status == 404
    assert send(here, f"{own}/test")[0] == 404


def test_invalid_input_is_reported_at_its_field(here: World) -> None:
    page = add(here, url="http://10.0.0.1/", name="Mine")
    assert "private or reserved network" in page
    assert 'value="Mine"' in page
    assert 'aria-invalid="true"' in page
    assert here.people.see("ada", f"{INTEGRATIONS}/new?type=unknown").status == 200  # the choice of kinds
    offered = here.people.see("ada", f"{INTEGRATIONS}/new").body
    assert offered.count(b'href="/settings/integrations/new?type=') == len(KINDS)
    assert send(here, f"{INTEGRATIONS}/new", type="pigeon", url=here.hook)[0] == 400
    assert here.call("ada", "config.listChannels") == []


def test_members_see_what_there_is_and_change_nothing(here: World) -> None:
    add(here, url=here.hook)
    page = see(here, "mia", INTEGRATIONS)
    assert "Hook" in page
    assert "Send a test" not in page
    own = f"{INTEGRATIONS}/{channel_id(here)}"
    for path in (f"{INTEGRATIONS}/new", own, f"{own}/delete"):
        assert here.people.see("mia", path).status == 403
    for path in (own, f"{own}/test", f"{own}/delete", f"{own}/off", DOMAINS):
        assert here.people.send("mia", path).status == 403
    assert len(here.call("ada", "config.listChannels")) == 1


def test_hostile_names_stay_text(here: World) -> None:
    made = here.channel('<script>alert(1)</script>"')
    page = see(here, "ada", INTEGRATIONS)
    assert "<script>alert" not in page
    assert "<script>alert" not in see(here, "ada", f"{INTEGRATIONS}/{made['channel']['id']}/delete")


def test_channels_page_without_mail_server_leads_to_its_settings(tmp_path: Path) -> None:
    with world_in(tmp_path / "none") as here:
        assert 'href="/settings/box/email"' in see(here, "ada", INTEGRATIONS)
    with world_in(tmp_path / "some", smtp_host="127.0.0.1", smtp_from="b@x.example") as here:
        assert "need a mail server" not in see(here, "ada", INTEGRATIONS)


def test_a_domain_is_added_checked_and_removed(here: World) -> None:
    assert send(here, DOMAINS, domain="go.example.com") == (303, f"{DOMAINS}?done=added")
    (domain,) = here.call("ada", "config.listDomains")
    page = see(here, "ada", DOMAINS)
    assert domain["record"]["value"] in page
    assert domain["record"]["name"] in page
    assert domain["record"]["value"] not in see(here, "mia", DOMAINS)
    assert send(here, f"{DOMAINS}/check", id=domain["id"]) == (303, f"{DOMAINS}?not=unproven")
    assert "There is no TXT record" in see(here, "ada", DOMAINS)
    here.names.records[(domain["record"]["name"], "TXT")] = [[domain["record"]["value"]]]
    assert send(here, f"{DOMAINS}/check", id=domain["id"]) == (303, f"{DOMAINS}?done=verified")
    assert "Verified by its TXT record" in see(here, "mia", DOMAINS)
    assert "go.example.com will no longer belong" in see(here, "ada", f"{DOMAINS}/remove?id={domain['id']}")
    assert send(here, f"{DOMAINS}/remove", id=domain["id"]) == (303, f"{DOMAINS}?done=removed")
    assert here.people.see("ada", f"{DOMAINS}/remove?id={domain['id']}").status == 404


def test_invalid_domain_is_reported_at_its_field(here: World) -> None:
    status, page = send(here, DOMAINS, domain="localhost")
    assert status == 400
    assert "Enter a domain, such as" in page
    send(here, DOMAINS, domain="go.example.com", withoutProof="on")
    status, page = send(here, DOMAINS, domain="go.example.com")
    assert (status, "has already been added" in page) == (409, True)
    assert "Added by a server administrator" in page


def test_only_the_administrator_is_offered_to_add_without_proof(here: World) -> None:
    here.people.add("grace", "admin")
    assert "withoutProof" in see(here, "ada", DOMAINS)
    assert "withoutProof" not in see(here, "grace", DOMAINS)
    sent = here.people.send("grace", DOMAINS, domain="go.example.com", withoutProof="on")
    assert sent.status == 403


def test_a_page_of_another_site_cannot_send_the_forms(here: World) -> None:
    add(here, url=here.hook)
    headers = {
        "content_type": "application/x-www-form-urlencoded",
        "sec_fetch_site": "cross-site",
        "cookie": here.people.cookie("ada"),
    }
    for path in (f"{INTEGRATIONS}/{channel_id(here)}/delete", DOMAINS, "/settings/defaults"):
        assert here.box.ask("POST", path, headers=headers, body=b"domain=x.example").status == 403
    assert len(here.call("ada", "config.listChannels")) == 1
    assert here.call("ada", "config.listDomains") == []
