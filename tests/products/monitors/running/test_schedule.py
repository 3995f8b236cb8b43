"""Due times: on a grid that an id gives, spread, and never missed or doubled."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from analytics_box.products.monitors.monitor import SECONDS
from analytics_box.products.monitors.running.schedule import CheckSchedule, first_due, next_due, phase
from tests.cases import each
from tests.inprocess import NOON

IDS = st.text("abcdef0123456789", min_size=8, max_size=16)
INTERVALS = st.sampled_from(sorted(SECONDS.values()))
INSTANTS = st.integers(0, 4_000_000_000_000)


@given(IDS, INTERVALS, INSTANTS)
def test_the_next_time_is_the_first_of_the_grid_after_now(monitor_id: str, interval: int, now: int) -> None:
    due = next_due(monitor_id, interval, now)
    assert now < due <= now + interval * 1000
    assert (due - phase(monitor_id, interval)) % (interval * 1000) == 0
    assert next_due(monitor_id, interval, due - 1) == due
    assert next_due(monitor_id, interval, due) == due + interval * 1000


@given(IDS, INTERVALS, INSTANTS)
def test_the_first_round_is_soon_and_on_the_grid_where_it_meets_it(monitor_id: str, interval: int, now: int) -> None:
    due = first_due(monitor_id, interval, now)
    assert now < due <= now + 60_000
    following = next_due(monitor_id, interval, due)
    assert following - due >= 60_000  # no check is doubled
    if next_due(monitor_id, interval, now) <= now + 60_000:
        assert due == next_due(monitor_id, interval, now)


def test_the_grid_of_an_id_never_changes() -> None:
    assert phase("0192f3a0-7c1e", 60) == 6_684
    assert next_due("0192f3a0-7c1e", 300, NOON) == NOON + phase("0192f3a0-7c1e", 300) - NOON % 300_000


def test_monitors_are_spread_over_their_interval() -> None:
    seconds = Counter(phase(f"monitor {number}", 60) // 1000 for number in range(6_000))
    assert len(seconds) == 60
    assert max(seconds.values()) < 150


def test_due_checks_come_once_and_in_order() -> None:
    schedule = CheckSchedule()
    for number, due in ((1, 30), (2, 10), (3, 20), (4, 40)):
        schedule.put(number, due)
    schedule.put(3, 35)
    schedule.drop(1)
    assert schedule.next() == 10
    assert schedule.take(35) == [(2, 10), (3, 35)]
    assert schedule.take(39) == []
    assert (schedule.next(), schedule.due_at(4), schedule.due_at(2), len(schedule)) == (40, 40, None, 1)


@given(st.lists(st.tuples(st.sampled_from(("put", "drop", "take")), st.integers(0, 5), st.integers(0, 50))))
def test_a_schedule_is_a_table_of_due_times(steps: list[tuple[str, int, int]]) -> None:
    schedule, table = CheckSchedule(), dict[int, int]()
    for step, number, due in steps:
        if step == "put":
            schedule.put(number, due)
            table[number] = due
        elif step == "drop":
            schedule.drop(number)
            table.pop(number, None)
        else:
            wanted = sorted((at, one) for one, at in table.items() if at <= due)
            assert [(at, one) for one, at in schedule.take(due)] == wanted
            table = {one: at for one, at in table.items() if at > due}
        assert schedule.next() == min(table.values(), default=None)


@each("times", [1, 1_000])
def test_repeatedly_postponed_check_uses_no_more_memory(times: int) -> None:
    schedule = CheckSchedule()
    for due in range(times):
        schedule.put(1, due)
    assert len(schedule._heap) < 100
    assert schedule.take(times) == [(1, times - 1)]
