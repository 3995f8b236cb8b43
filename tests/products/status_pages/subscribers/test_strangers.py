"""Webhooks of subscribers reach the public internet only, whatever is open to administrators and organizations."""

from pathlib import Path

from tests.base.notify.mail_server import mail_server
from tests.products.status_pages.subscribers.world import PAGE, world_of
from tests.tenants.configuration.world import world_in


def test_a_strangers_webhook_never_reaches_a_private_network_that_the_settings_open(tmp_path: Path) -> None:
    with mail_server() as mails, world_in(tmp_path / "data") as outside, world_of(outside, mails) as here:
        outside.names.records[("inside.test", "A")] = [["127.0.0.99"]]
        assert here.subscribe(f"http://127.0.0.99:{outside.web.port}/hook").status == 400
        assert here.subscribe(f"https://127.0.0.99:{outside.web.port}/hook").status == 400
        assert here.subscribe(f"http://inside.test:{outside.web.port}/hook").status == 400
        assert "public internet" in here.subscribe("https://127.0.0.99/hook").wrong
        assert "allowed_private_targets" not in here.subscribe("https://127.0.0.99/hook").wrong
        reply = here.subscribe(f"https://inside.test:{outside.web.port}/hook")
        here.send()
        assert here.visit(reply.location.removeprefix("/")).failed
        assert outside.web.connections == 0


def test_a_members_channel_reaches_what_is_open_to_the_organization_and_a_webhook_that_they_add_does_not(
    tmp_path: Path,
) -> None:
    with mail_server() as mails, world_in(tmp_path / "data") as outside, world_of(outside, mails) as here:
        url = f"http://127.0.0.99:{outside.web.port}/hook"
        channel = outside.call("ada", "config.createChannel", type="webhook", name="W", config={"url": url})["channel"]
        assert outside.call("ada", "config.testChannel", channelId=channel["id"])["results"][0]["success"]
        connections = outside.web.connections
        added = {"statusPageId": PAGE, "type": "webhook", "address": url}
        assert outside.refused("ada", "statusPage.addSubscriber", **added) == (400, "BAD_REQUEST", "address")
        here.send()
        assert outside.web.connections == connections
