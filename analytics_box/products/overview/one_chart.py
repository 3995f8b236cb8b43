"""Pages of one thing that a website counts, a goal or a custom event: figures over a chart, and no lists. Pure."""

from typing import Final

from msgspec.structs import replace

from analytics_box.base.translation import _
from analytics_box.figures.board import Board, BoardSubject, Metric, Words
from analytics_box.products.overview.board import WEBSITE

_SUMMARY, _BY_DATE = "custom_events_summary", "custom_events_trends"
EVENT_NAME: Final = "event_name"
_NAMES: Final = {
    "total_events": _("Times"),
    "unique_users": _("Visitors"),
    "unique_sessions": _("Sessions"),
}

# A goal: its conversions first, then all visitors.
GOAL: Final = replace(
    WEBSITE,
    metrics=(*WEBSITE.converting, WEBSITE.metrics[0]),
    lists={},
    panels={},
    extras={},
    further=(),
    segmented=False,
    explained_by=(),
)

# A custom event, which its address names as a filter.
EVENT: Final = Board(
    subject="website",
    metrics=tuple(Metric(name, _SUMMARY, _BY_DATE) for name in _NAMES),
    lists={},
    panels={},
    further=(EVENT_NAME,),
    about=lambda _: BoardSubject(_NAMES, lambda query_type: query_type),
    words=Words(
        tabs={},
        empty={"": ""},
        filters={EVENT_NAME: _("A custom event")},
        anchors=dict.fromkeys(_NAMES, WEBSITE.words.anchors["events"]),
        shares={"": ""},
        columns={},
    ),
)
