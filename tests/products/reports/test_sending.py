"""Reports that are due: made once per period, about the right days, and delivered to who may get them."""

from collections.abc import Iterator
from email.header import decode_header, make_header
from pathlib import Path

import pytest

from tests.inprocess import EMAIL
from tests.products.overview.filtered import PEOPLE
from tests.products.reports.world import STRANGER, World, part_of, world_in


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    with world_in(tmp_path) as world:
        yield world


def test_weekly_report_arrives_on_its_day_with_the_figures_of_the_week(here: World) -> None:
    here.report()
    here.tick()
    here.send()
    assert not here.mails(), "nothing is sent about a week before the report was created"
    here.pass_days(5)  # Monday, 22 June, 12:00
    (mail,) = here.mails()
    assert mail["To"] == EMAIL
    assert str(make_header(decode_header(mail["Subject"]))).startswith(
        f"Shop, 15 – 21 Jun 2026: {len(PEOPLE)} visitors"
    )
    text = part_of(mail)
    assert f"Visitors: {len(PEOPLE)} (↑" in text
    assert "Compared with 8 – 14 Jun 2026" in text


def test_period_is_sent_once_however_often_the_job_runs(here: World) -> None:
    here.report()
    here.pass_days(5)
    for _again in range(3):
        here.pass_days(0.1)
    here.box.reopen()
    here.pass_days(0.1)
    assert len(here.mails()) == 1


def test_box_that_was_off_for_weeks_sends_only_the_newest_period(here: World) -> None:
    here.report()
    here.pass_days(26)  # three Mondays later
    (mail,) = here.mails()
    assert "6 – 12 Jul 2026" in part_of(mail)


def test_clock_that_is_set_back_sends_nothing_again(here: World) -> None:
    here.report()
    here.pass_days(12)
    here.pass_days(-3)
    here.pass_days(-4)
    assert len(here.mails()) == 2, "one for each of two Mondays, in whichever order they came"
    here.pass_days(7)
    assert len(here.mails()) == 2


def test_stranger_gets_nothing_before_confirming_and_nothing_after_unsubscribing(here: World) -> None:
    here.report(recipients=[STRANGER])
    here.send()
    (request,) = here.mails()
    assert request["To"] == STRANGER
    assert "Shop" not in request["Subject"]
    here.pass_days(5)
    assert len(here.mails()) == 1
    path = part_of(request).split("http://localhost:8000")[1].split()[0]
    assert here.box.get(path, accept="text/html").status == 200
    here.pass_days(7)
    assert len(here.mails()) == 1, "a mail scanner that opens the link confirms nothing"
    assert here.send_form(path, "").status == 200
    here.pass_days(7)
    *_, report = here.mails()
    assert len(here.mails()) == 2
    assert report["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    leave = report["List-Unsubscribe"].strip("<>").removeprefix("http://localhost:8000")
    assert here.box.get(leave, accept="text/html").status == 200
    assert here.send_form(leave, "List-Unsubscribe=One-Click", site="cross-site").status == 200
    here.pass_days(7)
    assert len(here.mails()) == 2
    assert here.rows("select count(*) from report_recipients") == [(0,)]


def test_member_who_can_no_longer_see_the_website_gets_no_more_reports(here: World) -> None:
    made = here.report()
    change = "update members set resources = ? where user_id = ?"
    for resources, mails in (('["other"]', 0), (f'["{here.box.sites["shop"]}"]', 1)):
        values = (resources, here.box.user_id)
        here.box.box.box_db.write_now(lambda db: db.execute(change, values).fetchall())  # noqa: B023
        here.pass_days(7 if mails else 5)
        assert len(here.mails()) == mails
    (recipient,) = here.call("reports.getById", id=made["id"])["recipients"]
    assert recipient["state"] == "confirmed"


def test_member_who_left_gets_no_more_reports(here: World) -> None:
    here.report()
    here.box.box.box_db.write_now(lambda db: db.execute("delete from members where user_id = ?", (here.box.user_id,)))
    here.pass_days(5)
    assert not here.mails()
