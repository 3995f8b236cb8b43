"""Alert channels over RPC: made, changed, tried and deleted; what is secret stays secret."""

import base64
import hashlib
import hmac
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.notify.change import ChannelTools
from analytics_box.base.notify.kinds import on_call
from analytics_box.base.notify.mail import Mailer
from tests.base.notify.mail_server import mail_server
from tests.base.outgoing.places import OPEN, plain
from tests.inprocess import EMAIL
from tests.tenants.configuration.world import World, world_in

TOKEN = "123456789:AAExxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
SECRETS = ("very-secret", TOKEN, "whsec_")


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    with world_in(tmp_path / "data") as found:
        yield found


def test_a_webhook_is_made_shown_and_tried(here: World) -> None:
    made = here.channel()
    assert made["secret"].startswith("whsec_")
    channel = made["channel"]
    assert channel["identifier"] == f"http://{OPEN}:{here.web.port}/…"
    assert channel["config"] == {"url": here.hook}
    assert (channel["lastResult"], channel["waiting"], channel["enabled"]) == (None, 0, True)
    assert here.call("ada", "config.testChannel", channelId=channel["id"]) == {
        "results": [{"success": True, "channel": "webhook"}]
    }
    (listed,) = here.call("ada", "config.listChannels")
    assert listed["lastResult"] == {"at": "2026-06-17T12:00:00.000Z", "success": True, "error": None}
    head, _, body = here.web.heard[0].decode().partition("\r\n\r\n")
    sent = json.loads(body)
    assert (sent["type"], sent["data"]["title"]) == ("channel.test", "Test from Analytics Box")
    assert "POST /hooks/very-secret HTTP/1.1" in head
    headers = dict(line.split(": ", 1) for line in head.split("\r\n")[1:])
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}".encode()
    key = base64.b64decode(made["secret"].removeprefix("whsec_"))
    proof = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    assert headers["webhook-signature"] == f"v1,{proof}"
    assert headers["User-Agent"].startswith("AnalyticsBox/")


def test_the_secret_is_shown_once_and_a_new_one_replaces_it(here: World) -> None:
    made = here.channel()
    channel_id = made["channel"]["id"]
    assert "whsec_" not in json.dumps(here.call("ada", "config.listChannels"))
    renewed = here.call("ada", "config.rotateChannelSecret", channelId=channel_id)
    assert renewed["secret"] != made["secret"]
    slack = here.call("ada", "config.createChannel", type="slack", name="S", config={"url": here.hook})
    assert slack["secret"] is None
    assert here.refused("ada", "config.rotateChannelSecret", channelId=slack["channel"]["id"])[0] == 400


def test_failed_test_is_reported_and_stored(here: World) -> None:
    channel_id = here.channel()["channel"]["id"]
    here.web.reply = lambda _: plain(b"very-secret words", "404 Not Found")
    result = here.call("ada", "config.testChannel", channelId=channel_id)["results"][0]
    assert result == {"success": False, "channel": "webhook", "error": "The server responds with 404 Not Found"}
    (listed,) = here.call("ada", "config.listChannels")
    assert listed["lastResult"]["success"] is False
    assert listed["lastResult"]["error"] == result["error"]


def test_tests_are_five_a_minute(here: World) -> None:
    channel_id = here.channel()["channel"]["id"]
    answers = [here.people.call("ada", "config.testChannel", channelId=channel_id).status for _ in range(6)]
    assert answers == [200] * 5 + [429]


def test_changes_keep_what_is_left_out(here: World) -> None:
    made = here.channel()
    channel_id = made["channel"]["id"]
    changed = here.call("ada", "config.updateChannel", channelId=channel_id, name="Night shift")
    assert (changed["name"], changed["config"]["url"]) == ("Night shift", here.hook)
    moved = here.call("ada", "config.updateChannel", channelId=channel_id, config={"url": f"{here.hook}/2"})
    assert moved["config"]["url"] == f"{here.hook}/2"
    here.call("ada", "config.testChannel", channelId=channel_id)
    assert here.web.heard[0].startswith(b"POST /hooks/very-secret/2 ")
    assert here.call("ada", "config.updateChannel", channelId=channel_id, enabled=False)["enabled"] is False
    assert here.call("ada", "config.deleteChannel", channelId=channel_id) == {"success": True}
    assert here.call("ada", "config.listChannels") == []
    assert here.refused("ada", "config.testChannel", channelId=channel_id)[:2] == (404, "NOT_FOUND")


