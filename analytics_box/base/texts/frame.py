"""The frame around every page, what all forms share, and error pages."""

from collections.abc import Mapping
from typing import ClassVar


class FrameTexts:
    """The frame around every page."""

    name = "Analytics Box"
    skip = "Skip to content"
    sites = "Websites"
    overview = "Overview"
    navigation = "Main"
    more = "More"
    find_more = "Narrow down"
    switch_to = "Other websites"
    account = "Account"
    signed_in_as = "Signed in as {email}"
    sign_out = "Sign out"
    manual = "Manual and API"
    shortcuts = "Keyboard shortcuts"
    close = "Close"
    see = "See more"


class SettingsArea:
    """The navigation of the settings."""

    title = "Settings"
    profile = "Profile"
    security = "Security"
    organization = "Organization"
    members = "Members"
    alarms = "Alarms"
    integrations = "Integrations"
    domains = "Domains"
    defaults = "Defaults"
    keys = "API keys"
    audit = "Audit log"
    box = "This box"


class Keys:
    """The help dialog: key and what it does, in the order shown."""

    title = "Keyboard shortcuts"
    rows = (
        ("d", "Today"),
        ("w", "Last 7 days"),
        ("m", "Last 30 days"),
        ("y", "This year"),
        ("a", "All time"),
        ("c", "Compare, or stop comparing"),
        ("/", "Search websites, links, monitors, pages and actions; also Ctrl K"),
        ("f", "Filter the overview"),
        ("t", "Chart or table"),
        ("← →", "Move along the chart when it has the focus"),
        ("?", "This help"),
        ("Esc", "Close what is open"),
    )


class FormTexts:
    """Texts that all forms share."""

    summary = "Please check these fields:"
    show_password = "Show password"
    copy = "Copy"
    copied = "Copied"
    email = "E-mail"
    password = "Password"


class Errors:
    """Error pages: title, what happened, what to do."""

    pages: ClassVar[Mapping[int, tuple[str, str, str]]] = {
        403: ("You cannot see this", "Your account has no access to this page.", "Ask whoever looks after this box."),
        404: ("Nothing here", "This page does not exist, or it is gone.", "Check the address, or go back."),
        429: (
            "Too many tries",
            "That was more than this box allows in so short a time.",
            "Wait a little, then try again.",
        ),
        500: (
            "Something broke",
            "The box ran into an error of its own. Your data is safe.",
            "Try again. If it stays, look into the log for the request below.",
        ),
        503: ("Busy right now", "The box has more to do than it can.", "Try again in a few seconds."),
    }
    signed_out = "You were signed out before this was saved. What you typed is here: look it over, then save it."
    other = ("This did not work", "The request could not be answered.", "Go back and try again.")
    expired = (
        "This setup link has expired",
        "A setup link works once and for 24 hours.",
        "Restart the box: it prints a new link where it was started.",
    )
    invitation = (
        "This invitation does not work",
        "A link works once and for 7 days, and whoever made it can revoke it.",
        "Ask for a new one.",
    )
    not_set_up = (
        "This box is not set up yet",
        "Its setup link was printed where the box was started.",
        "Open that link to create the first account.",
    )
    home = "Go to your websites"
    request = "Request {id}"
