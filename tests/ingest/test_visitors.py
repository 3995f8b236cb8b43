"""Visitors without names: ids that last a UTC day, and salts that are forgotten (semantics 7)."""

import errno
import json
import os
import stat
from pathlib import Path

import pytest

from analytics_box.base.clock import DAY, HOUR
from analytics_box.ingest.visitors import SALT_BYTES, SaltFile, both, by_client_id, cached_ids, cookieless, salted_hash
from analytics_box.web import address
from analytics_box.web.address import network_of
from tests.inprocess import NOON, whole_box

SALT, OTHER = b"a" * SALT_BYTES, b"b" * SALT_BYTES


def test_an_id_is_the_same_for_the_same_browser_and_day_only() -> None:
    mine = cookieless(SALT, 1, "203.0.113.7", "Firefox")
    assert mine == cookieless(SALT, 1, "203.0.113.7", "Firefox")
    others = {
        cookieless(OTHER, 1, "203.0.113.7", "Firefox"),
        cookieless(SALT, 2, "203.0.113.7", "Firefox"),
        cookieless(SALT, 1, "203.0.113.8", "Firefox"),
        cookieless(SALT, 1, "203.0.113.7", "Chrome"),
        by_client_id(SALT, 1, "203.0.113.7"),
    }
    assert len(others | {mine}) == 6


@pytest.mark.parametrize("browser", ["Firefox", "x" * 1024])
def test_ids_of_two_days_are_those_of_each_day(browser: str) -> None:
    for _ in range(2):
        cookieless_ids = both((SALT, OTHER), 1, f"203.0.113.7\0{browser}")
        assert cookieless_ids == tuple(cookieless(salt, 1, "203.0.113.7", browser) for salt in (SALT, OTHER))
        own = both((SALT, OTHER), 1, f"\0{browser}")
        assert own == tuple(by_client_id(salt, 1, browser) for salt in (SALT, OTHER))


def test_a_client_id_without_salt_is_the_same_on_every_day_but_not_on_every_site() -> None:
    assert by_client_id(b"", 1, "client") == by_client_id(b"", 1, "client")
    assert by_client_id(b"", 1, "client") != by_client_id(b"", 2, "client")
    assert by_client_id(SALT, 1, "client") != by_client_id(OTHER, 1, "client")


def test_an_id_says_whether_it_lasts() -> None:
    names = [f"client {number}" for number in range(50)]
    assert {by_client_id(b"", 1, name) % 2 for name in names} == {1}
    assert {by_client_id(SALT, 1, name) % 2 for name in names} == {0}
    assert {cookieless(SALT, 1, "203.0.113.7", name) % 2 for name in names} == {0}


@pytest.mark.parametrize("client_id", ["", "\x00", "\ud800", "ü" * 256, "1\x002"])
def test_every_text_makes_an_id_that_sqlite_can_hold(client_id: str) -> None:
    assert 0 < by_client_id(SALT, 1, client_id) < 2**63


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2::9", "2001:db8:1:2::/64"),
        ("", ""),
        ("nonsense", ""),
        ("203.0.113.7:80", ""),
    ],
)
def test_of_an_address_its_network_counts(address: str, network: str) -> None:
    assert network_of(address) == network