def test_a_bot_s_token_is_never_shown_and_need_not_be_typed_again(here: World) -> None:
    made = here.call(
        "ada", "config.createChannel", type="telegram", name="Bot", config={"token": TOKEN, "chatId": "-100123"}
    )
    assert TOKEN not in json.dumps(made)
    assert made["channel"]["identifier"] == "123456789 → -100123"
    changed = here.call("ada", "config.updateChannel", channelId=made["channel"]["id"], config={"chatId": "@ops_room"})
    assert changed["config"] == {"chatId": "@ops_room"}


def test_a_secret_follows_its_channel_to_another_server_only_when_it_is_typed_again(here: World) -> None:
    """Else whoever may change a channel could read the secret on a server of their own."""
    base = f"http://{OPEN}:{here.web.port}"
    made = here.call(
        "ada", "config.createChannel", type="gotify", name="G", config={"url": base, "token": "hush-token"}
    )
    channel_id = made["channel"]["id"]
    given = {"channelId": channel_id, "config": {"url": "https://elsewhere.example"}}
    assert here.refused("ada", "config.updateChannel", **given) == (400, "BAD_REQUEST", "token")
    here.call("ada", "config.updateChannel", channelId=channel_id, config={"url": f"{base}/sub"})
    assert here.call("ada", "config.testChannel", channelId=channel_id)["results"][0]["success"]
    assert here.web.heard[0].startswith(b"POST /sub/message ")
    assert b"X-Gotify-Key: hush-token" in here.web.heard[0]
    moved = {"url": "https://elsewhere.example", "token": "other"}
    assert here.call("ada", "config.updateChannel", channelId=channel_id, config=moved)["config"]["url"] == moved["url"]


def test_optional_fields_can_be_cleared(here: World) -> None:
    config = {"url": f"http://{OPEN}:{here.web.port}", "topic": "t", "token": "tk_1"}
    channel_id = here.call("ada", "config.createChannel", type="ntfy", name="N", config=config)["channel"]["id"]
    for given, proof in (({}, True), ({"token": ""}, False)):
        here.call("ada", "config.updateChannel", channelId=channel_id, config=given)
        here.call("ada", "config.testChannel", channelId=channel_id)
        assert (b"Authorization: Bearer tk_1" in here.web.heard[-1]) == proof
    refused = here.refused("ada", "config.updateChannel", channelId=channel_id, config={"topic": ""})
    assert refused == (400, "BAD_REQUEST", "topic")


