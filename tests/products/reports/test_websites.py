"""A report about several websites: one mail with what each reader can access, in the reader's formats."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.acting import By
from analytics_box.base.identity import Scope
from analytics_box.base.store.db import Connection
from analytics_box.tenants.keys.change import create as create_key
from tests.inprocess import EMAIL, SiteName
from tests.products.overview.filtered import PEOPLE
from tests.products.reports.test_related import BROWSER
from tests.products.reports.world import STRANGER, World, part_of, world_in


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    with world_in(tmp_path) as world:
        yield world


def restrict(here: World, *websites: SiteName) -> None:
    """Limit the member to these websites."""
    values = (json.dumps([here.box.sites[one] for one in websites]), here.box.user_id)
    change = "update members set resources = ? where user_id = ?"
    here.box.box.box_db.write_now(lambda db: db.execute(change, values).fetchall())


def set_formats(here: World) -> None:
    change = "update users set date_format = 'DD.MM.YYYY', time_format = 'h:mm a'"
    here.box.box.box_db.write_now(lambda db: db.execute(change).fetchall())


def names(here: World) -> dict[SiteName, str]:
    """The names of the websites of the organization."""
    ids = {id: key for key, id in here.box.sites.items()}
    return {ids[one["id"]]: one["name"] for one in here.call("websites.list")}


def test_mail_has_a_section_for_each_website_of_the_organization(here: World) -> None:
    here.report(allWebsites=True, name="Agency")
    here.pass_days(5)
    (mail,) = here.mails()
    text = part_of(mail)
    known = names(here)
    assert len(known) > 2
    assert str(mail["Subject"]).startswith("Agency, ") or "Agency" in text
    for name in known.values():
        assert f"# {name} (" in text
        assert part_of(mail, "text/html").count(f"<bdi>{name}</bdi></h2>") == 1
    assert text.index("# Shop (") < min(text.index(f"# {name} (") for name in known.values() if name != "Shop")


def test_chosen_websites_are_in_the_report_and_no_others(here: World) -> None:
    known = names(here)
    other, third, *_more = [key for key in known if key != "shop"]
    here.report(websiteIds=[here.box.sites[other]])
    here.pass_days(5)
    text = part_of(here.mails()[0])
    assert f"# {known[other]} (" in text
    assert f"# {known[third]} (" not in text


def test_member_gets_only_the_websites_that_they_can_access(here: World) -> None:
    known = names(here)
    other = next(key for key in known if key != "shop")
    here.report(allWebsites=True)
    restrict(here, other)
    here.pass_days(5)
    (mail,) = here.mails()
    text = part_of(mail)
    assert known[other] in text
    assert "Shop" not in text + str(mail["Subject"]) + part_of(mail, "text/html")
    restrict(here)
    here.pass_days(7)
    assert len(here.mails()) == 1, "without access to any of them nothing is sent"


def test_access_lost_after_queueing_removes_the_section(here: World) -> None:
    other = next(key for key in names(here) if key != "shop")
    here.report(allWebsites=True)
    here.box.clock.advance(seconds=5 * 86_400)
    here.tick()
    restrict(here, other)
    here.send()
    (mail,) = here.mails()
    assert "Shop" not in part_of(mail)


def test_files_of_all_websites_are_not_attached_for_a_member_who_can_access_some(here: World) -> None:
    other = next(key for key in names(here) if key != "shop")
    here.report(allWebsites=True, exports=["email"])
    restrict(here, other)
    here.pass_days(5)
    (mail,) = here.mails()
    assert not [part for part in mail.walk() if part.get_filename()]
    assert "attached" not in part_of(mail)


def test_links_and_flags_of_the_organization_are_not_sent_to_restricted_members(here: World) -> None:
    whole = {"organizationId": here.box.organization_id, "key": "everywhere", "name": "Everywhere"}
    here.call("flags.create", **whole, defaultValue=True)
    here.call("flags.create", websiteId=here.box.sites["shop"], key="checkout", name="Checkout", defaultValue=True)
    given = {"organizationId": here.box.organization_id, "targetUrl": "https://shop.example/", "slug": "sale"}
    here.call("links.create", **given, name="Secret campaign")
    assert here.box.get("/l/sale", user_agent=BROWSER).status == 302
    here.report(sections=["flags", "links"])
    restrict(here, "shop")
    here.pass_days(5)
    text = part_of(here.mails()[0])
    assert "checkout" in text
    assert "everywhere" not in text
    assert "Secret campaign" not in text


def test_website_that_was_transferred_leaves_the_report(here: World) -> None:
    known = names(here)
    other = next(key for key in known if key != "shop")
    here.report(websiteIds=[here.box.sites[other]])
    change = "update websites set organization_id = (select id from organizations where id <> ? limit 1) where id = ?"
    values = (here.box.organization_id, here.box.sites[other])
    here.box.box.box_db.write_now(lambda db: db.execute(change, values).fetchall())
    here.box.reopen()
    here.pass_days(5)
    text = part_of(here.mails()[0])
    assert known[other] not in text
    assert f"Visitors: {len(PEOPLE)}" in text


def test_report_that_moves_to_another_organization_is_about_its_website_only(here: World) -> None:
    made = here.report(allWebsites=True, recipients=[STRANGER])
    other = next(key for key in names(here) if key != "shop")
    here.report(websiteIds=[here.box.sites[other]], recipients=[STRANGER], name="Two")
    statements = (
        "update report_recipients set confirmed_at = created_at",
        "update websites set organization_id = (select organization_id from websites where domain = 'foreign.example')"
        " where domain = 'shop.example'",
    )
    for statement in statements:
        here.box.box.box_db.write_now(lambda db: db.execute(statement).fetchall())  # noqa: B023
    here.box.reopen()
    here.pass_days(5)
    mails = [mail for mail in here.mails() if "Visitors" in part_of(mail)]
    assert len(mails) == 2
    for mail in mails:
        assert f"Visitors: {len(PEOPLE)}" in part_of(mail)
        assert "Foreign" not in part_of(mail) + str(mail["Subject"])
    left = here.rows(f"select all_websites from reports where id = '{made['id']}'")
    assert left == [(0,)]


def test_key_of_one_website_neither_includes_others_nor_finds_a_report_about_them(here: World) -> None:
    other = next(key for key in names(here) if key != "shop")
    made = here.report(websiteIds=[here.box.sites[other]], name="Both")
    whole = here.report(allWebsites=True, name="All")
    shop = here.box.sites["shop"]
    by = By("test", here.box.clock.now())

    def create(db: Connection) -> str:
        scopes: tuple[Scope, ...] = ("manage:websites",)
        organization = here.box.organization_id
        return create_key(db, organization_id=organization, name="One", scopes=scopes, websites=(shop,), by=by)[1]

    secret = here.box.box.box_db.write_now(create)
    here.box.reopen()

    def ask(procedure: str, **given: Any) -> tuple[int, Any]:
        answer = here.box.ask(
            "POST",
            f"/{procedure.replace('.', '/')}",
            headers={"x_api_key": secret, "content_type": "application/json"},
            body=json.dumps(given).encode(),
        )
        return answer.status, answer.json

    assert ask("reports.list", websiteId=shop) == (200, [])
    for report in (made, whole):
        for procedure in ("getById", "preview", "sendNow", "delete", "deliveries"):
            assert ask(f"reports.{procedure}", id=report["id"])[0] == 404, procedure
    assert ask("reports.create", websiteId=shop, name="New", websiteIds=[here.box.sites[other]])[0] == 404
    assert ask("reports.create", websiteId=shop, name="New", allWebsites=True)[0] == 403
    assert ask("reports.create", websiteId=shop, name="New")[0] == 200


def test_segment_and_further_websites_exclude_each_other(here: World) -> None:
    only = [{"field": "country", "op": "eq", "value": "Germany"}]
    given = {"websiteId": here.box.sites["shop"], "name": "Germans", "filters": only, "isShared": True}
    segment = here.call("segments.create", **given)["id"]
    answer = here.box.post(
        "/reports/create",
        {"websiteId": here.box.sites["shop"], "name": "Some", "segmentId": segment, "allWebsites": True},
        key="all",
    )
    assert answer.status == 400
    assert "segment" in answer.body.decode()


def test_dates_and_times_are_in_the_formats_of_the_reader(here: World) -> None:
    note = {"websiteId": here.box.sites["shop"], "text": "Sale begins", "annotationType": "point"}
    here.call("annotations.create", **note, xValue="2026-06-17T14:05:00Z")
    here.report()
    set_formats(here)
    here.pass_days(5)
    text = part_of(here.mails()[0])
    assert "15.06.2026 – 21.06.2026" in text
    assert "Compared with 08.06.2026 – 14.06.2026" in text
    assert "17.06.2026, 2:05 pm: Sale begins" in text


def test_people_without_an_account_read_the_formats_of_who_created_the_report(here: World) -> None:
    body = "name=Weekly&frequency=weekly&weekday.mon=on&hour=8&timeZone=UTC&section.figures=on&isActive=on"
    set_formats(here)
    path = f"/sites/{here.box.sites['shop']}/reports/new"
    answer = here.send_form(path, f"{body}&fileFormat=csv&recipients={STRANGER}", cookie=here.box.cookie)
    assert answer.status == 303, answer.body
    confirm = "update report_recipients set confirmed_at = created_at"
    here.box.box.box_db.write_now(lambda db: db.execute(confirm).fetchall())
    here.pass_days(5)
    *_, mail = here.mails()
    assert mail["To"] == STRANGER
    assert "15.06.2026 – 21.06.2026" in part_of(mail)


def test_form_selects_further_websites(here: World) -> None:
    other = next(key for key in names(here) if key != "shop")
    body = "name=Two&frequency=weekly&weekday.mon=on&hour=8&timeZone=UTC&section.figures=on&isActive=on&fileFormat=csv"
    path = f"/sites/{here.box.sites['shop']}/reports/new"
    body += f"&scope=selected&website.{here.box.sites[other]}=on&recipients={EMAIL}"
    assert here.send_form(path, body, cookie=here.box.cookie).status == 303
    (report,) = here.call("reports.list", websiteId=here.box.sites["shop"])
    assert report["websiteIds"] == [here.box.sites[other]]
    page = here.box.get(f"{path.removesuffix('/new')}/{report['id']}/edit", cookie=here.box.cookie, accept="text/html")
    assert f'name="website.{here.box.sites[other]}" checked' in page.body.decode()
