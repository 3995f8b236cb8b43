"""Subscribing: nothing is sent to whoever did not ask for it, and nobody learns who is subscribed."""

import json
import re

import pytest
from msgspec.structs import replace

from analytics_box.base.clock import HOUR
from analytics_box.base.errors import Forbidden, NotFound
from analytics_box.base.notify.mail import Mail
from analytics_box.base.notify.mail_limits import BOUNDS, mailbox_of
from analytics_box.base.notify.rules import WAITS
from analytics_box.base.notify.send import ChannelSender, SendOutcome
from analytics_box.base.store.db import Connection
from analytics_box.products.status_pages.subscribers import rows, secrets, subscribing
from analytics_box.products.status_pages.subscribers.public import PER_VISITOR, SubscriptionPages, SubscriptionVisit
from analytics_box.products.status_pages.subscribers.subscribing import PER_DOMAIN, PER_HOST, SubscriptionTools
from tests.base.outgoing.places import plain
from tests.cases import each
from tests.products.status_pages.subscribers.world import ADA, API, PAGE, SHOP, World, link_in, seen_of, world_in

PER_ADDRESS = BOUNDS["subscription"].day


def addresses(here: World) -> list[tuple[str, bool]]:
    """All subscribers, and whether they have confirmed."""
    seal = here.parts[SubscriptionTools].seal
    found = here.box.box.box_db.read_now(lambda db: rows.of(db, PAGE))
    whole = [(secrets.decrypt_secrets(seal, one.id, one.sealed).address or one.address, one) for one in found]
    return [
        (address, one.confirmed_at is not None)
        for address, one in sorted(whole, key=lambda pair: (pair[1].created_at, pair[0]))
    ]


def files_with(here: World, text: str) -> list[str]:
    """The names of the box's files that have a text in them, once it is closed."""
    directory = here.box.box.settings.data_dir
    here.box.box.close()
    found = [path.name for path in directory.iterdir() if path.is_file() and text.encode() in path.read_bytes()]
    here.box.reopen()
    return found


def test_addresses_of_webhooks_are_encrypted_at_rest_and_known_again(here: World) -> None:
    here.subscribe(here.outside.hook)
    (before,) = here.rows("select digest from subscribers")
    here.subscribe(here.outside.hook)
    assert [confirmed for _, confirmed in addresses(here)] == [False]
    assert here.rows("select digest from subscribers") != [before]
    assert files_with(here, "very-secret") == []
    assert addresses(here) == [(here.outside.hook, False)]


def test_addresses_of_webhooks_that_an_earlier_version_stored_are_encrypted_at_the_next_start(here: World) -> None:
    here.subscribe(here.outside.hook)

    def as_before(db: Connection) -> None:
        (one,) = rows.of(db, PAGE)
        seal = here.parts[SubscriptionTools].seal
        own = replace(secrets.decrypt_secrets(seal, one.id, one.sealed), address="")
        sealed = secrets.encrypt_secrets(seal, one.id, own)
        rows.ROWS.update(db, replace(one, address=here.outside.hook, sealed=sealed))

    here.box.box.box_db.write_now(as_before)
    here.box.reopen()
    assert files_with(here, "very-secret") == []
    assert addresses(here) == [(here.outside.hook, False)]


def test_email_subscription_is_confirmed_by_its_link(here: World) -> None:
    assert here.subscribe(f" {ADA.upper()} ").title == "Check your inbox"
    assert addresses(here) == [(ADA, False)]
    here.send()
    ((to, text),) = here.mails()
    assert to == ADA
    assert "within 48 hours" in text
    path = link_in(text)
    for _ in range(2):
        opened = here.visit(path)  # a mail scanner changes nothing
        assert (opened.status, opened.is_confirmed) == (200, False)
    assert addresses(here) == [(ADA, False)]
    assert here.visit(path, action="confirm").is_confirmed
    assert addresses(here) == [(ADA, True)]


def test_the_answer_does_not_say_whether_an_address_is_subscribed(here: World) -> None:
    first = here.subscribe()
    again = here.subscribe()
    path = here.confirmed("grace@example.org")
    assert first == again == here.subscribe("grace@example.org")
    here.send()
    assert here.mails() == []
    here.box.clock.advance(seconds=HOUR / 1000)
    assert here.subscribe("grace@example.org") == first
    here.send()
    ((to, text),) = here.mails()
    assert to == "grace@example.org"
    assert "already subscribed" in text
    assert link_in(text) == path


def test_an_address_hears_from_the_box_a_few_times_a_day_at_most(here: World) -> None:
    for _ in range(6):
        here.subscribe()
        here.later(2 * HOUR)
    assert len(here.mails()) == PER_ADDRESS


