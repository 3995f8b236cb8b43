"""Senders that are remembered: the same answers and rows as without, for as long as they mean the same."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given

from analytics_box.app.box import Box
from analytics_box.ingest import prepared
from analytics_box.web.front import Front
from tests.examples import examples
from tests.ingest.stories import CHANGES, OWN, PHONE, RARE_HEADERS, ROBOT, Pause, Request, Step, stories, tell
from tests.inprocess import BROWSER, WholeBox, whole_box


def as_always(_box: Box) -> None:
    """The box remembers senders."""


def from_scratch(box: Box) -> None:
    """The box works out each sender again, and searches for each session: all requests take the long way."""
    assert isinstance(box.application, Front)
    box.application._shortcuts = {}
    box.events.intake.senders.known = lambda *_: None  # type: ignore[method-assign]
    box.events.intake.ledger._live.go_on_at_end = lambda *_: None  # type: ignore[method-assign]


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as made:
        yield made


def usual(*more: tuple[str, str], without: str = "", address: str = "203.0.113.7") -> Request:
    """A page view of the shop by a new visitor, in a browser unless its headers say otherwise."""
    head = (("host", "localhost"), ("user-agent", BROWSER), ("accept", "*/*"), ("origin", OWN))
    others = {name for name, _ in more} | {without}
    body = '{"name": "screen_view", "path": "/b", "anonymousId": "{number}"}'
    sent = (*(pair for pair in head if pair[0] not in others), *more)
    return Request("POST", "/track?website_id={shop}", sent, body, address)


OTHER_HEADERS = (
    ("user-agent", ROBOT),
    ("user-agent", PHONE),
    ("origin", "https://else.example"),
    ("origin", "https://www.shop.example"),
)


def check(directory: Path, story: list[Step]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        one = tell(directory / "one", story, as_always, patch)
        other = tell(directory / "other", story, from_scratch, patch)
    assert one == other


@examples(160, unchecked=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(story=stories(most=25))
def test_remembered_senders_change_no_answer_and_no_row(
    tmp_path_factory: pytest.TempPathFactory, story: list[Step]
) -> None:
    check(tmp_path_factory.mktemp("boxes"), story)


def test_each_header_means_what_it_means_beside_a_remembered_sender(tmp_path: Path) -> None:
    for number, address in enumerate(("203.0.113.7", "10.0.0.1")):
        base = usual(address=address)
        others = [usual(pair, address=address) for pair in (*RARE_HEADERS, *OTHER_HEADERS)]
        others += [usual(without=name, address=address) for name, _ in base.headers]
        check(tmp_path / str(number), [step for other in others for step in (base, Pause(61), other, other)])


def test_only_a_trusted_proxy_says_where_a_remembered_address_is(tmp_path: Path) -> None:
    said = [("x-forwarded-for", "203.0.113.7"), ("x-country", "DE")]
    check(tmp_path, [usual(*said, address="203.0.113.7"), usual(*said, address="10.0.0.1")])


def test_each_changed_setting_is_heeded_by_remembered_senders(tmp_path: Path) -> None:
    asks: list[Step] = [usual(), usual(("user-agent", ROBOT)), usual(address="3.5.140.1")]
    for number, change in enumerate(CHANGES):
        check(tmp_path / str(number), [*asks, change, *asks, *asks])


def test_visitors_get_the_ids_of_the_day(tmp_path: Path) -> None:
    unnamed = usual()._replace(body='{"name": "screen_view", "path": "/b"}')
    night: list[Step] = [
        unnamed,
        Pause(43_199),
        unnamed,
        Pause(1),
        unnamed,
        Pause(86_400),
        unnamed,
        Pause(-3_600),
        unnamed,
    ]
    check(tmp_path, [*night, *night])


def test_known_heads_are_not_worked_out_again(box: WholeBox) -> None:
    senders = box.box.events.intake.senders
    for _ in range(3):
        view(box)
    assert len(senders) == 1
    view(box, x_unheard_of="1", referer="https://shop.example/a")
    assert len(senders) == 1


def test_addresses_are_forgotten_with_the_salts(box: WholeBox) -> None:
    view(box)
    box.clock.advance(seconds=86_400)
    box.box.events.salts.current(box.clock.now())
    assert len(box.box.events.intake.senders) == 0
    assert not prepared._agent_text.cache_info().currsize


def test_senders_share_what_they_have_in_common(box: WholeBox) -> None:
    senders = box.box.events.intake.senders
    for number in range(3):
        view(box, address=f"203.0.113.{number}", accept_language="de-AT,de;q=0.9")
    pages = [page for _, page in senders._known.items()]
    assert len(pages) == 3
    assert len({id(page.target) for page in pages}) == 1
    assert len({id(page.sender.user_agent) for page in pages}) == 1


def test_memory_of_senders_is_bounded(box: WholeBox) -> None:
    senders = box.box.events.intake.senders
    senders.most_bytes = 40_000
    senders.forget()
    for number in range(100):
        view(box, accept_language=f"en;q=0.{number}")
    few = len(senders)
    assert 30 <= few < 100
    for number in range(100):
        view(box, user_agent=f"{BROWSER} {number:0300}")
    assert len(senders) < few


def test_senders_with_a_long_user_agent_are_not_remembered(box: WholeBox) -> None:
    view(box, user_agent=f"{BROWSER} {'a' * 600}")
    assert len(box.box.events.intake.senders) == 0


def view(box: WholeBox, address: str = "203.0.113.7", **headers: str) -> None:
    """Send a page view of the shop."""
    body, target = b'{"name": "screen_view", "path": "/b"}', f"/track?website_id={box.sites['shop']}"
    assert box.ask("POST", target, headers=headers, body=body, address=address).status == 200
