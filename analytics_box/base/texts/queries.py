"""The API explorer, and the reference of query types."""

from collections.abc import Mapping
from typing import ClassVar

from analytics_box.base.texts.link_pages import ConfirmationTexts


class QueryTexts:
    """The API explorer: the page where people try queries."""

    short = "API explorer"
    title = "API explorer: {site}"
    heading = "API explorer"
    lead = "Ask for numbers of {site}: see the rows and their chart, the SQL, and the code that asks the same."
    reference = "All query types"
    form = "Query"
    options = "More options"
    type = "Query type"
    choose = "Choose a type"
    range = "Range"
    custom = "Own dates"
    first = "First day"
    last = "Last day"
    granularity = "Granularity"
    granularities: ClassVar[Mapping[str, str]] = {"daily": "By day", "hourly": "By hour"}
    granularity_help = "Counts for types with a row per day or hour."
    zone = "Time zone"
    filters = "Filters"
    filters_help = "Values of “in” and “not_in” are separated by commas; “is_set” and “is_not_set” need none."
    filters_of = "{type} can be filtered by: {fields}."
    filter_label = "Filter {number}"
    another = "Add another filter"
    remove = "Remove filter {number}"
    most = "A query has at most {most} filters here."
    match = "Rows must match"
    matches: ClassVar[Mapping[str, str]] = {"all": "all filters", "any": "any filter"}
    field = "Field"
    op = "Operator"
    operators: ClassVar[Mapping[str, str]] = {
        "eq": "is",
        "ne": "is not",
        "in": "is one of",
        "not_in": "is none of",
        "contains": "contains",
        "not_contains": "does not contain",
        "starts_with": "starts with",
        "not_starts_with": "does not start with",
        "ends_with": "ends with",
        "regex": "matches",
        "is_set": "is not empty",
        "is_not_set": "is empty",
    }
    value = "Value"
    sort = "Sort by"
    order = "Order"
    orders: ClassVar[Mapping[str, str]] = {"desc": "Descending", "asc": "Ascending"}
    limit = "Rows"
    limit_help = "1 to 10,000; {usual} if empty."
    page = "Page"
    comparison = "Compare with"
    comparisons: ClassVar[Mapping[str, str]] = {
        "": "Nothing",
        "previous_period": "The previous period",
        "previous_year": "The year before",
    }
    _numbers = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)  # of filters
    # field of the form → its label
    labels: ClassVar[Mapping[str, str]] = {
        "type": type,
        "range": range,
        "from": first,
        "to": last,
        "granularity": granularity,
        "zone": zone,
        "sort": sort,
        "order": order,
        "limit": limit,
        "page": page,
        "comparison": comparison,
        **{f"field{at}": f"Filter {at}, field" for at in _numbers},
        **{f"op{at}": f"Filter {at}, operator" for at in _numbers},
        **{f"value{at}": f"Filter {at}, value" for at in _numbers},
    }
    run = "Run"
    clear = "Start again"
    failed = "This query cannot be answered"
    rows = "Rows"
    counted: ClassVar[Mapping[bool, str]] = {True: "1 row", False: "{count} rows"}
    took = "{ms} ms"
    took_help = "From asking to having the rows. A question that was asked before is answered from memory."
    dates = "{first} to {last}, {zone}"
    now = "Looks at now, whatever the range"
    ignored = "This type does not know these filters, so they did nothing: {fields}."
    table_label = "Rows of {type}"
    drawn = "Draw"
    chart_label = "{field} of {type}, as a chart"
    compared = "Compared: {dates}"
    nothing = "empty"
    no_rows = "No rows"
    nothing_compared = "There was nothing in this range."
    no_rows_text = "Nothing in this range matches. Try a longer range, or fewer filters."
    csv = "Download as CSV"
    earlier = "Earlier rows"
    later = "More rows"
    sorted_by = "Sort by {field}"
    request = "The same over the API"
    request_text = "Put your own API key in the place of svc_…; it needs the scope read:data."
    keys = "Create a key"
    request_body = "Body"
    saved = "Saved questions"
    saved_none = "Save a question to find it here again."
    saved_none_viewer = "Nobody has shared a question about this website."
    shared = "shared"
    save = "Save this question"
    save_name = "Name"
    save_shared = "Share it with everybody in the organization"
    save_help = "The range, the filters and all options are kept. A question of yours with this name is replaced."
    save_button = "Save"
    delete = "Delete {name}"
    delete_question = ConfirmationTexts(
        "Delete the question {name}?",
        "Whoever uses it here or over the API does not find it any more.",
        "Delete {name}",
    )
    done: ClassVar[Mapping[str, str]] = {
        "saved": "The question is saved.",
        "deleted": "The question is deleted.",
    }
    sql = "SQL"
    sql_label = "Statement {number}"
    sql_text = (
        "What ran on {engine}, with its parameters. Types that list sessions or visitors look up more about them "
        "afterwards. POST /v1/query/compile answers the same without running it."
    )
    params = "Parameters"
    begin = "Choose a query type and run it, or begin with one of these."
    beginnings: ClassVar[Mapping[str, str]] = {
        "summary_totals": "Totals",
        "events_by_date": "Every day",
        "top_pages": "Pages",
        "traffic_sources": "Sources",
        "custom_events": "Custom events",
    }
    unknown_zone = "There is no time zone of this name. Names are like Europe/Berlin."
    wrong: ClassVar[Mapping[str, str]] = {
        "type": "Choose a query type",
        "range": "Choose a range",
        "granularity": "Choose by day or by hour",
        "order": "Choose an order",
        "limit": "A whole number from 1 to 10,000",
        "page": "A whole number from 1",
        "comparison": "Choose what to compare with",
        "field": "Choose a field to filter by",
        "op": "Choose an operator",
        "value": "Enter a value",
    }


