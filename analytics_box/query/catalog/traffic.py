"""Traffic sources (wire 1.4), and bots, which no other type counts."""

from analytics_box.base.facts.event import CUSTOM, PAGE_VIEW
from analytics_box.query.catalog.tables import BY_VISITORS, SHARE, VIEWS, VISITORS, standard
from analytics_box.query.catalog.types import QueryType, Record, ScanRequest, column
from analytics_box.query.catalog.values import Measured, field, instant
from analytics_box.query.filters import COMMON, FilterCondition
from analytics_box.query.plan import DerivedKey, PlanOrder
from analytics_box.web.recognition import source
from analytics_box.web.recognition.known_sources import DIRECT, known_sources


def _address(row: Measured) -> str:
    domain = _domain(row)
    return f"https://{domain}" if domain else ""


def _domain(row: Measured) -> str:
    return source.domain_of(row["source"])


def _kind(row: Measured) -> str:
    return source.kind_of(row["source"])


def _parse_source(row: Measured) -> Record:
    return {"name": row["source"], "domain": _domain(row), "url": _address(row), "type": _kind(row)}


_BY_DOMAIN = DerivedKey("domain", ("source",), lambda: known_sources().domains | {DIRECT: ""})


PARTS = (
    column("referrer", "string", "Address of the source, empty for Direct", _address, sort=_BY_DOMAIN),
    column("domain", "string", "Host of the source, empty for Direct", _domain, sort=_BY_DOMAIN),
    column("source", "string", "Same as name"),
    column("referrer_type", "string", "direct, search, social, email, ai, paid or unknown", _kind),
    column("parsed_referrer", "json", "The source as an object: name, domain, url, type", _parse_source),
)


def _sources(name: str, title: str, description: str, where: tuple[FilterCondition, ...]) -> QueryType:
    return QueryType(
        name=name,
        family="Traffic",
        title=title,
        description=description,
        columns=(
            column(
                "name",
                "string",
                "Name of the source, its host if it has no name, or Direct",
                field("source"),
            ),
            VIEWS,
            VISITORS,
            SHARE,
            *PARTS,
        ),
        asks=(
            ScanRequest(
                "events",
                ("pageviews", "visitors"),
                ("source",),
                kinds=(PAGE_VIEW, CUSTOM),
                where=where,
                present=("source",) if where else (),
                share_of="visitors",
                order=BY_VISITORS,
            ),
        ),
        filters=COMMON,
        customizable=True,
        public=True,
        visualization="bar",
    )


def _campaign(name: str, dimension: str, title: str, what: str) -> QueryType:
    return standard(
        name,
        dimension,
        family="Traffic",
        title=title,
        what=what,
        dropped=True,
        filters=tuple(dict.fromkeys((*COMMON, dimension))),
        public=dimension in {"utm_source", "utm_medium", "utm_campaign"},
    )


TYPES = (
    _sources(
        "top_referrers",
        "Referrers",
        "Websites and apps that referred the sessions of the range, by visitors, without direct visits",
        (FilterCondition("source", "is", (DIRECT,), True),),
    ),
    _sources("traffic_sources", "Sources", "Sources of the sessions of the range, by visitors", ()),
    standard("channels", "channel", family="Traffic", title="Channels", what="channel", public=True),
    _campaign("utm_sources", "utm_source", "Campaign sources", "utm_source"),
    _campaign("utm_mediums", "utm_medium", "Campaign mediums", "utm_medium"),
    _campaign("utm_campaigns", "utm_campaign", "Campaigns", "utm_campaign"),
    _campaign("utm_terms", "utm_term", "Campaign terms", "utm_term"),
    _campaign("utm_content", "utm_content", "Campaign contents", "utm_content"),
)


BOTS = (
    QueryType(
        name="bots",
        family="Bots",
        title="Bots",
        description="Bots with quarantined events in the range, by reason and name. Quarantined events are kept for 30 "
        "days",
        columns=(
            column("name", "string", "Name of the bot", field("agent")),
            column("reason", "string", "Reason for the quarantine", field("bot")),
            column("count", "number", "Events"),
            column("first_seen", "datetime", "First event in the range, UTC", instant("first")),
            column("last_seen", "datetime", "Last request, UTC", instant("last")),
        ),
        asks=(
            ScanRequest("events", ("count", "first", "last"), ("agent", "bot"), order=(PlanOrder("count"),), bots=True),
        ),
    ),
)
