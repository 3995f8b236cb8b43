"""What of accounts has ended goes from the files by itself; what still works stays."""

from pathlib import Path

from analytics_box.app import jobs
from analytics_box.tenants.accounts import users
from analytics_box.tenants.accounts.second_factor import SecondSteps
from tests.inprocess import RunningBox, WholeBox, empty_box
from tests.tenants.accounts.world import begin, cookie_of, reset_link, send, sign_in, turn_on, works

HOUR, DAY = 3_600, 86_400


def sweep(box: RunningBox) -> None:
    (job,) = (job for job in jobs.JOBS if job.name == "sweep accounts")
    box.run(jobs.run_job(job, box.box))


def count(box: RunningBox, table: str) -> int:
    found = box.box.box_db.read_now(lambda db: db.execute(f"select count(*) from {table}").fetchall())
    return int(str(found[0][0]))


def test_a_session_goes_when_it_has_ended_and_not_before(box: WholeBox) -> None:
    idle = cookie_of(sign_in(box))
    box.clock.advance(seconds=DAY)
    used = cookie_of(sign_in(box))
    box.clock.advance(seconds=6 * DAY - 1)
    sweep(box)
    assert count(box, "sessions") == 2
    box.clock.advance(seconds=1)
    sweep(box)
    assert count(box, "sessions") == 1
    assert (works(box, idle), works(box, used)) == (False, True)


def test_a_link_for_a_password_goes_when_its_time_is_over(box: WholeBox) -> None:
    path = reset_link(box)
    box.clock.advance(seconds=HOUR - 1)
    sweep(box)
    assert box.get(path).status == 200
    box.clock.advance(seconds=1)
    sweep(box)
    assert count(box, "password_resets") == 0


def test_unconfirmed_second_factor_is_removed_and_an_active_one_stays(box: WholeBox) -> None:
    begin(box, cookie_of(sign_in(box)))
    box.clock.advance(seconds=DAY - 1)
    sweep(box)
    assert count(box, "second_factors") == 1
    box.clock.advance(seconds=1)
    sweep(box)
    assert count(box, "second_factors") == 0
    turn_on(box)
    box.clock.advance(seconds=40 * DAY)
    sweep(box)
    assert (count(box, "second_factors"), count(box, "recovery_codes")) == (1, 10)


def test_a_sign_in_that_waits_for_its_code_is_forgotten_after_ten_minutes(box: WholeBox) -> None:
    steps = box.box.parts[SecondSteps]
    token = steps.begin(box.user_id, wanted="", zone="")
    for seconds, waiting in ((599, 1), (1, 0)):
        box.clock.advance(seconds=seconds)
        sweep(box)
        assert (steps.find(token) is not None, len(steps.waiting)) == (bool(waiting), waiting)


def test_an_invitation_is_shown_as_expired_for_a_month_and_then_goes(box: WholeBox) -> None:
    cookie = cookie_of(sign_in(box))
    send(box, "/settings/members/invite", cookie, email="grace@example.com", role="viewer")
    box.clock.advance(seconds=36 * DAY)
    sweep(box)
    assert b"grace@example.com" in box.get("/settings/members", cookie=cookie_of(sign_in(box))).body
    box.clock.advance(seconds=DAY)
    sweep(box)
    assert b"grace@example.com" not in box.get("/settings/members", cookie=cookie_of(sign_in(box))).body
    assert count(box, "audit where subject = 'invitation'") == 1, "the audit log forgets nothing"


def test_a_setup_link_goes_after_a_day(tmp_path: Path) -> None:
    with empty_box(tmp_path / "data") as box:
        made = box.box.box_db.write_now(lambda db: users.new_link(db, base_url="", now=box.clock.now()))
        box.clock.advance(seconds=DAY - 1)
        sweep(box)
        assert box.get(str(made)).status == 200
        box.clock.advance(seconds=1)
        sweep(box)
        assert count(box, "setup_tokens") == 0