MAILBOXES = [
    ("ada@example.org", "ada@example.org"),
    ("ada+news+more@example.org", "ada@example.org"),
    ("a.da+x@googlemail.com", "ada@gmail.com"),
    ("a.da@example.org", "a.da@example.org"),
    ("+news@example.org", "+news@example.org"),
]


def test_addresses_that_lead_to_one_mailbox_are_one() -> None:
    for address, mailbox in MAILBOXES:
        assert mailbox_of(address) == mailbox


def test_a_mailbox_hears_of_the_box_a_few_times_however_it_is_written(here: World) -> None:
    for number in range(PER_ADDRESS + 2):
        here.subscribe(f"ada+{number}@example.org")
    assert len(addresses(here)) == PER_ADDRESS


def test_the_mailboxes_of_one_domain_hear_of_it_so_often(here: World) -> None:
    for _ in range(PER_DOMAIN - 1):
        here.parts.limits.take("subscribe domain", "example.org", PER_DOMAIN, window=3_600)
    for address in ("a@example.org", "b@example.org", "c@example.net"):
        here.subscribe(address)
    assert [address for address, _ in addresses(here)] == ["a@example.org", "c@example.net"]


def test_a_visitor_asks_so_often_and_then_waits(here: World) -> None:
    for number in range(PER_VISITOR):
        assert here.subscribe(f"a{number}@example.org").status == 200
    assert (here.subscribe().status, here.subscribe().wrong) == (
        429,
        "Too many attempts. Try again later.",
    )
    assert here.subscribe(network="198.51.100.0/24").status == 200


def test_a_page_takes_as_many_as_it_may_have(tmp_path_factory: pytest.TempPathFactory) -> None:
    with world_in(tmp_path_factory.mktemp("few") / "data", status_page_subscribers=2) as here:
        here.confirmed()
        for address in ("bogus@example.org", "grace@example.net"):  # who has not confirmed makes room
            assert here.subscribe(address).status == 200
        assert addresses(here) == [(ADA, True), ("grace@example.net", False)]
        here.send()
        here.visit(here.link_of("grace@example.net"), action="confirm")
        assert (here.subscribe("x@example.org").status, here.subscribe("y@example.org").wrong) == (
            400,
            "This page cannot accept more subscribers right now. Use its RSS feed instead.",
        )
        here.box.clock.advance(seconds=HOUR / 1000)
        assert here.subscribe().status == 200  # the way to change or end it
        here.send()
        assert "already subscribed" in here.mails()[-1][1]


def test_replaced_request_discards_only_its_own_email(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscribing, "MOST_UNCONFIRMED", 1)
    send = ChannelSender.mail

    async def send_and_ask(self: ChannelSender, mail: Mail) -> SendOutcome:
        if mail.to == "bogus@example.org":  # removed, and the number of its delivery is given again
            visit = SubscriptionVisit("POST", "subscribe", "203.0.113.0/24", {"address": "grace@example.net"})
            await here.parts[SubscriptionPages].answer(here.whole, seen_of(here.whole), visit)
            assert here.rows("select address from subscribers") == [("grace@example.net",)]
        return await send(self, mail)

    monkeypatch.setattr(ChannelSender, "mail", send_and_ask)
    here.subscribe("bogus@example.org")
    here.send()
    assert [to for to, _ in here.mails()] == ["bogus@example.org", "grace@example.net"]


def test_many_who_never_answer_close_no_page(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscribing, "MOST_UNCONFIRMED", 2)
    for number in range(4):
        here.subscribe(f"a{number}@example.org")
        here.box.clock.advance(seconds=1)
    assert [address for address, _ in addresses(here)] == ["a2@example.org", "a3@example.org"]


WRONG = [
    ("", {}, "address"),
    ("nonsense", {}, "email"),
    ("a@example.org\r\nBcc: b@example.org", {}, "email"),
    ("ftp://example.org/", {}, ""),
    ("http://10.0.0.1/", {}, ""),
    ("https://127.0.0.1/", {}, ""),
    ("https://user:pass@example.org/", {}, ""),
    (ADA, {"about": "some"}, "at least one"),
    (ADA, {"about": "some", "component__x": "on"}, "not on this page"),
]


def test_unreachable_or_invalid_subscription_is_refused(here: World) -> None:
    for address, more, said in WRONG:
        reply = here.subscribe(address, **more)
        assert (reply.status, reply.template) == (400, "status/subscribe.html"), address
        assert said in reply.wrong
        assert reply.address == address
    assert addresses(here) == []


