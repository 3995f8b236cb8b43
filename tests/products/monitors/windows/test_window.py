"""When maintenance is: once, each day, on days of the week and of the month, by the clock of a zone."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.window import (
    Covers,
    MaintenanceWindow,
    Repeat,
    is_covered,
    is_on,
    next_change,
    spans,
    windows_at,
)
from tests.cases import each

BERLIN, NEW_YORK = "Europe/Berlin", "America/New_York"
ALL = Covers(all=True)


def at(text: str, zone: str = "UTC") -> int:
    """An instant in UTC ms."""
    return round(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp() * 1000)


def window(repeat: Repeat | None = None, covers: Covers = ALL, **more: int) -> MaintenanceWindow:
    given = {"starts_at": at("2026-01-01"), **more}
    return MaintenanceWindow(
        id="window01",
        organization_id="org",
        name="Patching",
        covers=covers,
        repeat=repeat,
        **given,  # type: ignore[arg-type]  # numbers
    )


def monitor(**more: object) -> Monitor:
    fields = {"number": 1, "id": "monitor1", "organization_id": "org", "url": "https://example.com/"}
    return Monitor(**fields | more)  # type: ignore[arg-type]


DAILY = Repeat("day", "02:30", 60, BERLIN)
WEEKLY = Repeat("week", "22:00", 240, NEW_YORK, weekdays=(2, 7))
LAST_DAY = Repeat("month", "00:00", 30, "UTC", day=-1)
THE_31ST = Repeat("month", "12:00", 30, "UTC", day=31)
SECOND_TUESDAY = Repeat("month", "03:00", 120, "UTC", nth=2, weekday=2)
LAST_FRIDAY = Repeat("month", "03:00", 120, "UTC", nth=-1, weekday=5)


@each(
    ("what", "given", "start", "end", "expected"),
    (
        ("once", window(ends_at=at("2026-01-02")), "2025-12-01", "2027-01-01", [("2026-01-01", "2026-01-02")]),
        ("once, ended early", window(ends_at=at("2026-01-02"), ended_at=at("2026-01-01T06:00")), "2025-01-01",
         "2027-01-01", [("2026-01-01", "2026-01-01T06:00")]),
        ("daily", window(DAILY), "2026-06-10", "2026-06-12",
         [("2026-06-10T00:30", "2026-06-10T01:30"), ("2026-06-11T00:30", "2026-06-11T01:30")]),
        ("daily, the clock goes forward over it", window(DAILY), "2026-03-28T12:00", "2026-03-30T12:00",
         [("2026-03-29T01:30", "2026-03-29T02:30"), ("2026-03-30T00:30", "2026-03-30T01:30")]),
        ("daily, the clock goes back over it", window(DAILY), "2026-10-24T12:00", "2026-10-26T12:00",
         [("2026-10-25T00:30", "2026-10-25T01:30"), ("2026-10-26T01:30", "2026-10-26T02:30")]),
        ("weekly, over midnight", window(WEEKLY), "2026-06-15T12:00", "2026-06-22T12:00",
         [("2026-06-17T02:00", "2026-06-17T06:00"), ("2026-06-22T02:00", "2026-06-22T06:00")]),
        ("last days of months", window(LAST_DAY), "2026-02-01", "2026-04-01",
         [("2026-02-28", "2026-02-28T00:30"), ("2026-03-31", "2026-03-31T00:30")]),
        ("the 31st", window(THE_31ST), "2026-06-01", "2026-08-31",
         [("2026-07-31T12:00", "2026-07-31T12:30")]),
        ("second Tuesdays", window(SECOND_TUESDAY), "2026-06-01", "2026-08-01",
         [("2026-06-09T03:00", "2026-06-09T05:00"), ("2026-07-14T03:00", "2026-07-14T05:00")]),
        ("last Fridays", window(LAST_FRIDAY), "2026-07-01", "2026-09-01",
         [("2026-07-31T03:00", "2026-07-31T05:00"), ("2026-08-28T03:00", "2026-08-28T05:00")]),
        ("not before it starts", window(DAILY, starts_at=at("2026-06-10T00:31")), "2026-06-10", "2026-06-12",
         [("2026-06-11T00:30", "2026-06-11T01:30")]),
        ("not after its end", window(Repeat("day", "12:00", 10, until=at("2026-01-02T12:00"))), "2026-01-01",
         "2026-01-09", [("2026-01-01T12:00", "2026-01-01T12:10")]),
        ("today's ended early", window(DAILY, ended_at=at("2026-06-10T00:40")), "2026-06-10", "2026-06-12",
         [("2026-06-10T00:30", "2026-06-10T00:40"), ("2026-06-11T00:30", "2026-06-11T01:30")]),
        ("a week each day", window(Repeat("day", "00:00", 10_080)), "2026-06-10", "2026-06-10T00:01",
         [(f"2026-06-{day:02}", f"2026-06-{day + 7:02}") for day in range(4, 11)]),
        ("no weekday", window(Repeat("week", "00:00", 1)), "2026-06-10", "2027-06-10", []),
    ),
    ids=lambda what, *_: what,
)  # fmt: skip
def test_a_window_is_when_it_says(
    what: str, given: MaintenanceWindow, start: str, end: str, expected: list[tuple[str, str]]
) -> None:
    assert spans(given, at(start), at(end)) == [(at(begin), at(over)) for begin, over in expected]


@each(
    ("covers", "given", "expected"),
    (
        (Covers(all=True), monitor(), True),
        (Covers(), monitor(), False),
        (Covers(monitor_ids=("monitor1",)), monitor(), True),
        (Covers(monitor_ids=("monitor2",)), monitor(), False),
        (Covers(groups=("web",)), monitor(group="web"), True),
        (Covers(groups=("web",)), monitor(), False),
        (Covers(tags=("a", "b")), monitor(tags=("b", "c")), True),
        (Covers(tags=("a",)), monitor(tags=("b",)), False),
        (Covers(all=True), monitor(organization_id="others"), False),
    ),
)
def test_a_window_covers_the_monitors_that_it_names(covers: Covers, given: Monitor, expected: bool) -> None:
    assert is_covered(window(covers=covers), given) is expected


def test_the_next_change_is_the_nearest_beginning_or_end_of_any_window_that_covers() -> None:
    once = window(ends_at=at("2026-06-11"), starts_at=at("2026-06-10T00:45"))
    others = window(ends_at=at("2026-06-10T00:46"), covers=Covers(groups=("others",)))
    windows, one, instant, seen = (window(DAILY), once, others), monitor(), at("2026-06-10"), []
    for _ in range(5):
        changed = next_change(windows, one, instant)
        assert changed is not None
        seen.append((changed, len(windows_at(windows, one, changed))))
        instant = changed
    assert seen == [
        (at("2026-06-10T00:30"), 1),
        (at("2026-06-10T00:45"), 2),
        (at("2026-06-10T01:30"), 1),
        (at("2026-06-11"), 0),
        (at("2026-06-11T00:30"), 1),
    ]


def test_past_windows_never_change() -> None:
    over = window(ends_at=at("2026-01-02"))
    assert next_change((over,), monitor(), at("2026-01-02")) is None
    assert (
        next_change((window(Repeat("day", "00:00", 1, until=at("2026-01-03"))),), monitor(), at("2026-02-01")) is None
    )


def test_asked_step_by_step_a_window_is_on_just_where_its_spans_say() -> None:
    """Through four changes of the clock."""
    for given in (window(DAILY), window(WEEKLY), window(SECOND_TUESDAY)):
        expected = spans(given, at("2026-01-05"), at("2027-12-31"))
        instant, found = at("2026-01-05"), []
        while (changed := next_change((given,), monitor(), instant)) is not None and changed < at("2027-12-31"):
            found.append(changed)
            assert is_on(given, changed) is (len(found) % 2 == 1)
            instant = changed
        assert found == [edge for span in expected for edge in span]


MINUTES = range(3 * 1_440)  # around each change of the clocks
CHANGES = (
    (BERLIN, "2026-03-28"),
    (BERLIN, "2026-10-24"),
    (NEW_YORK, "2026-03-07"),
    (NEW_YORK, "2026-10-31"),
    ("Australia/Lord_Howe", "2026-10-03"),  # by half an hour
)


@each(("zone", "first"), CHANGES)
def test_window_starts_when_a_wall_clock_shows_its_time(zone: str, first: str) -> None:
    """Told a second time, minute by minute: when the clock first shows it, or would have, had it not jumped."""
    start = at(first)
    local = {start + minute * 60_000: watched(start + minute * 60_000, zone) for minute in MINUTES}
    for clock in ("00:30", "02:00", "02:15", "02:30", "03:00"):
        begun: dict[str, int] = {}
        for instant, shown in local.items():
            if shown.endswith(clock):
                begun.setdefault(shown, instant)
        found = [span.start for span in spans(window(Repeat("day", clock, 1, zone)), start, start + 3 * 86_400_000)]
        jumped = [instant for instant in found if instant not in begun.values()]
        assert sorted({*found} - {*jumped}) == sorted(begun.values())
        assert len(jumped) <= 1
        for instant in jumped:
            day_before = ZoneInfo(zone).utcoffset(datetime.fromtimestamp(instant / 1000 - 86_400, ZoneInfo(zone)))
            assert day_before is not None
            assert f"{datetime.fromtimestamp(instant / 1000, UTC) + day_before:%H:%M}" == clock


def watched(instant: int, zone: str) -> str:
    """What a clock of that zone shows."""
    return f"{datetime.fromtimestamp(instant / 1000, ZoneInfo(zone)):%F %H:%M}"
