"""Incidents and maintenances in the dashboard: from a monitor that is down to what users read."""

import re
from urllib.parse import urlencode

from analytics_box.tenants.accounts.tries import Tries
from tests.cases import each
from tests.inprocess import EMAIL
from tests.products.status_pages.console.world import WEBHOOK, Console


def form_of(page: str) -> dict[str, str]:
    """What the form of a new incident is filled in with, as a browser sends it."""
    impacts = re.findall(r'<select[^>]* name="(impact\.[^"]+)">(.*?)</select>', page, re.S)
    found = {name: re.search(r'value="([^"]*)" selected', options) for name, options in impacts}
    severity = re.search(r'name="severity"[^>]* value="(\w+)" checked', page)
    title = re.search(r'name="title"[^>]* value="([^"]*)"', page)
    assert severity
    assert title
    given = {name: value.group(1) for name, value in found.items() if value}
    return given | {"severity": severity.group(1), "title": title.group(1), "notify": "on"}


def test_from_a_monitor_that_is_down_one_link_and_one_button_tell_the_users(console: Console) -> None:
    till, mail = console.monitor("https://i1.example.com", name="Till"), console.monitor("https://i2.example.com")
    home = console.home(till, mail, slug="told")
    assert "/incidents/new" not in console.seen(f"/monitors/{till}?wait=all")
    console.is_now(till, "down")
    link = f"{home}/incidents/new?monitor={till}"
    assert f'href="{link}"' in console.seen(f"/monitors/{till}?wait=all")
    incident = console.gone_to(f"{home}/incidents/new", **form_of(console.seen(link)), do="publish")
    public = console.public("told")
    assert "Till unavailable" in public
    assert "We are investigating." in public
    (found,) = console.known(home.removeprefix("/status-pages/")).incidents
    assert (found.severity, [(one.name, one.impact) for one in found.affected]) == ("major", [("Till", "down")])
    assert f'href="{incident}"' in console.seen(f"/monitors/{till}?wait=all")


@each(
    ("states", "severity", "title"),
    [
        (("down", "up"), "major", "A unavailable"),
        (("degraded", "up"), "minor", "Problems with A"),
        (("down", "degraded"), "major", "Problems with A, B"),
        (("down", "down"), "critical", "Problems with A, B"),
        (("up", "up"), "minor", "Problems with our service"),
        (("maintenance", "up"), "minor", "Problems with our service"),
        (("maintenance", "down"), "major", "B unavailable"),
    ],
)
def test_the_form_is_filled_in_from_what_is_not_well(
    console: Console, states: tuple[str, str], severity: str, title: str
) -> None:
    name = f"{'-'.join(states)}"
    monitors = [console.monitor(f"https://{one}-{name}.example.com", name=one.upper()) for one in "ab"]
    for monitor, state in zip(monitors, states, strict=True):
        console.is_now(monitor, state)  # type: ignore[arg-type]
    given = form_of(console.seen(f"{console.home(*monitors, slug=name)}/incidents/new"))
    assert (given["severity"], given["title"]) == (severity, title)
    assert sorted(value for key, value in given.items() if key.startswith("impact.") and value) == sorted(
        state for state in states if state not in {"up", "maintenance"}
    )


def test_components_of_an_open_incident_are_no_longer_listed_as_trouble(console: Console) -> None:
    till = console.monitor("https://trouble.example.com", name="Till")
    home = console.home(till, slug="trouble")
    console.is_now(till, "down")
    assert "Down without an incident" in console.seen(home)
    console.gone_to(f"{home}/incidents/new", **form_of(console.seen(f"{home}/incidents/new")))
    assert "Down without an incident" not in console.seen(home)


def test_an_incident_goes_on_by_buttons_with_the_usual_words_to_its_end(console: Console) -> None:
    home = console.home(slug="steps")
    here = console.gone_to(f"{home}/incidents/new", title="It is slow", severity="minor", message="We see it.")
    assert f'href="{here}?status=identified"' in console.seen(home)
    assert 'value="resolved" checked' in console.seen(f"{here}?status=resolved")
    console.gone_to(here, status="identified", message="The disk is *full*.", notify="on")
    console.gone_to(here, status="resolved", notify="on")
    public = console.public("steps")
    assert "This incident has been resolved." in public
    assert "Resolved" in console.seen(here)
    assert "<em>full</em>" in console.seen(here)
    assert here not in console.seen(home)
    assert f'href="{here}"' in console.seen(f"{home}/history")


def test_a_state_that_may_not_follow_is_refused_at_its_field(console: Console) -> None:
    home = console.home(slug="backwards")
    here = console.gone_to(f"{home}/incidents/new", title="It is slow", severity="minor")
    console.gone_to(here, status="monitoring")
    answer = console.sent(here, status="identified", message="What I typed")
    assert answer.status == 400
    assert 'id="status-error"' in answer.body.decode()
    assert "What I typed" in answer.body.decode()


