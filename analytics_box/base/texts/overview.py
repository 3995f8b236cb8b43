"""The dashboard of a website: figures, ranges and panels."""

from collections.abc import Mapping
from typing import ClassVar


class Overview:
    """The dashboard of a website."""

    title = "{site} · Overview"
    outage = "Outage"
    monitor = "Is it up?"
    watch = "Watch whether it is up"
    online = "{count} online now"
    online_now = "online now"
    online_help = "Visitors with an event in the last 5 minutes"
    not_live = "not live, trying again"
    range = "Time range"
    days = "Days"
    weeks_and_months = "Weeks and months"
    own_dates = "Own dates"
    first_day = "First day"
    last_day = "Last day"
    apply = "Show"
    zone = "Times in {zone}"
    use_zone = "Use {zone}, this browser's zone"
    compare = "Compare"
    figures = "Figures"
    before = "from {value}"
    by_then = "by then"
    unchanged = "no change"
    higher = "up"
    lower = "down"
    unfinished_day = "today so far"
    unfinished_hour = "this hour so far"
    unfinished = "so far"
    date = "Date"
    previous_column = "Previous"
    as_table = "View as table"
    as_chart = "View as chart"
    chart_label = "{metric}, {range}"
    chart_help = "Use the arrow keys to move along the chart"
    table_label = "{metric} as a table"
    loading = "Loading {panel}"
    load = "Load this panel"
    failed = "This panel could not be loaded."
    retry = "Try again"


class Metrics:
    """Names of the figures, by their name in the query's answer."""

    names: ClassVar[Mapping[str, str]] = {
        "visitors": "Visitors",
        "pageviews": "Page views",
        "sessions": "Sessions",
        "bounce_rate": "Bounce rate",
        "median_session_duration": "Median duration",
        "conversions": "Conversions",
        "conversion_rate": "Conversion rate",
    }


class RangeTexts:
    """The presets of spec 2.8, and how a range of own dates is called."""

    names: ClassVar[Mapping[str, str]] = {
        "today": "Today",
        "yesterday": "Yesterday",
        "last_7d": "Last 7 days",
        "last_14d": "Last 14 days",
        "last_30d": "Last 30 days",
        "last_90d": "Last 90 days",
        "this_week": "This week",
        "last_week": "Last week",
        "this_month": "This month",
        "last_month": "Last month",
        "this_year": "This year",
        "last_12m": "Last 12 months",
        "all": "All time",
    }
    months = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    weekdays = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


class FilterTexts:
    """The filters of an overview: their names, and the chips that show them."""

    goal = "Goal"

    names: ClassVar[Mapping[str, str]] = {
        "referrer": "Source",
        "channel": "Channel",
        "utm_campaign": "Campaign",
        "utm_source": "UTM source",
        "utm_medium": "UTM medium",
        "utm_term": "UTM term",
        "utm_content": "UTM content",
        "path": "Page",
        "entry_page": "Entry page",
        "country": "Country",
        "region": "Region",
        "city": "City",
        "browser_name": "Browser",
        "os_name": "System",
        "device_type": "Device",
        "language": "Language",
        "flag": "Flag",
        "exit_page": "Exit page",
        "event": "Event",
        "outgoing_link": "Outgoing link",
        "outgoing_domain": "Outgoing domain",
        "event_property": "Property of an event",
        "viewed_page": "Page seen in the session",
        "scroll": "Scroll depth (at least %)",
        "engaged": "Engaged time (at least s)",
        "link": "Came by short link (slug)",
        "reached_goal": "Reached goal",
    }
    ops: ClassVar[Mapping[str, str]] = {
        "is": "is",
        "not": "is not",
        "contains": "contains",
        "lacks": "does not contain",
        "starts": "starts with",
        "ends": "ends with",
        "matches": "matches the pattern",
        "set": "is known",
        "unset": "is not known",
    }
    matches: ClassVar[Mapping[str, str]] = {"all": "All filters", "any": "Any filter"}
    label = "Filters"
    menu = "Filter"
    field = "Show only"
    op = "Comparison"
    value = "Value"
    chosen = "Chosen values"
    remove_value = "Remove {value}"
    added_value = "{value} chosen"
    suggestions = "Values in this range"
    suggested = "{count} suggestions"
    none_suggested = "No suggestions"
    not_suggested = "Suggestions could not be loaded. They are asked for again in a moment."
    with_ = "How it joins the others"
    alone: ClassVar[Mapping[str, str]] = {"all": "and this", "any": "or this"}
    join = "{word}, beside {filters}"
    either = "or"
    both = "and"
    matching = "What must hold"
    more_values = "{values} and {more} more"
    apply = "Add filter"
    remove = "Remove filter {name}: {value}"
    remove_plain = "Remove filter {name}"
    clear = "Clear all"
    not_applied = "Not applied: {reason}"
    no_pattern = "this is no pattern ({reason})"
    long_pattern = "a pattern can have up to {most} characters"
    too_many_happened = "there may be {most} filters on what happened in a session"
    no_amount = "write a whole number from 1 to {most}, with “is”, “is not” or “is known”"
    only_exact = "this takes only “is”, “is not” and “is known”"
    only_is = "this takes only “is” and “is not”"
    no_goal = "there is no such goal any more"
    gone_goal = "a goal that is not there"
    segment_without_goal = "what it says of a goal that is not there any more"
    too_many_patterns = "there may be {most} patterns"
    segment = "Segment"
    no_link = "There is no short link called “{name}” here, so nobody is known to have come by it."
    no_segment = "there is no such segment any more"


