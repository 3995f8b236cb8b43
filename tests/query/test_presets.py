"""The presets of the specification (2.8) against clocks that stand still, in zones where it is another day."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from analytics_box.query import ranges
from analytics_box.query.ranges import PRESETS, Preset
from tests.cases import each

# When it is (UTC), where the question is asked, and what each preset means there: its first and last day.
CLOCKS: tuple[tuple[str, str, dict[str, tuple[str, str]]], ...] = (
    (
        "2026-06-17T12:00",  # a Wednesday
        "UTC",
        {
            "today": ("2026-06-17", "2026-06-17"),
            "yesterday": ("2026-06-16", "2026-06-16"),
            "last_7d": ("2026-06-11", "2026-06-17"),
            "last_14d": ("2026-06-04", "2026-06-17"),
            "last_30d": ("2026-05-19", "2026-06-17"),
            "last_90d": ("2026-03-20", "2026-06-17"),
            "this_week": ("2026-06-14", "2026-06-17"),
            "last_week": ("2026-06-07", "2026-06-13"),
            "this_month": ("2026-06-01", "2026-06-17"),
            "last_month": ("2026-05-01", "2026-05-31"),
            "this_year": ("2026-01-01", "2026-06-17"),
        },
    ),
    (
        "2026-01-01T00:00",  # the first instant of a year, a Thursday
        "UTC",
        {
            "today": ("2026-01-01", "2026-01-01"),
            "yesterday": ("2025-12-31", "2025-12-31"),
            "last_7d": ("2025-12-26", "2026-01-01"),
            "last_14d": ("2025-12-19", "2026-01-01"),
            "last_30d": ("2025-12-03", "2026-01-01"),
            "last_90d": ("2025-10-04", "2026-01-01"),
            "this_week": ("2025-12-28", "2026-01-01"),
            "last_week": ("2025-12-21", "2025-12-27"),
            "this_month": ("2026-01-01", "2026-01-01"),
            "last_month": ("2025-12-01", "2025-12-31"),
            "this_year": ("2026-01-01", "2026-01-01"),
        },
    ),
    (
        "2026-01-01T00:00",  # the same instant, still last year
        "America/Los_Angeles",
        {
            "today": ("2025-12-31", "2025-12-31"),
            "yesterday": ("2025-12-30", "2025-12-30"),
            "last_7d": ("2025-12-25", "2025-12-31"),
            "last_14d": ("2025-12-18", "2025-12-31"),
            "last_30d": ("2025-12-02", "2025-12-31"),
            "last_90d": ("2025-10-03", "2025-12-31"),
            "this_week": ("2025-12-28", "2025-12-31"),
            "last_week": ("2025-12-21", "2025-12-27"),
            "this_month": ("2025-12-01", "2025-12-31"),
            "last_month": ("2025-11-01", "2025-11-30"),
            "this_year": ("2025-01-01", "2025-12-31"),
        },
    ),
    (
        "2024-03-03T10:00",  # a Sunday after a leap day, Monday already on Kiritimati
        "Pacific/Kiritimati",
        {
            "today": ("2024-03-04", "2024-03-04"),
            "yesterday": ("2024-03-03", "2024-03-03"),
            "last_7d": ("2024-02-27", "2024-03-04"),
            "last_14d": ("2024-02-20", "2024-03-04"),
            "last_30d": ("2024-02-04", "2024-03-04"),
            "last_90d": ("2023-12-06", "2024-03-04"),
            "this_week": ("2024-03-03", "2024-03-04"),
            "last_week": ("2024-02-25", "2024-03-02"),
            "this_month": ("2024-03-01", "2024-03-04"),
            "last_month": ("2024-02-01", "2024-02-29"),
            "this_year": ("2024-01-01", "2024-03-04"),
        },
    ),
    (
        "2024-03-03T00:00",  # a Sunday is the first day of its week
        "UTC",
        {
            "today": ("2024-03-03", "2024-03-03"),
            "yesterday": ("2024-03-02", "2024-03-02"),
            "last_7d": ("2024-02-26", "2024-03-03"),
            "last_14d": ("2024-02-19", "2024-03-03"),
            "last_30d": ("2024-02-03", "2024-03-03"),
            "last_90d": ("2023-12-05", "2024-03-03"),
            "this_week": ("2024-03-03", "2024-03-03"),
            "last_week": ("2024-02-25", "2024-03-02"),
            "this_month": ("2024-03-01", "2024-03-03"),
            "last_month": ("2024-02-01", "2024-02-29"),
            "this_year": ("2024-01-01", "2024-03-03"),
        },
    ),
    (
        "2026-10-31T23:30",  # Saturday in UTC, Sunday and a new month in Berlin
        "Europe/Berlin",
        {
            "today": ("2026-11-01", "2026-11-01"),
            "yesterday": ("2026-10-31", "2026-10-31"),
            "last_7d": ("2026-10-26", "2026-11-01"),
            "last_14d": ("2026-10-19", "2026-11-01"),
            "last_30d": ("2026-10-03", "2026-11-01"),
            "last_90d": ("2026-08-04", "2026-11-01"),
            "this_week": ("2026-11-01", "2026-11-01"),
            "last_week": ("2026-10-25", "2026-10-31"),
            "this_month": ("2026-11-01", "2026-11-01"),
            "last_month": ("2026-10-01", "2026-10-31"),
            "this_year": ("2026-01-01", "2026-11-01"),
        },
    ),
)
CASES = [(moment, zone, preset, days) for moment, zone, presets in CLOCKS for preset, days in presets.items()]


def test_every_preset_of_the_specification_is_in_the_table() -> None:
    for _, _, presets in CLOCKS:
        assert tuple(presets) == PRESETS


@each(("moment", "zone", "preset", "days"), CASES)
def test_a_preset_means_these_days(moment: str, zone: str, preset: Preset, days: tuple[str, str]) -> None:
    now = round(datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp() * 1000)
    first, last = ranges.of_preset(preset, now, ZoneInfo(zone))
    assert (first, last) == tuple(date.fromisoformat(day) for day in days)