def test_draft_is_hidden_until_it_is_published(console: Console) -> None:
    home = console.home(slug="drafted")
    here = console.gone_to(f"{home}/incidents/new", title="Not yet", severity="minor", do="draft")
    assert "Not yet" not in console.public("drafted")
    assert f'action="{here}/publish"' in console.seen(home)
    console.gone_to(f"{here}/publish")
    assert "Not yet" in console.public("drafted")


def test_a_correction_keeps_what_it_said_before(console: Console) -> None:
    home = console.home(slug="corrected")
    here = console.gone_to(f"{home}/incidents/new", title="It is slow", severity="minor", message="Teh disk is full")
    (update,) = set(re.findall(rf'href="({here}/updates/[^"]+)"', console.seen(here)))
    console.gone_to(update, message="The disk is full")
    assert "The disk is full" in console.public("corrected")
    assert "Teh disk" not in console.public("corrected")
    assert "Teh disk" in console.seen(update)


def version_in(page: str) -> str:
    (found,) = re.findall(r'name="version" value="([^"]+)"', page)
    return str(found)


def test_update_of_an_incident_that_changed_in_the_meantime_is_refused_once(console: Console) -> None:
    home = console.home(slug="two-editors")
    here = console.gone_to(f"{home}/incidents/new", title="It is slow", severity="minor", message="We see it.")
    opened = version_in(console.seen(here))
    console.gone_to(here, status="identified", message="It is the disk.", version=opened)
    update = {"status": "resolved", "message": "It was nothing."}
    refused = console.sent(here, **update, version=opened)
    page = refused.body.decode()
    assert refused.status == 409
    assert "Someone else changed this while you were editing." in page
    assert "It was nothing." in page
    assert "It was nothing." not in console.public("two-editors")
    console.gone_to(here, **update, version=version_in(page))
    assert "It was nothing." in console.public("two-editors")


def test_correction_of_an_update_that_changed_in_the_meantime_is_refused(console: Console) -> None:
    home = console.home(slug="two-correctors")
    here = console.gone_to(f"{home}/incidents/new", title="It is slow", severity="minor", message="Teh disk")
    (update,) = set(re.findall(rf'href="({here}/updates/[^"]+)"', console.seen(here)))
    opened = version_in(console.seen(update))
    console.gone_to(update, message="The disk", version=opened)
    assert console.sent(update, message="The disc", version=opened).status == 409
    assert "The disc" not in console.public("two-correctors")


def test_a_template_fills_in_the_form(console: Console) -> None:
    home = console.home(slug="templates")
    console.gone_to(f"{home}/templates", name="Slow", title="The shop is slow", message="Wait.", severity="major")
    (template,) = set(re.findall(rf'href="{home}/templates/([^"/]+)"', console.seen(f"{home}/templates")))
    page = console.sent(f"{home}/incidents/new", do="use", template=template, severity="minor").body.decode()
    assert form_of(page)["title"] == "The shop is slow"
    assert form_of(page)["severity"] == "major"
    assert ">\nWait.</textarea>" in page
    console.gone_to(f"{home}/templates/{template}", name="Slow", title="Slow again", message="", severity="minor")
    assert "Slow again" in console.seen(f"{home}/templates")
    console.gone_to(f"{home}/templates/{template}/delete")
    assert "Slow again" not in console.seen(f"{home}/templates")


def test_number_of_notified_subscribers_is_shown_before_publishing(console: Console) -> None:
    till, mail = console.monitor("https://t1.example.com"), console.monitor("https://t2.example.com")
    home = console.home(till, mail, slug="listeners")
    first, second = console.known(home.removeprefix("/status-pages/")).components
    console.good("addSubscriber", statusPageId=first.page_id, address=WEBHOOK, type="webhook", componentIds=[first.id])
    console.box.box.box_db.write_now(lambda db: db.execute("update subscribers set confirmed_at = 1") and None)
    told = f"{home}/incidents/told"
    for component, said in ((first, "1 subscriber is notified"), (second, "none follow these components")):
        answer = console.sent(told, notify="on", **{f"impact.{component.id}": "down"})
        assert said in answer.body.decode()
    assert "No subscribers are notified" in console.sent(told, **{f"impact.{first.id}": "down"}).body.decode()


def test_update_sent_after_the_session_expired_is_kept_for_the_form(console: Console) -> None:
    home = console.home(slug="late")
    incident = console.gone_to(f"{home}/incidents/new", title="Slow", message="Looking", do="publish")
    browser = f"known={console.box.box.parts[Tries].mark(EMAIL)}"
    form = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin", "hx_request": "true"}
    for path in (f"{home}/incidents/told", f"{incident}/told"):
        body = urlencode({"message": "Typed & kept", "notify": "on"}).encode()
        refused = console.box.ask("POST", path, headers=form | {"cookie": browser}, body=body)
        assert (refused.status, refused.headers["hx-redirect"]) == (401, "/sign-in?next=/forms/kept")
        cookie = f"{console.box.cookie}; {browser}; {refused.headers['set-cookie'].partition(';')[0]}"
        shown = console.seen("/forms/kept", cookie)
        assert (
            "You were signed out before this was saved. Your changes are still here: review them, then save."
        ) in shown
        assert "Typed &amp; kept</textarea>" in shown


