"""The pages about goals, and about custom events one by one."""

from typing import Final

from analytics_box.base.texts.link_pages import ConfirmationTexts


class GoalTexts:
    """The list of goals, the form of one, and the question before one is deleted."""

    short = "Goals"
    title = "Goals: {site}"
    heading = "Goals"
    lead = "What you want visitors to do. A conversion is a visitor who did it; the rate is of all visitors."
    add = "New goal"
    ranges: Final = {"today": "Today", "last_7d": "7 days", "last_30d": "30 days", "last_90d": "90 days"}
    range = "Range"
    goal = "Goal"
    conversions = "Conversions"
    rate = "Rate"
    revenue = "Sum"
    unknown = "–"
    inactive = "Not active"
    edit = "Edit"
    edit_one = "Edit {name}"
    visitors = "{count} visitors in all"
    one_visitor = "1 visitor in all"
    all = "All goals and events"
    before = "Before: {count} conversions, {rate}"
    not_there = "There is no such goal any more, so none is chosen."
    empty_title = "No goals yet"
    empty = "Choose what counts: a page such as /thanks, an event, a scroll depth, a time or an outgoing link."
    failed = "These figures could not be found: {why}"
    events = "Custom events"
    events_lead = "Everything that your pages and servers sent under a name of its own."
    more_events = "These are the {count} most frequent; the overview lists the others, too."
    no_events = "No custom events in this range."
    times = "Times"
    of_all = "Of all visitors"
    done: Final = {"created": "The goal is there.", "saved": "The goal is saved.", "deleted": "The goal is deleted."}
    # What a goal is, in words.
    says: Final = {
        "page": "Visits {target}",
        "event": "Event {target}",
        "scroll": "Scrolls {target} % of a page",
        "time": "Stays for {target} s",
        "outgoing": "Clicks a link to {target}",
    }
    says_filters = "{said}, narrowed by {fields}"
    says_conditions = "{said}, with {conditions}"
    comma = ", "

    new_title = "New goal"
    edit_title = "Edit goal"
    submit_new = "Create goal"
    submit = "Save goal"
    cancel = "Cancel"
    delete_it = "Delete…"
    delete = ConfirmationTexts(
        "Delete the goal {name}?", "What visitors did stays counted; only the goal goes.", "Delete {name}"
    )
    name = "Name"
    name_help = "How lists and figures call it, such as “Sign-up”."
    description = "Description"
    kind = "What visitors do"
    kinds: Final = {
        "page": ("View a page", "Its path, such as /thanks. A star stands for anything: /orders/*/done."),
        "event": ("Send a custom event", "Its name, such as signup."),
        "scroll": ("Scroll", "How deep, in percent of a page: 75."),
        "time": ("Stay", "For how many seconds pages are visible, in one session: 60."),
        "outgoing": ("Click an outgoing link", "A host such as example.org, or a whole address with https://."),
    }
    target = "Which one, or how much"
    target_help = "A path, a name, a number or a host, as said beside your choice."
    conditions = "Properties of the event"
    conditions_help = "Only for events. One and the same event must have all of them."
    property = "Property {number}"
    operator = "Condition {number}"
    value = "Value {number}"
    operators: Final = {"exists": "is there", "equals": "is", "contains": "contains", "in": "is one of (commas)"}
    amount = "Property with an amount"
    amount_help = "Only for events: a property with a number, such as amount. The numbers are added up."
    try_it = "Try it"
    try_help = "Shows what it would have counted in the last 30 days. Nothing is saved."
    tried_title = "In the last 30 days"
    tried_page = "1 page fits."
    tried_pages = "{pages} pages fit."
    tried = "{conversions} of {visitors} visitors would have reached it: {rate}."
    tried_others = "and {count} more"
    tried_nobody = "Check the spelling, or save it if this is yet to come."
    history = "Figures come from what visitors did, by the goal as it is now: an edit counts the past anew, too."
    back = "All goals and events"
    page_title = "{name}: goal of {site}"
    on_overview = "Count it on the overview"
    only_reached = "Only visits that reached it"
    sum = "Sum of its amounts: {sum}"
    active = "Active"
    active_help = "The overview has active goals to choose from."
    narrowed = "Narrowed over the API by {fields}. The form keeps this."


class EventPages:
    """The page of a custom event."""

    title = "{name}: {site}"
    back = "All goals and events"
    lead = "A custom event"
    times = "Times"
    visitors = "Visitors"
    sessions = "Sessions"
    rate = "{rate} of all {visitors} visitors sent it."
    properties = "Properties"
    no_properties = "It came without properties."
    value = "Value"
    share = "Share"
    pages = "Pages"
    page = "Page"
    no_pages = "It came without a page."
    others = "and more"
    narrow = "Only visits with it"
    make_goal = "Make it a goal"
    failed = "These figures could not be found: {why}"
    unknown_page = "No page"
