"""Links that lead away (wire 1.11)."""

from analytics_box.query.catalog.types import QueryType, ScanRequest, column
from analytics_box.query.catalog.values import field, instant, share
from analytics_box.query.filters import COMMON
from analytics_box.query.plan import PlanOrder

_FILTERS = (*COMMON, "client_id", "anonymous_id", "session_id", "href", "text")
_CLICKS = column("total_clicks", "number", "Clicks", field("count"))
_USERS = column("unique_users", "number", "Distinct visitors", field("users"))
_SHARE = column("percentage", "number", "Share of all clicks", share("count"), unit="percent")
_BY_COUNT = (PlanOrder("count"),)

TYPES = (
    QueryType(
        name="outbound_links",
        family="Links",
        title="Outgoing links",
        description="Outgoing links clicked in the range",
        columns=(
            column("href", "string", "Address of the link"),
            column("text", "string", "Text of the link"),
            _CLICKS,
            _USERS,
            column("unique_sessions", "number", "Distinct sessions", field("sessions")),
            _SHARE,
            column("last_clicked", "datetime", "Last click, UTC", instant("last")),
        ),
        asks=(
            ScanRequest(
                "outgoing_links",
                ("count", "users", "sessions", "last"),
                ("href", "text"),
                share_of="count",
                order=_BY_COUNT,
            ),
        ),
        filters=_FILTERS,
        public=True,
        values=True,
    ),
    QueryType(
        name="outbound_domains",
        family="Links",
        title="Outgoing domains",
        description="Hosts of outgoing links clicked in the range",
        columns=(
            column("domain", "string", "Host of the links"),
            _CLICKS,
            _USERS,
            column("unique_links", "number", "Distinct links", field("hrefs")),
            _SHARE,
        ),
        asks=(
            ScanRequest("outgoing_links", ("count", "users", "hrefs"), ("domain",), share_of="count", order=_BY_COUNT),
        ),
        filters=_FILTERS,
        public=True,
    ),
)
