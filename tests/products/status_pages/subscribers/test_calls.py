"""The procedures of subscribers: who sees and changes them, and what the audit log says."""

from analytics_box.base.notify.mail_limits import BOUNDS, OF_A_CALLER
from analytics_box.products.status_pages.subscribers.subscribing import PER_HOST
from tests.cases import each
from tests.products.status_pages.subscribers.world import ADA, API, PAGE, World

PER_ADDRESS = BOUNDS["subscription"].day

CALLS = {
    "listSubscribers": {},
    "addSubscriber": {"address": "x@example.org"},
    "removeSubscriber": {"subscriberId": "subscriber-x"},
    "exportSubscribers": {},
}


def call(here: World, name: str, who: str = "ada", /, **given: object) -> object:
    return here.outside.call(who, f"statusPage.{name}", statusPageId=PAGE, **given)


def test_the_list_says_who_is_told_and_what_does_not_arrive(here: World) -> None:
    here.confirmed(about="some", **{f"component__{API}": "on"})
    here.box.clock.advance(seconds=1)
    here.outside.web.reply = lambda _: b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"
    here.subscribe(here.outside.hook)
    here.send()
    found = call(here, "listSubscribers")
    assert isinstance(found, dict)
    assert (found["confirmed"], found["unconfirmed"], "nextCursor" in found) == (1, 1, False)
    mail, hook = found["subscribers"]
    assert (mail["type"], mail["address"], mail["componentIds"]) == ("email", ADA, [API])
    assert (mail["confirmed"], mail["waiting"], mail["lastError"]) == (True, 0, None)
    assert hook["address"].endswith("/…")
    assert (hook["confirmed"], hook["waiting"], hook["lastError"][-23:]) == (False, 1, "503 Service Unavailable")
    assert "very-secret" not in str(found)
    first = call(here, "listSubscribers", limit=1)
    assert isinstance(first, dict)
    rest = call(here, "listSubscribers", limit=1, cursor=first["nextCursor"])
    assert isinstance(rest, dict)
    assert [one["id"] for one in (*first["subscribers"], *rest["subscribers"])] == [mail["id"], hook["id"]]


def test_subscriber_added_by_the_organization_must_confirm(here: World) -> None:
    added = call(here, "addSubscriber", address="grace@example.org", componentIds=[API])
    assert isinstance(added, dict)
    assert (added["subscriber"]["confirmed"], "signingSecret" in added) == (False, False)
    assert here.says() == 0
    here.send()
    here.visit(here.link_of("grace@example.org"), action="confirm", about="all")
    assert here.says("identified") == 1
    hook = call(here, "addSubscriber", address=here.outside.hook, type="webhook")
    assert isinstance(hook, dict)
    assert hook["signingSecret"].startswith("whsec_")
    assert (
        here.outside.refused("ada", "statusPage.addSubscriber", statusPageId=PAGE, address="grace@example.org")[0]
        == 409
    )
    assert call(here, "removeSubscriber", subscriberId=added["subscriber"]["id"]) == {"success": True}
    exported = call(here, "exportSubscribers")
    assert isinstance(exported, dict)
    assert exported["subscribers"] == 1
    assert here.outside.hook in exported["content"]
    assert [entry[:2] for entry in here.outside.audited()] == [
        ("created", "subscriber"),
        ("created", "subscriber"),
        ("deleted", "subscriber"),
        ("created", "subscriber_export"),
    ]
    assert "grace" not in str(here.outside.audited())


@each("given", [{"address": "x"}, {"address": "x@example.org", "componentIds": ["y"]}, {"cursor": "z"}], ids=str)
def test_invalid_input_is_reported(here: World, given: dict[str, object]) -> None:
    name = "listSubscribers" if "cursor" in given else "addSubscriber"
    assert here.outside.refused("ada", f"statusPage.{name}", statusPageId=PAGE, **given)[0] == 400


def test_viewers_strangers_and_keys_that_only_read_see_no_address(here: World) -> None:
    here.confirmed()
    here.outside.people.add("viewer", "viewer")
    here.outside.people.add("stranger", "owner", here.box.foreign_organization_id)
    for name, given in CALLS.items():
        path, content = f"/statusPage/{name}", {"statusPageId": PAGE, **given}
        assert here.outside.refused("viewer", f"statusPage.{name}", **content)[0] == 403, name
        assert here.outside.refused("stranger", f"statusPage.{name}", **content)[0] == 404, name
        answers = [here.box.post(path, content, key=key) for key in ("reading", "restricted", "foreign")]
        assert [answer.status for answer in answers] == [403, 403, 404], name
        assert all(ADA.encode() not in answer.body for answer in answers)


def test_addresses_go_with_the_page(here: World) -> None:
    here.confirmed()
    here.says()
    here.box.box.box_db.write_now(lambda db: db.execute("delete from status_pages") and None)
    assert here.rows("select count(*) from subscribers") == [(0,)]
    assert here.rows("select count(*) from subscriber_messages where update_id is not null") == [(0,)]
    assert here.rows("select count(*) from subscriber_deliveries") == [(0,)]


def test_members_can_add_a_limited_number_of_email_subscribers_an_hour(here: World) -> None:
    here.outside.people.add("mallory", "member")

    def add(name: str, number: int) -> int:
        given = {"statusPageId": PAGE, "address": f"someone{number}@host{number}.example"}
        return here.outside.people.call(name, "statusPage.addSubscriber", **given).status

    assert [add("mallory", number) for number in range(OF_A_CALLER.hour + 1)] == [200] * OF_A_CALLER.hour + [429]
    assert add("ada", 100) == 200, "administrators of the box have no limit"


def test_repeatedly_added_address_gets_a_few_requests(here: World) -> None:
    hook = "https://example.org/hook"
    for address, kind, most in ((ADA, "email", PER_ADDRESS), (hook, "webhook", PER_HOST)):
        for _ in range(most):
            added = call(here, "addSubscriber", address=address, type=kind)
            assert isinstance(added, dict)
            call(here, "removeSubscriber", subscriberId=added["subscriber"]["id"])
        refused = here.outside.refused("ada", "statusPage.addSubscriber", statusPageId=PAGE, address=address, type=kind)
        assert refused[0] == 429
    assert here.rows("select count(*) from subscribers") == [(0,)]