def test_rate_limited_member_is_told_to_wait(console: Console) -> None:
    home = console.home(slug="flooded")
    statuses = [
        console.sent(f"{home}/subscribers", address=f"https://flooded.example/{number}").status for number in range(11)
    ]
    assert (statuses[-1], 429 in statuses[:-1]) == (429, False)


def test_subscribers_are_listed_added_and_removed(console: Console) -> None:
    home = console.home(slug="subscribers")
    page = console.sent(f"{home}/subscribers", address=WEBHOOK).body.decode()
    assert "whsec_" in page
    assert "whsec_" not in console.seen(f"{home}/subscribers")
    (gone,) = set(re.findall(rf'href="({home}/subscribers/[^"?]+)', console.seen(f"{home}/subscribers")))
    assert WEBHOOK in console.sent(f"{home}/subscribers/export").body.decode()
    console.gone_to(gone)
    assert "No subscribers yet" in console.seen(f"{home}/subscribers")
    answer = console.sent(f"{home}/subscribers", address="no address")
    assert answer.status == 400
    assert 'id="address-error"' in answer.body.decode()


def test_a_maintenance_is_planned_moved_and_called_off(console: Console) -> None:
    home = console.home(console.monitor("https://m1.example.com", name="Till"), slug="planned")
    (component,) = console.known(home.removeprefix("/status-pages/")).components
    given = {
        "title": "Upgrade",
        "start": "2030-01-01T10:00",
        "end": "2030-01-01T12:00",
        f"component.{component.id}": "on",
    }
    console.gone_to(f"{home}/maintenances/new", **given)
    (planned,) = console.known(home.removeprefix("/status-pages/")).incidents
    here = f"{home}/maintenances/{planned.id}"
    assert "Upgrade" in console.public("planned")
    assert 'value="2030-01-01T10:00"' in console.seen(f"{here}/edit")
    console.gone_to(f"{here}/edit", **given | {"end": "2030-01-01T13:00"})
    (moved,) = console.known(home.removeprefix("/status-pages/")).incidents
    assert (planned.scheduled_until or 0) + 3_600_000 == moved.scheduled_until
    console.gone_to(f"{here}/cancel")
    (over,) = console.known(home.removeprefix("/status-pages/")).incidents
    assert over.status == "completed"


@each(
    ("fields", "field"),
    [
        ({"end": "2030-01-01T09:00"}, "end"),
        ({"start": "tomorrow"}, "start"),
        ({"title": " "}, "title"),
    ],
)
def test_a_maintenance_that_cannot_be_is_said_at_its_field(
    console: Console, fields: dict[str, str], field: str
) -> None:
    home = console.home(slug=f"unplanned-{field}")
    given = {"title": "Upgrade", "start": "2030-01-01T10:00", "end": "2030-01-01T12:00"} | fields
    answer = console.sent(f"{home}/maintenances/new", **given)
    assert answer.status == 400
    assert f'id="{field}-error"' in answer.body.decode()


def test_incidents_of_other_pages_are_not_found(console: Console) -> None:
    home, other = console.home(slug="mine"), console.home(slug="other")
    here = console.gone_to(f"{home}/incidents/new", title="It is slow", severity="minor")
    assert console.answer(here.replace(home, other)).status == 404
    assert console.sent(here.replace(home, other), status="resolved").status == 404
    assert console.answer(here, console.foreign).status == 404
    assert console.sent(here, console.viewer, status="resolved").status == 403


def test_update_is_called_sent_only_if_a_subscriber_received_it(console: Console) -> None:
    monitor = console.monitor("https://reach.example.com")
    home = console.home(monitor, slug="reach")
    (component,) = console.known(home.removeprefix("/status-pages/")).components
    nobody = console.gone_to(f"{home}/incidents/new", title="Slow", message="Looking", notify="on", do="publish")
    assert "no subscribers notified" in console.seen(nobody)
    console.good("addSubscriber", statusPageId=component.page_id, address=WEBHOOK, type="webhook")
    console.box.box.box_db.write_now(lambda db: db.execute("update subscribers set confirmed_at = 1") and None)
    quiet = console.gone_to(f"{home}/incidents/new", title="Quiet", message="Looking", do="publish")
    assert "subscribers not notified" in console.seen(quiet)
    told = console.gone_to(f"{home}/incidents/new", title="Told", message="Looking", notify="on", do="publish")
    ended = "update subscriber_deliveries set due_at = null, ended_at = 1, error = ?"
    for error, said in (("The webhook answers 500", "no subscribers notified"), ("", "1 subscriber notified")):
        console.box.box.box_db.write_now(lambda db, given=error: db.execute(ended, (given,)) and None)  # type: ignore[misc]  # a lambda with a default
        page = console.seen(told)
        assert said in page
        assert ("1 subscriber notified" in page) == (error == "")
