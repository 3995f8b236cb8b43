"""The traffic of websites, watched as time goes by: one message for each thing, and none that is not true."""

import pytest
from msgspec.structs import replace

from analytics_box.base.clock import DAY, HOUR, MINUTE
from analytics_box.base.facts.event import Event, Fact, FactSpan
from analytics_box.base.facts.tables import ATTRIBUTES, SPANS
from analytics_box.products.alerts import rows
from analytics_box.products.alerts.alert_rule import MonitorsOfOrganization
from analytics_box.products.alerts.traffic.occurrences import MOST_ALERTS
from analytics_box.products.alerts.traffic.watch import TrafficWatch
from analytics_box.products.alerts.traffic.window_figures import TrafficFigures
from analytics_box.tenants.websites.directory import Directory
from tests.ledgers import view
from tests.products.alerts.world import World

WEEK = 7 * DAY


class Traffic:
    """A world whose box watches the website "shop"; visitors are put where they are wanted."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.box = world.box
        self.down: set[str] = set()
        self.site = world.box.numbers["shop"]
        self._next = 1
        self.begin()

    def begin(self) -> None:
        """The box starts (again)."""
        box = self.box.box
        monitored = MonitorsOfOrganization(is_down=lambda website: website in self.down)
        directory = box.parts[Directory]
        self.watch = TrafficWatch(box.box_db, box.events.engines, directory, monitored, self.box.clock, "https://box")

    @property
    def now(self) -> int:
        return self.box.clock.now()

    def visits(self, many: int, start: int, minutes: int = 60, *, errors: int = 0, bots: bool = False) -> None:
        """So many visitors, a session each, spread over a while from this instant on."""
        facts: list[Fact] = []
        for number in range(many):
            self._next += 1
            at = start + number * minutes * MINUTE // many
            facts.append(page(self.site, at, self._next, bot="list" if bots else ""))
            if number < errors:
                facts.append(error(self.site, at, self._next))
        box = self.box.box
        box.events.db.write_now(lambda db: box.events.intake.ledger.append(db, facts))

    def minutes(self, many: int) -> int:
        """So many minutes go by, each with a look; the number of messages."""
        told = 0
        for _ in range(many):
            self.box.clock.advance(seconds=60)
            told += self.box.run(self.watch.run())
        return told

    def hours(self, many: int) -> int:
        """The same in looks that are as far apart as judgements."""
        return self.steps(many * 60, 2)

    def steps(self, many: int, apart: int) -> int:
        told = 0
        for _ in range(many // apart):
            self.box.clock.advance(seconds=60 * apart)
            told += self.box.run(self.watch.run())
        return told


def page(site: int, at: int, visitor: int, *, bot: str) -> Event:
    return replace(view("/"), site=site, time=at, visitor=visitor, bot=bot)


def error(site: int, at: int, visitor: int) -> FactSpan:
    own = tuple("x" if name in {"message", "type", "stack", "filename"} else 0 for name in SPANS["errors"])
    return FactSpan("errors", site, at, visitor, 0, "", "/", "", ("",) * len(ATTRIBUTES), own)


@pytest.fixture
def traffic(world: World) -> Traffic:
    return Traffic(world)


def usual_weeks(traffic: Traffic, many: int = 60) -> None:
    """Two weeks in which as many visitors came around this time, a few hours long."""
    for week in (1, 2):
        traffic.visits(many * 4, traffic.now - week * WEEK - HOUR, minutes=240)


def test_a_drop_is_told_once_and_again_after_it_was_over(traffic: Traffic) -> None:
    hook, pager = traffic.world.channel(), traffic.world.pager()
    traffic.world.alarm(hook, pager, trigger="traffic_drop")
    usual_weeks(traffic)
    traffic.visits(60, traffic.now)
    assert traffic.hours(1) == 0  # nothing is said before a whole window was watched
    assert traffic.minutes(70) == 2
    (message,) = traffic.world.messages(hook)
    assert message["type"] == "website.traffic_drop"
    assert message["title"] == "Less traffic than usual: Shop"
    assert message["text"].endswith("visitors in the last 1 h. Usual at this time: 60.")
    assert message["url"] == f"https://box/sites/{traffic.box.sites['shop']}"
    traffic.visits(60, traffic.now - 55 * MINUTE, 55)
    assert traffic.minutes(10) == 0
    assert traffic.world.call("alarms.list")[0]["open"] == []
    traffic.box.run(traffic.watch.run())
    assert len(traffic.world.outbox(hook)) == 1  # that it is over is told only where an alert would stay open
    assert traffic.world.actions(pager)[1] == ("Ended: Less traffic than usual: Shop", "resolve")


def test_a_spike_is_told_with_the_days_before_where_there_are_no_weeks(traffic: Traffic) -> None:
    hook = traffic.world.channel()
    traffic.world.alarm(hook, trigger="traffic_spike", threshold=150)
    for day in (1, 2):
        traffic.visits(160, traffic.now - day * DAY - HOUR, minutes=240)
    traffic.hours(1)
    traffic.visits(400, traffic.now - 30 * MINUTE, 30, bots=True)
    assert traffic.minutes(5) == 0  # bots are nobody
    traffic.visits(120, traffic.now - 10 * MINUTE, 9)
    assert traffic.minutes(10) == 1
    assert traffic.world.outbox(hook) == ["More traffic than usual: Shop"]


def test_an_error_rate_needs_no_earlier_weeks(traffic: Traffic) -> None:
    hook = traffic.world.channel()
    traffic.world.alarm(hook, trigger="error_rate", minutes=15)
    traffic.minutes(20)
    traffic.visits(100, traffic.now, 5, errors=10)
    assert traffic.minutes(10) == 1
    (message,) = traffic.world.messages(hook)
    assert message["text"] == "10.0 % of 100 sessions had an error in the last 15 min. The limit is 5 %."


def group(traffic: Traffic, name: str, sessions: int, *, ago: int = 2 * MINUTE) -> None:
    """Put sessions with an error of one group into the past."""
    facts: list[Fact] = []
    for _ in range(sessions):
        traffic._next += 1
        at = traffic.now - ago
        own = ("Error", f"{name} failed", "", 0, 0, "", "", name)
        facts.append(page(traffic.site, at, traffic._next, bot=""))
        facts.append(replace(error(traffic.site, at, traffic._next), own=own))
    box = traffic.box.box
    box.events.db.write_now(lambda db: box.events.intake.ledger.append(db, facts))


def decide(traffic: Traffic, name: str, state: str) -> None:
    given = {"websiteId": traffic.box.sites["shop"], "fingerprint": name, "state": state}
    assert traffic.box.post("/errorGroups/update", given, key="all").status == 200


def test_new_error_is_told_once_and_old_and_ignored_ones_are_not(traffic: Traffic) -> None:
    hook = traffic.world.channel()
    traffic.world.alarm(hook, trigger="error_rate", errors="new", minutes=15)
    group(traffic, "old", 1, ago=30 * DAY)
    decide(traffic, "ignored", "ignored")
    traffic.minutes(20)
    group(traffic, "old", 5)
    group(traffic, "ignored", 5)
    assert traffic.minutes(10) == 0
    group(traffic, "new", 1)
    assert traffic.minutes(10) == 1
    (message,) = traffic.world.messages(hook)
    assert message["title"] == "New error: Shop"
    assert message["text"] == "In the last 15 min: new failed"
    group(traffic, "new", 5)
    assert traffic.minutes(60) == 0


def test_new_error_right_after_a_start_does_not_wait_for_a_whole_window(traffic: Traffic) -> None:
    hook = traffic.world.channel()
    traffic.world.alarm(hook, trigger="error_rate", errors="new", minutes=60)
    group(traffic, "new", 1)
    assert traffic.minutes(10) == 1
    assert [one["text"] for one in traffic.world.messages(hook)] == ["In the last 1 h: new failed"]
    assert traffic.minutes(50) == 0


def test_each_new_error_has_an_alert_while_another_one_lasts(traffic: Traffic) -> None:
    hook = traffic.world.channel()
    rule = traffic.world.alarm(hook, trigger="error_rate", errors="new", minutes=60)
    traffic.minutes(70)
    group(traffic, "first", 1)
    assert traffic.minutes(10) == 1
    group(traffic, "second", 1)
    group(traffic, "first", 3)
    assert traffic.minutes(10) == 1
    assert [one["text"].partition(": ")[2] for one in traffic.world.messages(hook)] == ["first failed", "second failed"]
    box_db = traffic.box.box.box_db
    assert len(box_db.read_now(lambda db: rows.of_rule(db, rule))) == 2
    assert traffic.minutes(130) == 0
    assert box_db.read_now(lambda db: rows.of_rule(db, rule)) == []


def test_many_new_errors_of_one_look_share_an_alert(traffic: Traffic) -> None:
    hook = traffic.world.channel()
    rule = traffic.world.alarm(hook, trigger="error_rate", errors="new", minutes=15)
    traffic.minutes(20)
    for number in range(40):
        group(traffic, f"new{number:02}", 1 + (number == 39))
    assert traffic.minutes(5) == MOST_ALERTS
    messages = traffic.world.messages(hook)
    assert messages[0]["text"].endswith("new39 failed")
    assert messages[-1]["title"] == "New errors: Shop"
    assert ["Errors", "36"] in messages[-1]["fields"]
    assert len(traffic.box.box.box_db.read_now(lambda db: rows.of_rule(db, rule))) == 40
    assert traffic.minutes(5) == 0


def test_look_back_for_a_known_error_happens_once(traffic: Traffic, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    last = TrafficFigures.last

    async def note(figures: TrafficFigures, site: int, start: int, end: int, fingerprint: str) -> int | None:
        asked.append(fingerprint)
        return await last(figures, site, start, end, fingerprint)

    monkeypatch.setattr(TrafficFigures, "last", note)
    traffic.world.alarm(traffic.world.channel(), trigger="error_rate", errors="new", minutes=15)
    group(traffic, "old", 1, ago=30 * DAY)
    traffic.minutes(20)
    for _ in range(12):
        group(traffic, "old", 1)
        assert traffic.minutes(10) == 0
    assert asked == ["old"]
    traffic.box.clock.advance(seconds=91 * DAY / 1000)
    traffic.minutes(20)
    group(traffic, "old", 1)
    assert traffic.minutes(10) == 1


def test_resolved_error_that_is_back_is_told(traffic: Traffic) -> None:
    hook = traffic.world.channel()
    traffic.world.alarm(hook, trigger="error_rate", errors="new", minutes=15)
    group(traffic, "fixed", 1, ago=DAY)
    decide(traffic, "fixed", "resolved")
    assert traffic.minutes(20) == 0
    group(traffic, "fixed", 1)
    assert traffic.minutes(10) == 1


def test_rising_error_is_told_and_a_steady_one_is_not(traffic: Traffic) -> None:
    hook = traffic.world.channel()
    traffic.world.alarm(hook, trigger="error_rate", errors="rising", minutes=15)
    traffic.minutes(20)
    for quarter in range(1, 97):
        group(traffic, "steady", 12, ago=quarter * 15 * MINUTE + 20 * MINUTE)
        group(traffic, "rising", 1, ago=quarter * 15 * MINUTE + 20 * MINUTE)
    group(traffic, "steady", 14)
    assert traffic.minutes(5) == 0
    group(traffic, "rising", 14)
    assert traffic.minutes(10) == 1
    (message,) = traffic.world.messages(hook)
    assert message["text"] == "In the last 15 min: rising failed"


def test_a_website_that_has_few_visitors_says_nothing(traffic: Traffic) -> None:
    traffic.world.alarm(traffic.world.channel(), trigger="traffic_drop")
    usual_weeks(traffic, 20)
    assert traffic.hours(3) == 0


def test_a_restart_and_a_pause_of_the_box_are_no_drop(traffic: Traffic) -> None:
    traffic.world.alarm(traffic.world.channel(), trigger="traffic_drop")
    usual_weeks(traffic)
    traffic.visits(60, traffic.now)
    traffic.hours(1)
    traffic.box.clock.advance(seconds=1_800)
    traffic.begin()
    assert traffic.minutes(10) == 0  # half an hour was not watched
    assert traffic.minutes(60) == 1


def test_a_quick_restart_loses_no_time(traffic: Traffic) -> None:
    traffic.world.alarm(traffic.world.channel(), trigger="traffic_drop")
    usual_weeks(traffic)
    traffic.visits(60, traffic.now)
    traffic.hours(1)
    traffic.box.clock.advance(seconds=90)
    traffic.begin()
    assert traffic.minutes(45) == 1


def test_a_clock_that_jumps_is_no_drop(traffic: Traffic, monkeypatch: pytest.MonkeyPatch) -> None:
    traffic.world.alarm(traffic.world.channel(), trigger="traffic_drop")
    usual_weeks(traffic)
    traffic.visits(60, traffic.now)
    traffic.hours(1)
    clock = traffic.box.clock
    clock._now -= HOUR  # back, and the box does not know since when it has watched
    clock._started -= HOUR
    assert traffic.minutes(30) == 0
    assert traffic.minutes(30) == 0


def test_nothing_is_said_of_a_website_whose_monitor_is_down(traffic: Traffic) -> None:
    traffic.world.alarm(traffic.world.channel(), trigger="traffic_drop")
    usual_weeks(traffic)
    traffic.visits(60, traffic.now)
    traffic.hours(1)
    traffic.down = {traffic.box.sites["shop"]}
    assert traffic.minutes(40) == 0
    traffic.down = set()
    traffic.begin()  # not even a restart makes it forget
    assert traffic.minutes(55) == 0
    assert traffic.minutes(15) == 1


def test_the_first_event_after_silence_is_told_once(traffic: Traffic) -> None:
    hook = traffic.world.channel()
    traffic.world.alarm(hook, trigger="first_event", silenceHours=2)
    traffic.visits(1, traffic.now - DAY)
    traffic.box.clock.advance(seconds=0)
    assert traffic.hours(3) == 0
    traffic.visits(3, traffic.now, 10)
    assert traffic.minutes(60) == 1
    traffic.visits(3, traffic.now, 10)
    assert traffic.minutes(20) == 0
    (message,) = traffic.world.messages(hook)
    assert (message["title"], message["tone"]) == ("Events are arriving again: Shop", "good")
    assert traffic.world.call("alarms.list")[0]["open"] == []


def test_the_first_event_of_all_is_told_at_once(traffic: Traffic) -> None:
    hook = traffic.world.channel()
    traffic.world.alarm(hook, trigger="first_event")
    traffic.minutes(6)
    traffic.visits(1, traffic.now)
    assert traffic.minutes(8) == 1
    assert traffic.world.outbox(hook) == ["The first event has arrived: Shop"]


def test_silence_while_the_box_was_off_is_none(traffic: Traffic) -> None:
    traffic.world.alarm(traffic.world.channel(), trigger="first_event", silenceHours=2)
    traffic.visits(1, traffic.now - DAY)
    traffic.minutes(6)
    traffic.box.clock.advance(seconds=10_800)
    traffic.begin()
    traffic.minutes(6)
    traffic.visits(1, traffic.now)
    assert traffic.minutes(20) == 0


def test_an_alarm_of_another_website_and_one_that_is_off_say_nothing(traffic: Traffic) -> None:
    alarm = traffic.world.alarm(traffic.world.channel(), trigger="traffic_drop")
    traffic.world.call("alarms.update", alarmId=alarm, websiteId=traffic.box.sites["blog"])
    usual_weeks(traffic)
    assert traffic.hours(2) == 0
    traffic.world.call("alarms.update", alarmId=alarm, websiteId=None, enabled=False)
    assert traffic.hours(1) == 0


def test_reminders_of_a_drop_end_with_the_website(traffic: Traffic) -> None:
    alarm = traffic.world.alarm(traffic.world.channel(), trigger="traffic_drop", reminderMinutes=5)
    usual_weeks(traffic)
    traffic.world.after(0)
    assert traffic.hours(2) == 1
    assert len(traffic.world.call("alarms.list")[0]["open"]) == 1
    traffic.world.call("websites.delete", id=traffic.box.sites["shop"])
    traffic.minutes(10)
    assert traffic.world.call("alarms.list")[0]["open"] == []
    assert alarm