def test_a_test_leaves_no_alert_open(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(on_call.PAGERDUTY_HOSTS, "us", f"http://{OPEN}:{here.web.port}")
    config = {"routingKey": "0" * 32}
    channel_id = here.call("ada", "config.createChannel", type="pagerduty", name="P", config=config)["channel"]["id"]
    assert here.call("ada", "config.testChannel", channelId=channel_id)["results"][0]["success"]
    first, last = (json.loads(request.partition(b"\r\n\r\n")[2]) for request in here.web.heard)
    assert (first["event_action"], last["event_action"]) == ("trigger", "resolve")
    assert first["dedup_key"] == last["dedup_key"]


def test_a_token_goes_without_https_only_into_a_network_that_was_opened(here: World) -> None:
    config = {"url": f"http://push.test:{here.web.port}", "token": "tok"}
    channel_id = here.call("ada", "config.createChannel", type="gotify", name="G", config=config)["channel"]["id"]
    here.names.records[("push.test", "A")] = [[OPEN], [OPEN], ["8.8.8.8"]]
    assert here.call("ada", "config.testChannel", channelId=channel_id)["results"][0]["success"]
    result = here.call("ada", "config.testChannel", channelId=channel_id)["results"][0]
    assert result["error"] == "Use https. Plain http is only allowed in open private networks"
    assert here.web.connections == 1


def test_no_redirect_is_followed_with_a_secret(here: World) -> None:
    config = {"url": f"http://{OPEN}:{here.web.port}", "token": "tk_1", "room": "!r:x"}
    channel_id = here.call("ada", "config.createChannel", type="matrix", name="M", config=config)["channel"]["id"]
    here.web.reply = lambda _: plain(b"", "307 Moved", f"Location: http://{OPEN}:{here.web.port}/other")
    result = here.call("ada", "config.testChannel", channelId=channel_id)["results"][0]
    assert (result["success"], here.web.connections) == (False, 1)
    assert "The address redirects" in result["error"]
    assert here.web.heard[0].startswith(b"PUT /_matrix/client/v3/rooms/%21r%3Ax/send/m.room.message/msg_")


def test_secrets_are_sealed_at_rest_and_stand_in_no_audit_entry_and_no_log(
    here: World, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG)
    made = here.channel()
    secret = made["secret"]
    here.call("ada", "config.createChannel", type="telegram", name="B", config={"token": TOKEN, "chatId": "1"})
    channel_id = made["channel"]["id"]
    here.web.reply = lambda _: plain(b"", "500 Broken")
    here.call("ada", "config.testChannel", channelId=channel_id)
    here.call("ada", "config.updateChannel", channelId=channel_id, config={"url": f"{here.hook}-moved"})
    here.call("ada", "config.rotateChannelSecret", channelId=channel_id)
    here.call("ada", "config.deleteChannel", channelId=channel_id)
    assert [(action, subject) for action, subject, _ in here.audited()] == [
        ("created", "channel"),
        ("created", "channel"),
        ("updated", "channel"),
        ("rotated", "channel"),
        ("deleted", "channel"),
    ]
    stored = b"".join(path.read_bytes() for path in (tmp_path / "data").iterdir() if path.is_file())
    written = "".join(detail for _, _, detail in here.audited()) + caplog.text
    for text in (*SECRETS, secret):
        assert text not in written
        assert text.encode() not in stored


WRONG: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("webhook", {}, "url"),
    ("webhook", {"url": "ftp://example.com"}, "url"),
    ("webhook", {"url": "http://127.0.0.1/"}, "url"),
    ("webhook", {"url": "http://[::ffff:127.0.0.1]/"}, "url"),
    ("webhook", {"url": "https://10.0.0.1/"}, "url"),
    ("webhook", {"url": "https://example.com:25/"}, "url"),
    ("webhook", {"url": "https://user:pass@example.com/"}, "url"),
    ("slack", {"to": "a@example.com"}, "url"),
    ("email", {}, "to"),
    ("email", {"to": "nobody"}, "to"),
    ("email", {"to": "stranger@elsewhere.example"}, "to"),
    ("email", {"to": "ada@example.com\r\nBcc: x@example.com"}, "to"),
    ("telegram", {"token": "short", "chatId": "1"}, "token"),
    ("telegram", {"token": TOKEN, "chatId": "../x"}, "chatId"),
    ("telegram", {"token": f"{TOKEN}/../x", "chatId": "1"}, "token"),
    ("pigeon", {}, "type"),
    ("gotify", {"url": "https://example.com", "token": "a\r\nEvil: 1"}, "token"),
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world_in(tmp_path_factory.mktemp("channels") / "data") as found:
        found.people.add("grace", "admin")
        yield found


@pytest.mark.parametrize(("kind", "config", "field"), WRONG, ids=range(len(WRONG)))
def test_a_channel_that_cannot_work_is_refused_by_field(
    shared: World, kind: str, config: dict[str, str], field: str
) -> None:
    given = {"type": kind, "name": "Wrong", "config": config}
    assert shared.refused("grace", "config.createChannel", **given) == (400, "BAD_REQUEST", field)
    assert shared.call("grace", "config.listChannels") == []


@pytest.mark.parametrize("name", ["", " ", "x" * 101, "two\nlines\x00"])
def test_a_name_has_one_to_a_hundred_characters(shared: World, name: str) -> None:
    given = {"type": "webhook", "name": name, "config": {"url": shared.hook}}
    assert shared.refused("grace", "config.createChannel", **given) == (400, "BAD_REQUEST", "name")


def test_without_private_targets_chats_need_https(tmp_path: Path) -> None:
    with world_in(tmp_path / "data") as here:
        here.box.box.parts[ChannelTools].fences.allowed = ()
        for kind in ("slack", "discord", "teams", "google_chat"):
            given = {"type": kind, "name": "S", "config": {"url": "http://example.com/x"}}
            assert here.refused("ada", "config.createChannel", **given) == (400, "BAD_REQUEST", "url")
        here.call("ada", "config.createChannel", type="webhook", name="W", config={"url": "http://example.com/x"})


def test_mail_goes_to_members_and_proven_domains_and_where_the_administrator_says(shared: World) -> None:
    def may(name: str, to: str) -> bool:
        answer = shared.people.call(name, "config.createChannel", type="email", name="M", config={"to": to})
        if answer.status == 200:
            shared.call(name, "config.deleteChannel", channelId=answer.json["channel"]["id"])
        return answer.status == 200

    assert may("grace", EMAIL)
    assert may("grace", "GRACE@example.com")
    assert not may("grace", "ops@own.example")
    shared.call("ada", "config.addDomain", domain="own.example", withoutProof=True)
    assert may("grace", "ops@own.example")
    assert not may("grace", "ops@sub.own.example")
    assert may("ada", "anybody@elsewhere.example")


def test_email_channel_of_a_member_who_left_is_disabled_until_the_address_is_known_again(here: World) -> None:
    lea_id = here.people.add("lea", "member")
    here.people.add("grace", "admin")
    lea, other = (
        here.call("ada", "config.createChannel", type="email", name=to, config={"to": to})["channel"]["id"]
        for to in ("Lea+alerts@example.com", EMAIL)
    )
    here.tell("before")
    here.call("ada", "organizations.removeMember", userId=lea_id)
    channels = {one["id"]: one for one in here.call("ada", "config.listChannels")}
    assert not channels[lea]["enabled"]
    assert "left the organization" in channels[lea]["lastResult"]["error"]
    assert channels[other]["enabled"]
    assert here.tell("after") == 1
    again = {"channelId": lea, "enabled": True}
    assert here.refused("grace", "config.updateChannel", **again) == (400, "BAD_REQUEST", "to")
    here.call("ada", "config.updateChannel", **again)


def test_a_letter_is_sent_and_its_address_is_hidden_from_viewers(tmp_path: Path) -> None:
    with mail_server() as server:
        given = {
            "smtp_host": "127.0.0.1",
            "smtp_port": server.port,
            "smtp_security": "none",
            "smtp_from": "b@x.example",
        }
        with world_in(tmp_path / "data", **given) as here:
            here.people.add("victor", "viewer")
            made = here.call("ada", "config.createChannel", type="email", name="Ops", config={"to": EMAIL})
            assert here.call("ada", "config.testChannel", channelId=made["channel"]["id"])["results"][0]["success"]
            (seen,) = here.call("victor", "config.listChannels")
    assert server.recipients == [EMAIL]
    assert "Test from Analytics Box" in server.messages[0]
    assert (seen["identifier"], seen["config"]) == ("a…@example.com", None)


def test_the_box_s_own_address_is_refused_even_where_the_network_is_open(tmp_path: Path) -> None:
    with world_in(tmp_path / "data", host=OPEN, port=8251) as here:
        url = f"http://{OPEN}:8251/track"
        given = {"type": "webhook", "name": "Self", "config": {"url": url}}
        assert here.refused("ada", "config.createChannel", **given) == (400, "BAD_REQUEST", "url")


def test_a_name_is_vetted_when_it_is_asked(here: World) -> None:
    here.names.records[("turns.test", "A")] = [[OPEN], ["127.0.0.1"]]
    url = f"http://turns.test:{here.web.port}/"
    channel_id = here.channel(url=url)["channel"]["id"]
    assert here.call("ada", "config.testChannel", channelId=channel_id)["results"][0]["success"]
    result = here.call("ada", "config.testChannel", channelId=channel_id)["results"][0]
    assert result["success"] is False
    assert "private or reserved" in result["error"]
    assert here.web.connections == 1


def test_an_organization_has_at_most_fifty(here: World) -> None:
    for number in range(50):
        here.channel(f"Hook {number}")
    assert here.refused("ada", "config.createChannel", type="webhook", name="One more", config={"url": here.hook})[
        :2
    ] == (409, "CONFLICT")


def test_channels_with_a_lost_key_file_are_listed_with_the_problem(here: World, tmp_path: Path) -> None:
    channel_id = here.channel()["channel"]["id"]
    key = tmp_path / "data" / "secret.key"
    key.write_bytes(bytes(32))
    seal = here.box.box.parts[ChannelTools].seal
    seal._key = b""  # as after a restart
    assert here.call("ada", "config.listChannels")[0]["config"] == {"url": ""}
    result = here.call("ada", "config.testChannel", channelId=channel_id)["results"][0]
    assert "cannot be decrypted" in result["error"]
    assert here.refused("ada", "config.updateChannel", channelId=channel_id, config={"url": here.hook})[0] == 409
    assert here.call("ada", "config.updateChannel", channelId=channel_id, enabled=False)["enabled"] is False
    assert here.call("ada", "config.deleteChannel", channelId=channel_id) == {"success": True}


def test_without_a_mail_server_a_letter_is_not_sent(here: World) -> None:
    assert isinstance(here.box.box.parts[Mailer], Mailer)
    made = here.call("ada", "config.createChannel", type="email", name="Ops", config={"to": EMAIL})
    result = here.call("ada", "config.testChannel", channelId=made["channel"]["id"])["results"][0]
    assert "smtp_host" in result["error"]
