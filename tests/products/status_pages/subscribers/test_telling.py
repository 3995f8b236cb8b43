"""Who is told of an update, and how it arrives: once, signed, with a way out."""

import asyncio
import base64
import hashlib
import hmac
from collections.abc import Collection, Sequence

from msgspec.structs import replace

from analytics_box.base.clock import DAY, HOUR
from analytics_box.base.notify.lanes import ROUND, Lanes
from analytics_box.base.notify.receivers import REPLACED
from analytics_box.base.notify.rules import LIFETIME, WAITS
from analytics_box.products.status_pages.subscriber import SubscriberKind
from analytics_box.products.status_pages.subscribers import deliveries, rows
from analytics_box.products.status_pages.subscribers.deliveries import SubscriberDeliveries
from analytics_box.products.status_pages.subscribers.outbox import MOST_WAITING
from analytics_box.products.status_pages.subscribers.rows import SubscriberDelivery
from tests.base.outgoing.places import plain
from tests.inprocess import WholeBox
from tests.products.status_pages.subscribers.world import ADA, API, SHOP, World


def test_an_update_is_a_mail_that_says_all_and_ends_with_one_click(here: World) -> None:
    path = here.confirmed()
    assert here.says("investigating", "We look into **it**.", API) == 1
    here.send()
    ((to, text),) = here.mails()
    assert to == ADA
    for said in ("It is slow", "Investigating · 17 Jun 2026", "We look into **it**.", "- api: down", f"acme/{path}\n"):
        assert said in text
    (mail,) = here.headers()
    assert mail["Subject"] == "[Acme] Investigating: It is slow"
    assert mail["From"] == "Acme status <box@acme.org>"
    assert mail["List-Unsubscribe"] == f"<http://localhost:8000/status/acme/{path}>"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    here.says("resolved", "It is over.", API)
    here.send()
    first, second = here.headers()
    assert first["References"] == second["References"] != first["Message-ID"] != second["Message-ID"]
    assert [text.split("\n")[1].split(" ")[0] for _, text in here.mails()] == ["Investigating", "Resolved"]


def test_only_those_are_told_who_want_to_hear_of_what_it_is_about(here: World) -> None:
    here.confirmed("all@example.org")
    here.confirmed("api@example.org", about="some", **{f"component__{API}": "on"})
    here.confirmed("shop@example.org", about="some", **{f"component__{SHOP}": "on"})
    here.subscribe("nobody@example.org")
    here.send()
    here.server.messages.clear()
    assert here.says("investigating", "Slow.", API) == 2
    here.send()
    assert {to for to, _ in here.mails()} == {"all@example.org", "api@example.org"}
    assert here.says("identified", "Slow.", SHOP) == 3  # whoever heard of its beginning hears the rest
    assert here.says("resolved", "Over.") == 3


def test_incident_without_components_is_sent_to_all_subscribers(here: World) -> None:
    here.confirmed(about="some", **{f"component__{API}": "on"})
    assert here.says() == 1


def test_drafts_and_silent_updates_are_sent_to_no_subscriber(here: World) -> None:
    here.confirmed()
    assert here.says(is_draft=True) == 0
    assert here.says(notified=False) == 0
    here.send()
    assert here.mails() == []


def test_an_incident_that_is_deleted_is_told_no_more(here: World) -> None:
    here.confirmed()
    here.says()
    here.box.box.box_db.write_now(lambda db: db.execute("delete from incidents") and None)
    here.send()
    assert here.mails() == []


def test_a_page_of_a_deleted_organization_tells_nothing(here: World) -> None:
    here.confirmed()
    here.says()
    here.box.box.box_db.write_now(lambda db: db.execute("update organizations set deleted_at = 1") and None)
    here.send()
    assert here.mails() == []


def test_links_lead_to_the_domain_of_the_page(here: World) -> None:
    path = here.confirmed()
    here.keep(replace(here.whole.page, domain="status.acme.org"))
    here.says()
    here.send()
    ((_, text),) = here.mails()
    assert f"http://status.acme.org/{path}\n" in text
    assert "Details: http://status.acme.org/incidents/incident-one\n" in text


