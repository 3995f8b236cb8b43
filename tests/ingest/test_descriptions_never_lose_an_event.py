"""A page view is not refused because of what it says about its page or screen."""

import msgspec
import pytest

from analytics_box.base.facts.event import Event, describe_attributes
from analytics_box.base.facts.tables import ATTRIBUTES
from analytics_box.ingest.enrich import EventSender, EventTarget, understand
from analytics_box.ingest.payload import ONE
from analytics_box.ingest.visitors import Salts
from analytics_box.web.recognition import agent

NOW = 1_790_000_000_000
SENDER = EventSender(network="203.0.113.7", user_agent="", agent=agent.NOTHING, language="", bot="", by_key=False)
SALTS = Salts(day=NOW // 86_400_000, today=b"t" * 32, yesterday=b"y" * 32, history=str.encode)


def fact(name: str = "screen_view", **fields: object) -> Event:
    sent = msgspec.json.encode({"name": name, "path": "https://example.com/", **fields})
    return understand(ONE.decode(sent), target=EventTarget(1, "example.com"), sender=SENDER, salts=SALTS, now=NOW)


def attribute(event: Event, column: str) -> str:
    return describe_attributes(event)[ATTRIBUTES.index(column)]


@pytest.mark.parametrize("size", ["0x0", "1x1", "big", "1280", "999999x1", "-5x100"])
def test_a_size_that_makes_no_sense_is_left_out(size: str) -> None:
    event = fact(viewport_size=size, screen_resolution="1280x720")
    assert (attribute(event, "viewport"), attribute(event, "screen")) == ("", "1280x720")


def test_long_descriptions_are_cut() -> None:
    event = fact(title="t" * 5_000, utm_campaign="c" * 5_000, ref="r" * 5_000)
    assert len(event.title) == 512
    assert len(attribute(event, "utm_campaign")) == 128
    assert len(attribute(event, "source")) == 128


@pytest.mark.parametrize(("sent", "kept"), [(-1, 0), (12.6, 13), (1e300, 86_400)])
def test_impossible_times_on_a_page_are_clamped(sent: float, kept: int) -> None:
    assert fact("page_exit", time_on_page=sent).engaged == kept


@pytest.mark.parametrize("referrer", ["direct", "", "nonsense", "http://[", "javascript:alert(1)"])
def test_a_referrer_that_is_no_address_is_a_direct_visit(referrer: str) -> None:
    event = fact(referrer=referrer)
    assert (attribute(event, "referrer"), attribute(event, "source")) == ("", "Direct")


def test_an_app_may_be_a_referrer() -> None:
    event = fact(referrer="android-app://com.google.android.googlequicksearchbox/")
    assert attribute(event, "source") == "Google"