class QueryTypes:
    """The reference of query types."""

    title = "Query types"
    lead = (
        "What POST /v1/query can be asked: {count} types. GET /v1/query/types has the same for programs. The "
        "API explorer of a website tries them."
    )
    operations = "How to send a query."
    navigation = "Query types"
    families: ClassVar[Mapping[str, str]] = {
        "CustomEvents": "Custom events",
        "Links": "Outgoing links",
        "Vitals": "Web vitals",
        "LinkShortener": "Short links",
    }
    all_fields = "Fields of the rows"
    unit = "in {unit}"
    sortable = "sortable"
    facts = "Range, filters, limit and who may ask"
    needs = "Needs a filter"
    needs_text = "{fields}, with eq or in"
    needs_one_text = "Exactly one on {fields}, with eq and one value"
    filters = "Filters"
    having = "Filters on counters"
    having_text = "{fields}, with eq, ne, in and not_in"
    limit = "Default limit"
    limit_text = "{limit}, but POST /v1/query answers {usual} rows if it names none"
    granularity = "Granularity"
    no_granularity = "None: no row per day or hour"
    public = "Public"
    public_text: ClassVar[Mapping[str, str]] = {
        "yes": "Yes: of a public website, anybody may ask",
        "values": "Of a public website whose owner also publishes what events carried, anybody may ask",
        "no": "No: needs a key or a signed-in person",
    }
    customizable = "Customizable"
    yes_no: ClassVar[Mapping[bool, str]] = {True: "Yes", False: "No"}
    about = "Asked about"
    about_text: ClassVar[Mapping[str, str]] = {
        "website": "a website",
        "organization": "a website, or an organization",
        "link": "a short link, with link_id; a key needs global access",
        "monitor": "a monitor, with schedule_id; a key needs read:monitors or read:data",
    }
    range = "Range"
    ranges: ClassVar[Mapping[str, str]] = {
        "range": "the request's",
        "today": "today so far, whatever the request says; never cached",
        "recent": "the last {minutes} minutes, whatever the request says; never cached",
    }
    request = "Example request"
    answer = "Example answer: its entry in “data”"
    none = "–"