def test_failed_message_is_retried_under_its_id_and_in_order(here: World) -> None:
    reply = here.subscribe(here.outside.hook)
    secret = here.visit(reply.location[1:]).signing
    here.send()
    here.outside.web.heard.clear()
    here.outside.web.reply = lambda _: plain(b"", "503 Busy")
    here.says("investigating", "One.")
    here.send()
    here.says("resolved", "Two.")
    here.send()
    here.outside.web.reply = lambda _: plain()
    here.later(WAITS[0])
    sent = [(headers["webhook-id"], content["data"]["update"]["message"]) for headers, content in here.posts()]
    assert sent[0] == sent[1] != sent[2]
    assert [message for _, message in sent] == ["One.", "One.", "Two."]
    headers, content = here.posts()[-1]
    raw = here.outside.web.heard[-1].partition(b"\r\n\r\n")[2]
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + raw
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert content["type"] == "status_page.incident.updated"
    assert content["data"]["page"]["url"] == "http://localhost:8000/status/acme"


def test_a_webhook_that_is_gone_is_removed(here: World) -> None:
    here.subscribe(here.outside.hook)
    here.send()
    here.outside.web.reply = lambda _: plain(b"", "410 Gone")
    here.says()
    here.send()
    assert here.rows("select count(*) from subscribers") == [(0,)]


def test_unsubscribed_receiver_gets_no_waiting_message(here: World) -> None:
    path = here.confirmed()
    here.says()
    here.visit(path, List_Unsubscribe="", **{"List-Unsubscribe": "One-Click"})
    here.send()
    assert here.mails() == []
    assert here.rows("select count(*) from subscriber_deliveries") == [(0,)]


def test_old_messages_are_forgotten_and_those_who_never_confirmed(here: World) -> None:
    here.confirmed()
    here.subscribe("nobody@example.org")
    here.says()
    here.send()
    sweep = here.parts[SubscriberDeliveries].sweep
    here.later(2 * DAY - 1)
    here.box.run(sweep())
    assert len(here.rows("select 1 from subscribers")) == 2
    here.later(DAY)
    here.box.run(sweep())
    assert here.rows("select address from subscribers") == [(ADA,)]
    assert here.rows("select count(*) from subscriber_messages where update_id is not null") == [(1,)]
    here.later(30 * DAY)
    here.box.run(sweep())
    assert here.rows("select count(*) from subscriber_messages") == [(0,)]


def test_many_that_wait_are_found_by_indexes(here: World) -> None:
    box: WholeBox = here.box
    plan = box.box.box_db.read_now(
        lambda db: db.execute(
            """
            explain query plan select number from subscriber_deliveries as one
            where due_at <= 5 and not exists (
              select 1 from subscriber_deliveries as earlier indexed by subscriber_deliveries_waiting
              where earlier.subscriber_id = one.subscriber_id and earlier.due_at is not null
                and earlier.number < one.number)
            order by due_at, number limit 100
            """
        ).fetchall()
    )
    said = " ".join(str(row[3]) for row in plan)
    assert "SCAN" not in said
    assert "TEMP B-TREE" not in said


def test_webhooks_that_do_not_answer_hold_up_no_other_organization_and_no_mail(here: World) -> None:
    asked: list[str] = []

    async def due(lanes: Collection[str], groups: Collection[str]) -> list[str]:
        waiting = [*(f"dead {number}" for number in range(300)), "alive 1"]
        left = [one for one in waiting if one not in {*lanes, *asked} and one.split()[0] not in groups]
        return left[:ROUND]

    async def attempt(one: str) -> None:
        if one.startswith("dead"):
            await over.wait()
        asked.append(one)
        over.set() if one == "alive 1" else None

    async def work_off() -> None:
        await asyncio.wait_for(Lanes(due, attempt, lambda one: one, lambda one: one.split()[0]).run(), 10)

    over = asyncio.Event()
    here.box.run(work_off())
    assert asked[0] == "alive 1"
    assert len(asked) == len(set(asked)) == 301


def test_messages_in_flight_are_not_picked_again_and_kinds_are_separate(here: World) -> None:
    for address in (ADA, "grace@example.org"):
        here.confirmed(address)
    here.says()
    now = here.box.clock.now()

    def due(
        kind: SubscriberKind, without: Sequence[str] = (), organizations: Sequence[str] = ()
    ) -> list[SubscriberDelivery]:
        return here.box.box.box_db.read_now(
            lambda db: rows.due(db, kind, now, 10, without=without, organizations=organizations)
        )

    ada, grace = due("email")
    assert due("email", [ada.subscriber_id]) == [grace]
    assert due("email", (), [ada.organization_id]) == due("webhook") == []


