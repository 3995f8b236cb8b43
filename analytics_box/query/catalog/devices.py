"""Browsers, systems, screens, languages and zones (wire 1.5)."""

from collections.abc import Sequence

from analytics_box.base.facts.event import CUSTOM, PAGE_VIEW
from analytics_box.query.catalog.tables import BY_VISITORS, SHARE, VIEWS, VISITORS, standard
from analytics_box.query.catalog.types import QueryType, Record, ScanRequest, column
from analytics_box.query.catalog.values import (
    UNKNOWN,
    device,
    device_name,
    device_of,
    field,
    name_with_version,
    share,
    text_or_unknown,
    versioned_name,
)
from analytics_box.query.filters import COMMON, SELECTING
from analytics_box.query.ranges import TimeWindow

_PEOPLE = (PAGE_VIEW, CUSTOM)
_SESSIONS = column("sessions", "number", "Distinct sessions", field("unique_sessions"))
_BROWSER = column("browser_name", "string", "Name of the browser", text_or_unknown("browser"))
_BROWSER_VERSION = column("browser_version", "string", "Browser version", field("browser_version"))
_DEVICE = column("device_type", "string", "desktop, mobile or tablet", device())


def _segments(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    """Each dimension's best 50 values (wire 1.5); versions count by their major number."""
    names = ("browser", "browser_major", "os", "device", "country")
    segments: list[Record] = []
    for name, found in zip(names, rows, strict=True):
        counted: dict[str, list[int]] = {}
        for row in found:
            own = counted.setdefault(_segment(name, row), [0, 0])
            own[0] += row["pageviews"]
            own[1] += row["unique_sessions"]
        best = sorted(counted.items(), key=lambda item: (-item[1][1], item[0]))[:50]
        segments += [
            {"dimension": name, "value": value, "pageviews": views, "sessions": sessions}
            for value, (views, sessions) in best
        ]
    return segments


def _segment(name: str, row: Record) -> str:
    if name == "browser_major":
        return versioned_name(row["browser"], row["browser_version"].split(".", 1)[0])
    if name == "device":
        return device_of(row)
    return next(iter(row.values())) or UNKNOWN


def _segment_ask(*group: str) -> ScanRequest:
    return ScanRequest("events", ("pageviews", "unique_sessions"), group, kinds=_PEOPLE)


TYPES = (
    standard("browser_name", "browser", family="Devices", title="Browsers", what="browser", public=True),
    standard("os_name", "system", family="Devices", title="Operating systems", what="operating system", public=True),
    standard(
        "operating_systems", "system", family="Devices", title="Operating systems", what="operating system", public=True
    ),
    standard("timezone", "time_zone", family="Devices", title="Time zones", what="IANA zone", public=True),
    standard("language", "language", family="Devices", title="Languages", what="language tag", public=True),
    standard("browsers", "browser", family="Devices", title="Browsers", what="browser", rows=25, public=True),
    QueryType(
        name="device_types",
        family="Devices",
        title="Devices",
        description="Device types of the range, by visitors. Televisions and consoles count as desktops",
        columns=(
            column("name", "string", "Desktop, Mobile or Tablet", device_name()),
            VIEWS,
            VISITORS,
            SHARE,
        ),
        asks=(
            ScanRequest(
                "events", ("pageviews", "visitors"), ("device",), kinds=_PEOPLE, share_of="visitors", order=BY_VISITORS
            ),
        ),
        filters=COMMON,
        customizable=True,
        public=True,
        default_limit=20,
        visualization="pie",
    ),
    standard(
        "screen_resolution",
        "viewport",
        family="Devices",
        title="Window sizes",
        what="window: its width and height in CSS pixels",
        group=("device",),
        more=(_DEVICE,),
        dropped=True,
        public=True,
    ),
    standard(
        "screen_resolutions",
        "screen",
        family="Devices",
        title="Screen sizes",
        what="screen: its width and height in CSS pixels",
        dropped=True,
        with_share=False,
    ),
    QueryType(
        name="browsers_grouped",
        family="Devices",
        title="Browsers with versions",
        description="Browsers with their versions, by visitors",
        columns=(
            column("name", "string", "Browser and version", name_with_version("browser", "browser_version")),
            _BROWSER,
            _BROWSER_VERSION,
            VIEWS,
            VISITORS,
            _SESSIONS,
        ),
        asks=(
            ScanRequest(
                "events",
                ("pageviews", "visitors", "unique_sessions"),
                ("browser", "browser_version"),
                kinds=_PEOPLE,
                order=BY_VISITORS,
            ),
        ),
        filters=COMMON,
        customizable=True,
    ),
    QueryType(
        name="browser_versions",
        family="Devices",
        title="Browser versions",
        description="Browser versions, by visitors",
        columns=(_BROWSER, _BROWSER_VERSION, VIEWS, VISITORS, SHARE),
        asks=(
            ScanRequest(
                "events",
                ("pageviews", "visitors"),
                ("browser", "browser_version"),
                kinds=_PEOPLE,
                share_of="visitors",
                order=BY_VISITORS,
            ),
        ),
        filters=COMMON,
        customizable=True,
        public=True,
    ),
    QueryType(
        name="os_versions",
        family="Devices",
        title="System versions",
        description="Operating systems with their versions, by visitors",
        columns=(
            column("name", "string", "System and version", name_with_version("system", "system_version")),
            VIEWS,
            VISITORS,
        ),
        asks=(
            ScanRequest(
                "events", ("pageviews", "visitors"), ("system", "system_version"), kinds=_PEOPLE, order=BY_VISITORS
            ),
        ),
        filters=COMMON,
        customizable=True,
        default_limit=25,
    ),
    QueryType(
        name="viewport_vs_resolution",
        family="Devices",
        title="Windows by device",
        description="Window sizes by device type",
        columns=(
            column("viewport_size", "string", "Width and height of the window", field("viewport")),
            VISITORS,
            VIEWS,
            _DEVICE,
        ),
        asks=(
            ScanRequest(
                "events",
                ("visitors", "pageviews"),
                ("viewport", "device"),
                kinds=_PEOPLE,
                present=("viewport",),
                order=BY_VISITORS,
            ),
        ),
        filters=COMMON,
        default_limit=200,
    ),
    QueryType(
        name="viewport_patterns",
        family="Devices",
        title="Window patterns",
        description="The most common window sizes, by visitors",
        columns=(
            column("viewport_size", "string", "Width and height of the window", field("viewport")),
            VISITORS,
            _SESSIONS,
            column(
                "percentage",
                "number",
                "Visitors as a share of the sum over all rows",
                share("visitors"),
                unit="percent",
            ),
        ),
        asks=(
            ScanRequest(
                "events",
                ("visitors", "unique_sessions"),
                ("viewport",),
                kinds=_PEOPLE,
                present=("viewport",),
                share_of="visitors",
                order=BY_VISITORS,
            ),
        ),
        filters=COMMON,
        default_limit=50,
    ),
    standard("connection_type", "connection", family="Devices", title="Connections", what="connection", dropped=True),
    QueryType(
        name="traffic_segments",
        family="Devices",
        title="Segments",
        description="The 50 most common values of browser, major version, system, device and country, by sessions",
        columns=(
            column("dimension", "string", "browser, browser_major, os, device or country"),
            column("value", "string", "The value"),
            VIEWS,
            column("sessions", "number", "Distinct sessions"),
        ),
        asks=(
            _segment_ask("browser"),
            _segment_ask("browser", "browser_version"),
            _segment_ask("system"),
            _segment_ask("device"),
            _segment_ask("country"),
        ),
        shape=_segments,
        filters=("path", *SELECTING),
    ),
)
