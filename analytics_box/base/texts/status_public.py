"""Texts for visitors of a status page."""

from typing import Final


class StatusPublic:
    """The public page, its history, its feeds and its badges."""

    website = "Website"
    support = "Support"
    subscribe = "Subscribe to updates"
    current = "Current status"
    history = "History"
    title = "{name} status"
    as_of = "As of"
    zone = "Times are in {zone}."
    incomplete = "The history cannot be read at this moment; older entries may be missing."
    stale = "This page could not be brought up to date. It shows what was known {ago} ago, on {time}."
    moments = "less than a minute"
    months: Final = (
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    )

    active = "What is going on"
    planned = "Planned maintenance"
    components_title = "Components"
    recent = "The last 14 days"
    recent_over = "No incident ended in the last 14 days."
    recent_none = "No incidents in the last 14 days."
    history_none = "No incidents in this month."
    history_months = "Months"
    history_list = "Incidents and maintenance"
    older = "Older"
    newer = "Newer"
    affects = "Affects {what}"
    affected = "{name} ({impact})"
    since = "Since"
    until = "until"
    planned_from = "From"
    lasted = "Lasted {time}"
    more_active = "More incidents and maintenance are in the history"
    all_updates = "All updates"
    earlier_updates = "Earlier updates"
    earlier_in_month = "Earlier in {month}"
    no_components = "This page has no components yet."

    components: Final = {
        "operational": "Operational",
        "degraded_performance": "Degraded performance",
        "partial_outage": "Partial outage",
        "major_outage": "Major outage",
        "under_maintenance": "Under maintenance",
        None: "No data",
    }
    statuses: Final = {
        "investigating": "Investigating",
        "identified": "Identified",
        "monitoring": "Monitoring",
        "resolved": "Resolved",
        "postmortem": "Postmortem",
        "scheduled": "Scheduled",
        "in_progress": "In progress",
        "verifying": "Verifying",
        "completed": "Completed",
    }
    severities: Final = {"minor": "Minor", "major": "Major", "critical": "Critical"}
    impacts: Final = {
        "operational": "operational",
        "degraded": "degraded",
        "partial": "partial outage",
        "down": "major outage",
        "maintenance": "maintenance",
    }

    uptime = "{uptime} uptime"
    days_ago = "{days} days ago"
    today = "Today"
    details = "Details"
    details_of = "of {name}"
    every_day = "Every day as a table"
    more_days = "More days are in the table."
    days: Final = {
        "up": "no downtime",
        "degraded": "degraded",
        "down": "downtime",
        "maintenance": "maintenance",
        "unknown": "no data",
    }
    counted: Final = {
        "up": "no downtime on {days} day{s}",
        "degraded": "degraded on {days} day{s}",
        "down": "downtime on {days} day{s}",
        "maintenance": "maintenance on {days} day{s}",
        "unknown": "no data on {days} day{s}",
    }
    bars = "The last {days} days: {counted}."
    day_uptime = "{uptime} uptime"
    day_down = "{time} down"
    chart = "Response time over {days} days: {average} on average, at most {top}"
    chart_average = "average of each day"
    chart_slow = "95 % of checks were faster (dashed)"
    table_title = "The last {days} days"
    table_day = "Day"
    table_state = "State"
    table_uptime = "Uptime"
    table_down = "Downtime"
    table_average = "Response time"
    table_slow = "95 % within"
    nothing = "–"

    unknown: Final = (
        "This page does not exist",
        "There is no status page with this URL on this server.",
        "Check that the URL is complete, or ask whoever gave it to you.",
    )
    missing: Final = (
        "This page does not exist",
        "There is nothing at this address, or it has moved.",
    )
    protected = "This page is protected"
    protected_lead = "Enter the password of the status page of {name}."
    password = "Password"
    password_wrong = "This is not the password. Check it and try again."
    password_often = "Too many passwords were tried. Wait a minute and try again."
    password_submit = "Continue"
    needs_password = "This status page needs a password: send it by HTTP Basic authentication"

    feed = "{name}: incidents and maintenance"
    feed_entry = "{title}: {status}"
    badges: Final = {
        "up": "operational",
        "degraded": "degraded",
        "down": "outage",
        "maintenance": "maintenance",
        "unknown": "unknown",
    }
