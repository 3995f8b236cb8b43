"""Traffic alerts in words: the occurrence of each kind of alert for a window. Pure."""

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.clock import MINUTE
from analytics_box.base.translation import _, ngettext
from analytics_box.products.alerts.alert_rule import ErrorAlert, Occurrence, What
from analytics_box.products.alerts.messages import duration
from analytics_box.products.alerts.traffic.rules import Sessions, Terms
from analytics_box.tenants.websites.rules import Website

FINGERPRINT: Final = re.compile(r"[0-9a-f]{16}")
# The most messages that an alert quotes, and how many characters of each.
MOST_MESSAGES: Final = 3
LONGEST_MESSAGE: Final = 120


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


GROUP_MARK: Final = ":error:"
# The most alerts about error groups that begin after one look. The last one is about all further groups.
MOST_ALERTS: Final = 5


def spike(about: TrafficWindow, visitors: int, usual: float) -> Occurrence:
    """More visitors than usual."""
    return _comparison_text(
        "traffic_spike",
        about,
        visitors,
        usual,
        _("More traffic than usual: {website}"),
        _("{visitors} visitors in the last {window}. Usual at this time: {expected}."),
    )


def drop(about: TrafficWindow, visitors: int, usual: float) -> Occurrence:
    """Fewer visitors than usual."""
    return _comparison_text(
        "traffic_drop",
        about,
        visitors,
        usual,
        _("Less traffic than usual: {website}"),
        _("{visitors} visitors in the last {window}. Usual at this time: {expected}."),
    )


def errors(about: TrafficWindow, sessions: Sessions) -> Occurrence:
    """Too many sessions with an error."""
    share = f"{figures.round_half_up(sessions.share, 1)}"
    text = _("{share} % of {sessions} sessions had an error in the last {window}. The limit is {threshold} %.").format(
        share=share, sessions=figures.count(sessions.all), window=about.window, threshold=f"{about.terms.threshold:g}"
    )
    title = _("Many errors: {website}").format(website=about.website.name)
    return describe("error_rate", about, title, text, ((_("Sessions with errors"), f"{share} %"),))


def error_groups(
    about: TrafficWindow, kind: ErrorAlert, groups: Sequence[tuple[str, str]], subjects: Sequence[str]
) -> Occurrence:
    """Error groups that are new, back or rising: their fingerprints and messages, and the subjects of their alerts."""
    count, page = len(groups), "/errors"
    title = (
        ngettext("New error: {website}", "New errors: {website}", count)
        if kind == "new"
        else ngettext("Rising error: {website}", "Rising errors: {website}", count)
    )
    shown = " · ".join(message[:LONGEST_MESSAGE] for _fingerprint, message in groups[:MOST_MESSAGES])
    text = _("In the last {window}: {messages}").format(window=about.window, messages=shown)
    made = describe(
        "error_rate",
        about,
        title.format(website=about.website.name),
        text,
        ((_("Errors"), figures.count(count)),) if count > 1 else (),
    )
    if count == 1 and FINGERPRINT.fullmatch(groups[0][0]):
        page = f"/errors/{groups[0][0]}"
    return replace(made, topic=f"{subjects[0]}:{kind}:{about.end}", subject=subjects[0], url=f"{made.url}{page}")


def group_subject(website_id: str, fingerprint: str) -> str:
    """The subject of alerts about an error group. Fingerprints of earlier versions are messages, which can be long."""
    digest = blake2b(fingerprint.encode(errors="surrogatepass"), digest_size=8).hexdigest()
    return f"{subject(website_id)}{GROUP_MARK}{digest}"


def first_event(about: TrafficWindow, *, ever: bool) -> Occurrence:
    """The first event after silence, or the first of all."""
    title, text = (
        (_("The first event has arrived: {website}"), _("The website is sending events."))
        if ever
        else (
            _("Events are arriving again: {website}"),
            _("The first event after more than {hours} hours without one."),
        )
    )
    name = about.website.name
    return describe("first_event", about, title.format(website=name), text.format(hours=about.terms.silence_hours), ())


def _comparison_text(
    what: What, about: TrafficWindow, visitors: int, usual: float, title: str, text: str
) -> Occurrence:
    now, before = figures.count(visitors), figures.count(usual)
    return describe(
        what,
        about,
        title.format(website=about.website.name),
        text.format(visitors=now, expected=before, window=about.window),
        ((_("Visitors"), now), (_("Usual"), before)),
    )


def describe(
    what: What, about: TrafficWindow, title: str, text: str, fields: tuple[tuple[str, str], ...]
) -> Occurrence:
    """The occurrence of a window, with these texts."""
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