def test_the_salts_stand_in_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    SaltFile(tmp_path / "salts", str.encode).current(NOON)
    assert stat.S_IMODE((tmp_path / "salts").stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["salts"]
    found = json.loads((tmp_path / "salts").read_text())
    assert len(bytes.fromhex(found["today"])) == len(bytes.fromhex(found["yesterday"])) == 32


def test_a_salt_that_is_over_is_not_kept_in_memory_either(tmp_path: Path) -> None:
    file = SaltFile(tmp_path / "salts", str.encode)
    both(file.current(NOON).around(NOON, 1), 1, "203.0.113.7\0Firefox")
    assert salted_hash.cache_info().currsize
    assert cached_ids.cache_info().currsize
    address.client_of("127.0.0.1", "203.0.113.7", address.networks(("127.0.0.1",)))
    assert address._remembered_walk.cache_info().currsize
    assert address._parsed_address.cache_info().currsize
    file.current(NOON + DAY)
    assert not salted_hash.cache_info().currsize
    assert not cached_ids.cache_info().currsize
    assert not address._remembered_walk.cache_info().currsize
    assert not address._parsed_address.cache_info().currsize


def test_a_salt_lasts_until_midnight_utc_and_one_day_more(tmp_path: Path) -> None:
    file = SaltFile(tmp_path / "salts", str.encode)
    first = file.current(NOON)
    assert file.current(NOON + 11 * HOUR) is first
    second = file.current(NOON + 12 * HOUR)
    assert second.today != first.today
    assert second.yesterday == first.today
    third = file.current(NOON + 36 * HOUR)
    assert third.yesterday == second.today
    kept = (tmp_path / "salts").read_text()
    assert first.today.hex() not in kept, "a salt from before yesterday still exists"


def test_salts_survive_a_restart(tmp_path: Path) -> None:
    before = SaltFile(tmp_path / "salts", str.encode).current(NOON)
    assert SaltFile(tmp_path / "salts", str.encode).current(NOON + HOUR) == before
    assert SaltFile(tmp_path / "salts", str.encode).current(NOON + DAY).yesterday == before.today


def test_after_days_without_the_box_no_old_salt_is_left(tmp_path: Path) -> None:
    before = SaltFile(tmp_path / "salts", str.encode).current(NOON)
    after = SaltFile(tmp_path / "salts", str.encode).current(NOON + 2 * DAY)
    assert not {before.today, before.yesterday} & {after.today, after.yesterday}


def test_a_clock_that_goes_back_by_a_day_goes_back_to_that_days_salt(tmp_path: Path) -> None:
    file = SaltFile(tmp_path / "salts", str.encode)
    file.current(NOON - DAY)
    today = file.current(NOON)
    back = file.current(NOON - DAY)
    assert back.today == today.yesterday
    assert file.current(NOON).yesterday == back.today


def test_a_clock_that_was_ahead_once_does_not_keep_its_salt_for_weeks(tmp_path: Path) -> None:
    file = SaltFile(tmp_path / "salts", str.encode)
    ahead = file.current(NOON + 30 * DAY)
    salts = [file.current(NOON + day * DAY) for day in range(3)]
    assert len({ahead.today, *(salt.today for salt in salts)}) == 4
    assert SaltFile(tmp_path / "salts", str.encode).current(NOON + 2 * DAY) == salts[2]


def test_salts_that_a_full_disk_refused_are_written_once_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "salts"
    file = SaltFile(path, str.encode)
    old = file.current(NOON)

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", full)
        today = file.current(NOON + DAY)
        file.save()
        assert file.current(NOON + DAY) == today
    assert caplog.text.count("cannot be written; retrying every minute") == 2
    assert old.today.hex() in path.read_text()
    file.save()
    assert SaltFile(path, str.encode).current(NOON + DAY) == today


def test_new_salts_are_on_disk_with_their_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.readlink(f"/proc/self/fd/{handle}")))
    SaltFile(tmp_path / "salts", str.encode).current(NOON)
    assert synced == [str(tmp_path / "salts.new"), str(tmp_path)]


@pytest.mark.parametrize("content", [None, "{", '{"day": 99999, "today": "", "yesterday": ""}'])
def test_salts_that_are_gone_are_warned_of_where_there_are_events(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, content: str | None
) -> None:
    with whole_box(tmp_path / "data") as box:
        path = box.box.events.salts.path
        path.unlink()
        box.reopen()
        assert "was replaced" not in caplog.text, "nobody was ever counted"
        assert box.post("/track", {"name": "seen", "websiteId": box.sites["shop"]}, key="all").status == 200
        box.box.close()
        path.unlink()
        if content is not None:
            path.write_text(content)
        box.reopen()
        assert f"{path} was replaced" in caplog.text


UNREADABLE = (
    "",
    "{",
    "[]",
    "\x00",
    '{"day": 1}',
    '{"day": "x", "today": "", "yesterday": ""}',
    '{"day": 99999, "today": "", "yesterday": ""}',
)


@pytest.mark.parametrize("content", UNREADABLE)
def test_unreadable_salts_file_is_recreated(tmp_path: Path, content: str) -> None:
    (tmp_path / "salts").write_text(content)
    made = SaltFile(tmp_path / "salts", str.encode).current(NOON)
    assert len(made.today) == len(made.yesterday) == SALT_BYTES
    assert SaltFile(tmp_path / "salts", str.encode).current(NOON) == made


def test_a_day_has_its_salt(tmp_path: Path) -> None:
    salts = SaltFile(tmp_path / "salts", str.encode).current(NOON)
    day = NOON // DAY
    assert salts.of(day, 1) == salts.of(day + 1, 1) == salts.today
    assert salts.of(day - 1, 1) == salts.yesterday
    past = {salts.of(day - 2, 1), salts.of(day - 3, 1), salts.of(day - 2, 2)}
    assert len(past - {salts.today, salts.yesterday}) == 3, "each day and site of history has a salt of its own"


def test_a_day_of_history_has_the_same_salt_for_ever(tmp_path: Path) -> None:
    file = SaltFile(tmp_path / "salts", str.encode)
    long_ago = NOON // DAY - 40
    assert file.current(NOON).of(long_ago, 1) == file.current(NOON + 5 * DAY).of(long_ago, 1)


# When something happened, and the days whose salts are tried, relative to the day of its arrival (NOON).
AROUND = (
    (0, (0, -1)),
    (-DAY, (-1, 0)),
    (-2 * DAY - 1, (-2, -3)),
    (-2 * DAY, (-2, -1)),
    (-2 * DAY + 11 * HOUR, (-2, -1)),
    (-40 * DAY - 1, (-40, -41)),
    (-40 * DAY, (-40, -39)),
)


@pytest.mark.parametrize(("when", "days"), AROUND)
def test_a_session_may_reach_into_the_day_beside(tmp_path: Path, when: int, days: tuple[int, int]) -> None:
    salts = SaltFile(tmp_path / "salts", str.encode).current(NOON)
    assert salts.around(NOON + when, 1) == tuple(salts.of(NOON // DAY + day, 1) for day in days)