class Panels:
    """The lists below the chart: tab, what is counted, and what an empty one says."""

    converting = "{counted}, conversions, rate"
    no_rate = "–"

    tabs: ClassVar[Mapping[str, str]] = {
        "sources": "Sources",
        "channels": "Channels",
        "utm_campaign": "Campaigns",
        "pages": "Pages",
        "entry": "Entry",
        "exit": "Exit",
        "countries": "Countries",
        "regions": "Regions",
        "cities": "Cities",
        "map": "Map",
        "browsers": "Browsers",
        "systems": "Systems",
        "devices": "Devices",
        "windows": "Windows",
        "languages": "Languages",
        "events": "Custom events",
        "links": "Outgoing links",
        "domains": "Domains",
        "flags": "Flags",
    }
    choices: ClassVar[Mapping[str, str]] = {
        "utm_campaign": "Campaign",
        "utm_source": "Source",
        "utm_medium": "Medium",
        "utm_term": "Term",
        "utm_content": "Content",
    }
    choices_label = "Campaign tags"
    on_the_map = "{name}, {said}"
    figure_of_row = "{name}: {value}"
    shaded_by = "Colour shows"
    shades = "What the shades stand for"
    shaded = "{counted} by country"
    shaded_everywhere = "{counted} by country, neighbours included"
    shaded_steps = "Each shade begins at about {times} times the one before."
    world = "World"
    places = "Places"
    counted: ClassVar[Mapping[str, str]] = {
        "visitors": "Visitors",
        "total_events": "Events",
        "total_clicks": "Clicks",
    }
    # what a share is of, by what is counted
    shares: ClassVar[Mapping[str, str]] = {
        "visitors": "Share of the {whole} visitors in this range. One visitor can be in several rows, so shares can add"
        " up to more than 100 %.",
        "total_events": "Share of all custom events in this range.",
        "total_clicks": "Share of all clicks on links to other websites in this range.",
    }
    empty: ClassVar[Mapping[str, str]] = {
        "sources": "No visit in this range, so no source either.",
        "channels": "No visit in this range, so no channel either.",
        "utm_campaign": "No visit with utm_campaign in its address. Tag the links of your campaigns with it.",
        "utm_source": "No visit with utm_source in its address. Tag the links of your campaigns with it.",
        "utm_medium": "No visit with utm_medium in its address. Tag the links of your campaigns with it.",
        "utm_term": "No visit with utm_term in its address. Tag the links of your campaigns with it.",
        "utm_content": "No visit with utm_content in its address. Tag the links of your campaigns with it.",
        "pages": "No page was viewed in this range.",
        "entry": "No session began on a page in this range.",
        "exit": "No session ended on a page in this range.",
        "countries": "No visit in this range, so no country either.",
        "regions": "No visit in this range, so no region either.",
        "cities": "No visit in this range, so no city either.",
        "map": "No visit in this range, so no country either.",
        "browsers": "No browser was seen in this range.",
        "systems": "No system was seen in this range.",
        "devices": "No device was seen in this range.",
        "windows": "No window said its size in this range.",
        "languages": "No language was seen in this range.",
        "events": "No custom event in this range. Send one from your page with {call}.",
        "links": "No link to another website was clicked. Count them with {outgoing} in the snippet.",
        "domains": "No link to another website was clicked. Count them with {outgoing} in the snippet.",
        "flags": "No visitor was given a feature flag in this range.",
    }
    narrow = "Nothing in this range fits the filters."
    event_call = 'databuddy.track("signup")'
    outgoing_option = 'data-track-outgoing-links="true"'
    unknown = "Unknown"


class Compact:
    """The small panels at the end: hours of the week, errors and web vitals."""

    titles: ClassVar[Mapping[str, str]] = {
        "page": "This page",
        "goals": "Goals",
        "week": "Hours of the week",
        "errors": "Errors",
        "vitals": "Web vitals",
    }
    counted: ClassVar[Mapping[str, str]] = {
        "week": "Visitors",
        "goals": "Conversions, change, rate",
        "errors": "Errors, visitors",
        "vitals": "75th percentile",
    }
    empty: ClassVar[Mapping[str, str]] = {
        "week": "No visit in this range.",
        "goals": "No goal is active.",
        "errors": "No error in this range.",
        "vitals": "Nothing was measured in this range.",
    }
    hour = "{day}, {start} to {end}: {said}"
    busiest = "Most {what}: {hour}"
    highest = "The highest: {hour}"
    week_table = "{what} by day of the week and hour"
    day = "Day"
    errors = "errors"
    visitors = "visitors met one"
    sessions = "of sessions"


class Vitals:
    """Web vitals in words."""

    names: ClassVar[Mapping[str, str]] = {
        "LCP": "Largest contentful paint",
        "INP": "Interaction to next paint",
        "CLS": "Cumulative layout shift",
        "FCP": "First contentful paint",
        "TTFB": "Time to first byte",
    }
    ratings: ClassVar[Mapping[str, str]] = {"good": "Good", "fair": "Needs work", "poor": "Poor"}
    samples = "{count} measured"