def test_of_what_waits_for_one_subscriber_the_oldest_makes_room(here: World) -> None:
    here.subscribe(here.outside.hook)
    here.send()
    for _ in range(MOST_WAITING + 2):
        here.says()
    waiting = here.rows("select topic from subscriber_deliveries where due_at is not null order by number")
    assert [topic for (topic,) in waiting] == [f"update-{number:03}" for number in range(3, MOST_WAITING + 3)]


def test_messages_waiting_behind_a_dead_webhook_are_given_up_with_it(here: World) -> None:
    here.subscribe(here.outside.hook)
    here.send()
    here.outside.web.reply = lambda _: plain(b"", "503 Busy")
    here.says()
    here.says("identified")
    here.send()
    for _ in range(LIFETIME // HOUR + 1):
        here.later(HOUR)
    assert here.rows("select count(*) from subscriber_deliveries where due_at is not null") == [(0,)]


def test_new_update_after_an_outage_is_sent_at_once_and_replaces_older_ones_of_its_incident(here: World) -> None:
    here.subscribe(here.outside.hook)
    here.send()
    here.outside.web.heard.clear()
    here.outside.web.reply = lambda _: plain(b"", "503 Busy")
    here.says("investigating", "One.")
    for _ in range(5):
        here.later(HOUR)
    here.outside.web.reply = lambda _: plain()
    here.outside.web.heard.clear()
    here.box.clock.advance(seconds=60)
    here.says("resolved", "Two.")
    here.send()
    assert [content["data"]["update"]["message"] for _, content in here.posts()] == ["Two."]
    assert here.rows("select topic, error from subscriber_deliveries where error <> ''") == [("update-001", REPLACED)]


def test_updates_from_the_beginning_of_an_outage_are_replaced_when_it_ends(here: World) -> None:
    here.subscribe(here.outside.hook)
    here.send()
    here.outside.web.reply = lambda _: plain(b"", "503 Busy")
    here.says("investigating", "One.")
    here.says("identified", "Two.")
    here.says("resolved", "Three.")
    here.send()
    here.outside.web.reply = lambda _: plain()
    here.outside.web.heard.clear()
    here.later(HOUR)
    assert [content["data"]["update"]["message"] for _, content in here.posts()] == ["One.", "Three."]


def test_delivered_email_after_an_outage_wakes_all_mailboxes(here: World) -> None:
    for address in (ADA, "grace@example.org"):
        here.confirmed(address)
    here.server.refuses = "MAIL FROM"
    here.says()
    here.send()
    for _ in range(5):
        here.later(HOUR)
    assert here.mails() == []
    here.server.refuses = ""
    here.box.clock.advance(seconds=120)
    here.subscribe("new@example.org")
    here.send()
    here.send()
    assert {to for to, text in here.mails() if "It is slow" in text} == {ADA, "grace@example.org"}


def reach_of(here: World, update: str = "update-001") -> tuple[int, bool]:
    return here.box.box.box_db.read_now(lambda db: deliveries.of(db, [update]))[update]


def test_update_counts_the_subscribers_that_received_it(here: World) -> None:
    here.confirmed("ada@example.org")
    here.confirmed("grace@example.org")
    here.says()
    assert reach_of(here) == (0, True)
    here.send()
    assert reach_of(here) == (2, False)


def test_update_that_no_subscriber_received_counts_none(here: World) -> None:
    here.says()
    assert reach_of(here) == (0, False)
    here.confirmed()
    here.server.refuses = "RCPT"
    here.says("identified")
    here.send()
    assert reach_of(here, "update-002")[0] == 0


def test_count_of_receivers_outlives_their_deliveries_and_subscriptions(here: World) -> None:
    path = here.confirmed()
    here.says()
    here.send()
    here.visit(path, action="leave")
    here.box.clock.advance(seconds=31 * DAY / 1000)
    here.box.run(here.parts[SubscriberDeliveries].sweep())
    assert here.rows("select count(*) from subscriber_deliveries") == [(0,)]
    assert reach_of(here) == (1, False)


def test_update_from_before_the_count_has_its_deliveries(here: World) -> None:
    here.confirmed()
    here.says()
    here.send()
    here.box.box.box_db.write_now(lambda db: db.execute("update incident_updates set sent = 0") and None)
    assert reach_of(here) == (1, False)
