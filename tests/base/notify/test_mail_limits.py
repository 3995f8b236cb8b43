"""Limits on mail to one mailbox, for every sender and every spelling of the address."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.base.clock import DAY, HOUR, MINUTE
from analytics_box.base.errors import RateLimited
from analytics_box.base.notify import mail_limits
from analytics_box.base.notify.mail_limits import BOUNDS, Purpose
from analytics_box.base.store import schema
from analytics_box.base.store.db import Db
from tests.cases import each
from tests.migrated import migrated

ADA = "ada@example.com"
NOW = 1_795_000_000_000


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Db]:
    migrated(tmp_path)
    found = Db(tmp_path / schema.BOX_FILE, readers=1)
    yield found
    found.close()


def sent(db: Db, at: int, *, purpose: Purpose = "password reset", to: str = ADA, account: str = "") -> bool:
    try:
        db.write_now(lambda found: mail_limits.take(found, purpose, to, at, account=account))
    except RateLimited:
        return False
    return True


@pytest.mark.parametrize("purpose", list(BOUNDS))
def test_a_mailbox_never_gets_more_than_the_bounds_of_any_hour_and_any_day(db: Db, purpose: Purpose) -> None:
    every = 5 * MINUTE
    times = [at for at in range(NOW, NOW + 3 * DAY, every) if sent(db, at, purpose=purpose)]
    for start in range(NOW, NOW + 2 * DAY, every):
        assert sum(start <= at < start + HOUR for at in times) <= BOUNDS[purpose].hour
        assert sum(start <= at < start + DAY for at in times) <= BOUNDS[purpose].day
    assert len(times) == 3 * BOUNDS[purpose].day


def test_spellings_of_a_mailbox_share_a_limit_and_other_mailboxes_are_not_affected(db: Db) -> None:
    assert [sent(db, NOW, to=f"ada+{number}@example.com") for number in range(4)] == [True, True, True, False]
    assert sent(db, NOW, to="grace@example.com")
    assert sent(db, NOW, purpose="invitation")


@each(
    ("one", "other"),
    (
        ("ada@bücher.example", "ada@xn--bcher-kva.example"),
        ("ada@ｅxample.com", "ada@example.com"),
        ("ada@example。com", "ada@example.com"),
        ("ada@example.com.", "ada@example.com"),
        ("ａda@example.com", "ada@example.com"),
    ),
)
def test_another_spelling_is_the_same_mailbox(one: str, other: str) -> None:
    assert mail_limits.mailbox_of(one) == mail_limits.mailbox_of(other)


def test_an_account_that_changes_its_address_keeps_its_count(db: Db) -> None:
    assert [sent(db, NOW, to=f"a{number}@example.com", account="one") for number in range(4)] == [
        True,
        True,
        True,
        False,
    ]
    assert sent(db, NOW, to="a3@example.com", account="two")


def test_a_refusal_says_when_the_next_mail_is_possible(db: Db) -> None:
    for minutes in (0, 10, 20):
        assert sent(db, NOW + minutes * MINUTE)
    with pytest.raises(RateLimited) as refused:
        db.write_now(lambda found: mail_limits.take(found, "password reset", ADA, NOW + 30 * MINUTE))
    assert refused.value.retry_after == 30 * 60
    assert sent(db, NOW + HOUR)


@each("jump", [-DAY * 400, DAY * 400])
def test_a_clock_that_jumps_shuts_no_mailbox_out(jump: int, tmp_path: Path) -> None:
    migrated(tmp_path)
    db = Db(tmp_path / schema.BOX_FILE, readers=1)
    try:
        for _ in range(3):
            assert sent(db, NOW)
        assert sent(db, NOW + jump)
        db.write_now(lambda found: mail_limits.sweep(found, NOW + jump))
        assert db.read_now(lambda found: found.execute("select at from mails_sent").fetchall()) == [(NOW + jump,)]
    finally:
        db.close()