def test_subscriber_changes_components_and_unsubscribes(here: World) -> None:
    path = here.confirmed(about="some", **{f"component__{API}": "on"})
    shown = here.visit(path)
    assert [(one.label, one.checked) for one in shown.choices] == [("api", True), ("shop", False)]
    assert not shown.everything
    assert here.visit(path, action="save", about="some").wrong == "Select at least one component, or all components"
    assert here.visit(path, action="save", about="some", **{f"component__{SHOP}": "on"}).done == "Changes saved."
    assert [one.checked for one in here.visit(path).choices] == [False, True]
    assert here.visit(path, action="save", about="all").everything
    assert here.visit(path, action="leave").title == "Unsubscribed"
    assert addresses(here) == []
    assert here.visit(path).status == 404
    assert here.visit(path, action="leave").status == 200  # it is done, however often it is clicked
    assert here.rows("select count(*) from subscriber_deliveries") == [(0,)]


def test_a_link_leads_nowhere_on_another_page(here: World) -> None:
    path = here.confirmed()
    other = replace(here.whole, page=replace(here.whole.page, id="another-page"))
    visit = SubscriptionVisit("POST", path, "203.0.113.0/24", {"List-Unsubscribe": "One-Click"})
    here.box.run(here.parts[SubscriptionPages].answer(other, seen_of(other), visit))
    assert addresses(here) == [(ADA, True)]


def test_forms_of_other_sites_are_refused_but_one_click_of_a_mail_program_is_not(here: World) -> None:
    path = here.confirmed()

    def post(rest: str, **form: str) -> None:
        visit = SubscriptionVisit("POST", rest, "203.0.113.0/24", form, is_foreign=True)
        here.box.run(here.parts[SubscriptionPages].answer(here.whole, seen_of(here.whole), visit))

    for rest, form in (("subscribe", {"address": "b@example.org"}), (path, {"action": "leave"})):
        with pytest.raises(Forbidden):
            post(rest, **form)
    assert addresses(here) == [(ADA, True)]
    post(path, **{"List-Unsubscribe": "One-Click"})
    assert addresses(here) == []


@each("rest", ["subscribe/", "subscription", "other", ""])
def test_other_paths_are_not_answered(here: World, rest: str) -> None:
    with pytest.raises(NotFound):
        here.visit(rest)


def test_a_page_that_takes_no_subscriptions_says_so_and_still_lets_people_leave(here: World) -> None:
    path = here.confirmed()
    here.keep(replace(here.whole.page, subscribable=False))
    assert here.visit("subscribe").status == here.subscribe("grace@example.org").status == 404
    assert addresses(here) == [(ADA, True)]
    assert here.visit(path, action="leave").status == 200
    assert not here.visit(path).again


def test_a_webhook_confirms_by_answering_its_challenge(here: World) -> None:
    hook = here.outside.hook
    reply = here.subscribe(hook)
    assert reply.status == 303
    path = reply.location[1:]
    waiting = here.visit(path)
    assert (waiting.is_confirmed, waiting.signing[:6]) == (False, "whsec_")
    here.send()
    assert addresses(here) == [(hook, True)]
    ((headers, content),) = here.posts()
    assert content["type"] == "status_page.challenge"
    assert headers["webhook-signature"].startswith("v1,")
    here.box.clock.advance(seconds=HOUR / 1000)
    assert here.visit(path).signing == ""
    assert (here.subscribe(hook).status, here.subscribe(hook).wrong) == (
        409,
        "This webhook is already subscribed. Every message contains a link to manage the subscription.",
    )


def test_confirmation_is_sent_in_the_background_without_delay(here: World) -> None:
    here.subscribe(here.outside.hook)
    here.subscribe()
    assert here.wakes == 2
    here.send_soon()
    assert ([to for to, _ in here.mails()], len(here.posts())) == ([ADA], 1)
    here.outside.web.reply = lambda _: plain(b"no")
    path = here.subscribe(here.outside.hook.replace("very", "other")).location[1:]
    here.send_soon()
    assert here.visit(path, action="challenge").status == 303
    assert here.wakes == 4


@each(
    "answer",
    [b"", b"{}", b"hello", b'{"challenge": ""}', b'{"challenge": "x"}', b"\xff\xfe", b'["challenge"]', None],
    ids=str,
)
def test_a_webhook_that_does_not_answer_is_told_nothing(here: World, answer: bytes | None) -> None:
    """None is an answer with the whole request."""
    here.box.clock.advance(seconds=HOUR / 1000)
    here.outside.web.reply = lambda request: plain(request.partition(b"\r\n\r\n")[2] if answer is None else answer)
    path = here.subscribe(here.outside.hook).location[1:]
    here.send()
    assert addresses(here) == [(here.outside.hook, False)]
    assert here.visit(path).failed
    assert here.says() == 0


