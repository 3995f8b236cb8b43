"""The table of all rows of a list, and the files made of it."""

from collections.abc import Mapping
from typing import ClassVar


class Details:
    """The table of a list."""

    title = "{list} · {subject}"
    link = "Details"
    link_to = "Details: {list}"
    back = "Back to {subject}"
    lists = "Lists"
    name = "Name"
    share = "Share"
    # the columns, by the names that answers of the API have for them
    columns: ClassVar[Mapping[str, str]] = {
        "visitors": "Visitors",
        "share": "Share",
        "pageviews": "Page views",
        "sessions": "Sessions",
        "bounce_rate": "Bounce rate",
        "median_session_duration": "Median duration",
        "median_time_on_page": "Time on page",
        "avg_scroll_depth": "Scroll depth",
        "total_events": "Events",
        "total_clicks": "Clicks",
        "unique_users": "Visitors",
        "unique_sessions": "Sessions",
        "unique_links": "Links",
        "exposures": "Times given",
        "last_occurrence": "Last",
        "last_clicked": "Last",
        "last_seen": "Last",
        "first_seen": "First",
        "conversions": "Conversions",
        "conversion_rate": "Conversion rate",
        "clicks": "Clicks",
        "count": "Checks",
    }
    # what a column means in a list, where its name leaves that open
    helps: ClassVar[Mapping[str, str]] = {
        "pages": "Sessions, bounce rate and median duration are those of the sessions that began on the page.",
        "exit": "Sessions are those that ended on the page.",
    }
    search_in = "Search in {list}"
    find = "Search"
    clear = "Show all rows"
    rows_of = "Rows of {list}"
    rows = "{first}–{last} of {count}"
    one_row = "1 row"
    empty = "Nothing in this range."
    nothing = "No row has “{search}” in its name."
    cut = "These are the {most} largest rows; there are more. A filter shows others."
    earlier = "Earlier rows"
    later = "Later rows"
    pages = "Pages of the table"
    sort = "Sort by {column}"
    csv = "CSV"
    json = "JSON"
    download = "All rows as {form}"
    failed = "These rows could not be loaded."


class SinglePageTexts:
    """The own figures of the page that an overview is filtered by."""

    counted = "Went on, share"
    time = "time on page"
    depth = "scroll depth"
    entries = "sessions began here"
    exits = "ended here"
    following = "Next pages"
    empty = "This page was not viewed in this range."


class ExportTexts:
    """Files of a whole page of figures, and paper."""

    menu = "Export"
    help = "Figures, chart and all lists, as this page shows them"
    csv = "CSV, a file for each list (ZIP)"
    json = "JSON"
    print = "Print"
