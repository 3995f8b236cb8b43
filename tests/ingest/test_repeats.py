"""A client that got no answer sends again; the event counts once."""

from analytics_box.ingest.repeats import RecentIds


def test_the_second_event_with_an_id_is_a_repeat() -> None:
    recent = RecentIds()
    assert not recent.is_repeat(1, "a")
    assert recent.is_repeat(1, "a")


def test_the_same_id_on_another_site_is_not_a_repeat() -> None:
    recent = RecentIds()
    recent.is_repeat(1, "a")
    assert not recent.is_repeat(2, "a")


def test_events_without_an_id_are_never_repeats() -> None:
    recent = RecentIds()
    assert not recent.is_repeat(1, "")
    assert not recent.is_repeat(1, "")


def test_an_id_of_a_write_that_was_rolled_back_may_come_again() -> None:
    recent = RecentIds()
    recent.is_repeat(1, "kept")
    mark = recent.mark()
    recent.is_repeat(1, "lost")
    recent.undo(mark)
    assert recent.is_repeat(1, "kept")
    assert not recent.is_repeat(1, "lost")


def test_only_the_newest_ids_are_remembered() -> None:
    recent = RecentIds(capacity=2)
    for event_id in "abc":
        recent.is_repeat(1, event_id)
    recent.committed()
    assert recent.is_repeat(1, "b")
    assert not recent.is_repeat(1, "a")
