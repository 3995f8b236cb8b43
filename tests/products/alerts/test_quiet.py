"""When quiet hours end, by the wall clock of their zone."""

from datetime import datetime
from zoneinfo import ZoneInfo

from analytics_box.products.alerts.alert_rule import Day, QuietHours, What
from analytics_box.products.alerts.telling import ends_at
from tests.cases import each

BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=BERLIN).timestamp() * 1000)


NIGHT, NOON, ALWAYS = ("22:00", "07:00"), ("12:00", "13:00"), ("08:00", "08:00")
WEEKEND: tuple[Day, ...] = ("sat", "sun")

CASES: tuple[tuple[tuple[str, str], tuple[Day, ...], str, str | None], ...] = (
    (NIGHT, (), "2026-06-17 21:59", None),
    (NIGHT, (), "2026-06-17 22:00", "2026-06-18 07:00"),
    (NIGHT, (), "2026-06-18 03:00", "2026-06-18 07:00"),
    (NIGHT, (), "2026-06-18 07:00", None),
    (NOON, (), "2026-06-17 12:30", "2026-06-17 13:00"),
    (NOON, (), "2026-06-17 13:00", None),
    (ALWAYS, (), "2026-06-17 09:00", "2026-06-18 08:00"),
    (ALWAYS, WEEKEND, "2026-06-21 09:00", "2026-06-22 08:00"),
    (NIGHT, WEEKEND, "2026-06-17 23:00", None),
    (NIGHT, WEEKEND, "2026-06-20 23:00", "2026-06-21 07:00"),
    (NIGHT, WEEKEND, "2026-06-22 06:00", "2026-06-22 07:00"),  # Sunday's night
    (NIGHT, WEEKEND, "2026-06-20 06:00", None),  # Friday's
    (NIGHT, (), "2026-03-29 01:30", "2026-03-29 07:00"),  # an hour is left out
    (NIGHT, (), "2026-10-25 01:30", "2026-10-25 07:00"),  # an hour comes twice
)


@each(("hours", "days", "now", "end"), CASES)
def test_quiet_hours_end_by_the_wall_clock(
    hours: tuple[str, str], days: tuple[Day, ...], now: str, end: str | None
) -> None:
    quiet = QuietHours(*hours, time_zone="Europe/Berlin", days=days)
    assert ends_at(quiet, "down", at(now)) == (None if end is None else at(end))


THROUGH: tuple[tuple[tuple[What, ...], What, bool], ...] = (
    ((), "down", True),
    (("down",), "down", False),
    (("down",), "recovered", False),
    (("recovered",), "down", True),
    (("recovered",), "recovered", False),
    (("down",), "certificate", True),
)


@each(("through", "what", "held"), THROUGH)
def test_some_things_go_through(through: tuple[What, ...], what: What, held: bool) -> None:
    quiet = QuietHours("00:00", "00:00", time_zone="Europe/Berlin", through=through)
    assert (ends_at(quiet, what, at("2026-06-17 12:00")) is not None) == held
