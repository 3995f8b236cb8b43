"""Occurrences of unusual traffic. Pure."""

from msgspec import Struct

from analytics_box.base.clock import MINUTE
from analytics_box.base.texts import Alarms as Words
from analytics_box.base.texts import figures
from analytics_box.products.alerts.messages import duration
from analytics_box.products.alerts.occurrence import Occurrence, What
from analytics_box.products.alerts.traffic.rules import Sessions, Terms
from analytics_box.tenants.websites.rules import Website


class TrafficWindow(Struct, frozen=True):
    """The website and the window: `end` (UTC ms) identifies it, `at` is when it happened."""

    website: Website
    terms: Terms
    end: int
    at: int
    public_url: str

    @property
    def window(self) -> str:
        """The length of the window in words."""
        return duration(self.terms.minutes * MINUTE)


def subject(website_id: str) -> str:
    """The subject of a website's alerts."""
    return f"website:{website_id}"


def spike(about: TrafficWindow, visitors: int, usual: float) -> Occurrence:
    """More visitors than usual."""
    return _comparison_text("traffic_spike", about, visitors, usual, Words.spike_title, Words.spike_text)


def drop(about: TrafficWindow, visitors: int, usual: float) -> Occurrence:
    """Fewer visitors than usual."""
    return _comparison_text("traffic_drop", about, visitors, usual, Words.drop_title, Words.drop_text)


def errors(about: TrafficWindow, sessions: Sessions) -> Occurrence:
    """Too many sessions with an error."""
    share = f"{figures.round_half_up(sessions.share, 1)}"
    text = Words.errors_text.format(
        share=share, sessions=figures.count(sessions.all), window=about.window, threshold=f"{about.terms.threshold:g}"
    )
    title = Words.errors_title.format(website=about.website.name)
    return _occurrence("error_rate", about, title, text, ((Words.share_field, f"{share} %"),))


def first_event(about: TrafficWindow, *, ever: bool) -> Occurrence:
    """The first event after silence, or the first of all."""
    title, text = (Words.first_ever_title, Words.first_ever_text) if ever else (Words.first_title, Words.first_text)
    name = about.website.name
    return _occurrence(
        "first_event", about, title.format(website=name), text.format(hours=about.terms.silence_hours), ()
    )


def _comparison_text(
    what: What, about: TrafficWindow, visitors: int, usual: float, title: str, text: str
) -> Occurrence:
    now, before = figures.count(visitors), figures.count(usual)
    return _occurrence(
        what,
        about,
        title.format(website=about.website.name),
        text.format(visitors=now, expected=before, window=about.window),
        ((Words.visitors_field, now), (Words.usual_field, before)),
    )


def _occurrence(
    what: What, about: TrafficWindow, title: str, text: str, fields: tuple[tuple[str, str], ...]
) -> Occurrence:
    website = about.website
    return Occurrence(
        topic=f"{what}:{website.id}:{about.end}",
        subject=subject(website.id),
        what=what,
        organization_id=website.organization_id,
        at=about.at,
        title=title,
        text=text,
        fields=fields,
        url=f"{about.public_url}/sites/{website.id}",
        website_id=website.id,
    )
