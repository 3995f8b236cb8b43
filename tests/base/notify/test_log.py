"""What people see of what was sent: every message with what became of it, and another try for those that failed."""

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.clock import SECOND
from analytics_box.base.notify.rules import WAITS
from tests.base.outgoing.places import plain
from tests.tenants.configuration.world import World, world_in


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    with world_in(tmp_path / "data") as found:
        yield found


def run(here: World) -> None:
    """Work off what is due, and wait for what works it off already."""

    async def work_off() -> None:
        await here.box.box.deliveries.run()
        while tasks := here.box.box.deliveries.lanes[0]._tasks:
            await asyncio.wait(set(tasks))

    here.box.run(work_off())


def listed(here: World, **given: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = here.call("ada", "config.listDeliveries", **given)["deliveries"]
    return found


def retried(here: World, delivery_id: str) -> dict[str, Any]:
    """Ask for another try, and let it happen."""
    answer: dict[str, Any] = here.call("ada", "config.retryDelivery", deliveryId=delivery_id)
    run(here)
    return answer


def test_every_message_is_listed_with_what_became_of_it(here: World) -> None:
    one, two = here.channel("One")["channel"]["id"], here.channel("Two", url=f"{here.hook}/two")["channel"]["id"]
    assert listed(here) == []
    here.web.reply = lambda request: plain(b"", "503 Busy" if b"/two " in request else "200 OK")
    here.tell("incident 1", "Shop is down", only=[one])
    here.tell("incident 1", "Shop is down", only=[two])
    run(here)
    here.tell("incident 2", "Shop is up", only=[two])
    waiting, failed, arrived = listed(here)  # the newest first
    base = {"channelName": "One", "type": "monitor.down", "title": "Shop is down", "attempts": 1}
    at = "2026-06-17T12:00:00.000Z"
    assert arrived == {
        **base,
        "id": arrived["id"],
        "channelId": one,
        "status": "sent",
        "error": None,
        "createdAt": at,
        "nextTryAt": None,
        "endedAt": at,
    }
    assert (failed["status"], failed["error"]) == ("waiting", "The server responds with 503 Service Unavailable")
    assert (failed["nextTryAt"], failed["endedAt"]) == ("2026-06-17T12:00:10.000Z", None)
    assert (waiting["status"], waiting["attempts"], waiting["error"]) == ("waiting", 0, None)
    assert [each["title"] for each in listed(here, channelId=one)] == ["Shop is down"]
    assert here.refused("ada", "config.listDeliveries", channelId="unknown12345")[:2] == (404, "NOT_FOUND")


def test_pages_of_the_list_go_back_in_time(here: World) -> None:
    here.channel()
    for number in range(5):
        here.tell(f"incident {number}", f"No. {number}")
    seen, cursor = [], None
    while True:
        page = here.call("ada", "config.listDeliveries", limit=2, **({"cursor": cursor} if cursor else {}))
        seen += [each["title"] for each in page["deliveries"]]
        cursor = page["nextCursor"]
        if cursor is None:
            break
    assert seen == ["No. 4", "No. 3", "No. 2", "No. 1", "No. 0"]


def test_retry_of_a_given_up_message_keeps_its_id_and_gets_all_attempts(here: World) -> None:
    channel_id = here.channel()["channel"]["id"]
    here.web.reply = lambda _: plain(b"", "404 Not Found")
    here.tell("incident 1")
    run(here)
    (failed,) = listed(here)
    assert (failed["status"], failed["attempts"]) == ("failed", 1)
    here.web.reply = lambda _: plain(b"", "503 Busy")
    assert retried(here, failed["id"])["status"] == "waiting"
    assert listed(here)[0]["attempts"] == 1  # and WAITS begin anew
    here.web.reply = lambda _: plain()
    here.box.clock.advance(seconds=WAITS[0] / SECOND)
    run(here)
    (arrived,) = listed(here)
    assert (arrived["status"], arrived["attempts"], arrived["id"]) == ("sent", 2, failed["id"])
    ids = {line for request in here.web.heard for line in request.split(b"\r\n") if line.startswith(b"webhook-id")}
    assert ids == {f"webhook-id: {failed['id']}".encode()}
    assert here.refused("ada", "config.retryDelivery", deliveryId=failed["id"])[:2] == (409, "CONFLICT")
    assert here.refused("ada", "config.retryDelivery", deliveryId="msg_unknown")[:2] == (404, "NOT_FOUND")
    assert here.call("ada", "config.listChannels")[0]["id"] == channel_id


def test_retry_of_a_waiting_message_sends_it_immediately(here: World) -> None:
    here.channel()
    here.web.reply = lambda _: plain(b"", "503 Busy")
    here.tell("incident 1")
    run(here)
    here.web.reply = lambda _: plain()
    retried(here, listed(here)[0]["id"])
    assert listed(here)[0]["status"] == "sent"


def test_a_channel_that_is_off_tries_nothing(here: World) -> None:
    channel_id = here.channel()["channel"]["id"]
    here.tell("incident 1")
    here.call("ada", "config.updateChannel", channelId=channel_id, enabled=False)
    (given_up,) = listed(here)
    assert (given_up["status"], given_up["error"]) == ("failed", "The channel was disabled")
    assert here.refused("ada", "config.retryDelivery", deliveryId=given_up["id"])[:2] == (409, "CONFLICT")


def test_the_page_shows_the_log_and_tries_again(here: World) -> None:
    here.people.add("mia", "member")
    channel_id = here.channel("<b>Hook")["channel"]["id"]
    page = f"/settings/integrations/{channel_id}/deliveries"
    assert b"No messages yet" in here.people.see("ada", page).body
    here.web.reply = lambda _: plain(b"", "404 Not Found")
    here.tell("incident 1", "<script>alert(1)</script>")
    run(here)
    seen = here.people.see("ada", page).body.decode()
    assert "<script>alert" not in seen
    assert "(1 attempt): The server responds with 404 Not Found" in seen
    assert "very-secret" not in seen
    own = listed(here)[0]["id"]
    assert b"Try again now" not in here.people.see("mia", page).body
    assert here.people.send("mia", f"{page}/{own}").status == 403
    here.web.reply = lambda _: plain()
    answer = here.people.send("ada", f"{page}/{own}")
    assert (answer.status, answer.headers["location"]) == (303, f"{page}?done=retried")
    run(here)
    assert "(2 attempts)" not in here.people.see("ada", page).body.decode()
    assert "Arrived" in here.people.see("ada", page).body.decode()
    assert here.people.send("ada", f"{page}/{own}").status == 409
    assert here.people.see("ada", "/settings/integrations/unknown12345/deliveries").status == 404
    assert f'href="{page}"' in here.people.see("mia", "/settings/integrations").body.decode()


def test_a_long_log_is_shown_in_pages(here: World) -> None:
    channel_id = here.channel()["channel"]["id"]
    page = f"/settings/integrations/{channel_id}/deliveries"
    for number in range(51):
        here.tell(f"incident {number}", f"No. {number}.")
    first = here.people.see("ada", page).body.decode()
    assert "No. 1." in first
    assert "No. 0." not in first
    older = first.partition(f'href="{page}?before=')[2].partition('"')[0]
    assert "No. 0." in here.people.see("ada", f"{page}?before={older}").body.decode()
    assert here.people.see("ada", f"{page}?before=x").status == 200


def test_another_organization_sees_and_tries_nothing(here: World) -> None:
    here.people.add("stranger", "owner", here.box.foreign_organization_id)
    channel_id = here.channel()["channel"]["id"]
    here.tell("incident 1")
    own = listed(here)[0]["id"]
    assert here.call("stranger", "config.listDeliveries")["deliveries"] == []
    assert here.people.see("stranger", f"/settings/integrations/{channel_id}/deliveries").status == 404
    assert here.refused("stranger", "config.retryDelivery", deliveryId=own)[:2] == (404, "NOT_FOUND")


def test_no_secret_is_logged_whatever_goes_wrong(here: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    given = {"url": f"{here.hook}", "headers": "X-Token: hush"}
    here.call("ada", "config.createChannel", type="http", name="H", config=given)
    for answer in (plain(b"very-secret hush", "500 very-secret hush"), b"no http: very-secret hush\r\n\r\n", b""):
        here.web.reply = lambda _, answer=answer: answer  # type: ignore[misc]
        here.tell(f"incident {len(listed(here))}")
        run(here)
        here.box.clock.advance(seconds=WAITS[0] / SECOND)
    assert b"X-Token: hush" in here.web.heard[0]
    assert "hush" not in caplog.text + str(listed(here))
    assert "very-secret" not in caplog.text + str(listed(here))