def test_the_challenge_is_sent_again_when_the_webhook_is_ready(here: World) -> None:
    works, here.outside.web.reply = here.outside.web.reply, lambda _: plain(b"", "503 Busy")
    path = here.subscribe(here.outside.hook).location[1:]
    here.send()
    assert here.visit(path).failed
    here.later(WAITS[0])
    here.outside.web.reply = lambda _: plain(b"no")
    here.later(WAITS[1])
    here.outside.web.reply = works
    here.later(100 * HOUR)
    assert addresses(here) == [(here.outside.hook, False)]
    assert here.visit(path, action="challenge").status == 303
    here.send()
    assert addresses(here) == [(here.outside.hook, True)]


def test_latest_request_of_a_webhook_has_the_secret_until_confirmed(here: World) -> None:
    here.outside.web.reply = lambda _: plain(b"no")
    first = here.subscribe(here.outside.hook).location[1:]
    second = here.subscribe(here.outside.hook).location[1:]
    assert (here.visit(first).status, here.visit(second).status) == (404, 200)


def test_no_secret_is_stored_in_clear_or_logged(here: World, caplog: pytest.LogCaptureFixture) -> None:
    path = here.confirmed()
    hooked = here.subscribe(here.outside.hook).location[1:]
    signing = here.visit(hooked).signing
    here.outside.web.reply = lambda _: plain(b"", "500 Broken")
    here.says()
    here.send()
    stored = b"".join(file.read_bytes() for file in here.box.box.settings.data_dir.glob("box.db*"))
    for secret in (path.partition("/")[2], hooked.partition("/")[2], signing):
        assert secret.encode() not in stored
        assert secret not in caplog.text
    assert not re.search("example.org|very-secret", caplog.text)
    assert json.dumps(here.rows("select error from subscriber_deliveries"))


def test_undeliverable_address_does_not_delay_others(here: World) -> None:
    here.subscribe("bücher@example.org")  # which needs SMTPUTF8
    here.subscribe()
    here.send()
    assert [to for to, _ in here.mails()] == [ADA]
    assert here.rows("select error <> '' from subscriber_deliveries order by number") == [(1,), (0,)]


def test_a_challenge_is_sent_again_once_a_minute_in_its_one_row_and_only_for_two_days(here: World) -> None:
    here.outside.web.reply = lambda _: plain(b"no")
    path = here.subscribe(here.outside.hook).location[1:]
    here.send()
    before = here.rows("select asked_at from subscribers")
    for _ in range(3):
        here.later(60_000)
        assert here.visit(path, action="challenge").status == 303
        assert here.visit(path, action="challenge").wrong == "The challenge was sent a moment ago. Try again later."
        here.send()
    assert len(here.outside.web.heard) == 4
    assert here.rows("select count(*) from subscriber_deliveries") == [(1,)]
    assert here.rows("select count(*) from subscriber_messages") == [(1,)]
    assert here.rows("select asked_at from subscribers") == before


def test_challenges_of_a_host_are_limited_per_hour(here: World) -> None:
    here.outside.web.reply = lambda _: plain(b"no")
    path = here.subscribe(here.outside.hook).location[1:]
    for _ in range(2 * PER_HOST):
        here.later(60_000)
        here.visit(path, action="challenge")
    here.send()
    assert len(here.outside.web.heard) <= PER_HOST + 4  # what was spent grows back slowly


def test_cross_site_forms_cannot_subscribe_or_unsubscribe(here: World) -> None:
    form = {"address": ADA, "about": "all", "List-Unsubscribe": "One-Click"}
    visit = SubscriptionVisit("POST", "subscribe", "203.0.113.0/24", form, is_foreign=True)
    with pytest.raises(Forbidden):
        here.box.run(here.parts[SubscriptionPages].answer(here.whole, seen_of(here.whole), visit))
    assert addresses(here) == []


def test_a_mail_to_an_unconfirmed_mailbox_has_no_text_of_users_in_its_headers(here: World) -> None:
    here.keep(replace(here.whole.page, name="http://evil.example"))
    here.subscribe()
    here.send()
    ((message),) = here.server.messages
    head, _, body = message.replace("\r", "").partition("\n\n")
    assert "Confirm your subscription to a status page" in head
    assert "evil" not in head
    assert "evil" in body
