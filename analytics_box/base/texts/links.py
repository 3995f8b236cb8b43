"""Texts for visitors of a short link."""

from typing import Final


class ShortLinks:
    """The pages of short links. Notes are a title, what happened and what to do."""

    unknown: Final = (
        "This link does not exist",
        "There is no short link with this URL on this server.",
        "Check that the URL is complete, or ask whoever gave it to you.",
    )
    expired: Final = (
        "This link has expired",
        "It worked for a limited time or a limited number of visits, and that is over.",
        "Ask whoever gave it to you for a new one.",
    )
    home: Final = (
        "A domain of short links",
        "This domain only has short links, and this URL is none of them.",
        "Use the full URL that you were given.",
    )
    password_title = "This link is protected"
    password_lead = "Enter the password that you were given to go on."
    password_wrong = "This is not the password of this link. Check it and try again."
    password_often = "Too many wrong passwords. Wait a minute and try again."
    password_submit = "Continue"
    app_title = "Open in {app}"
    app_lead = "This link opens in the app, if it is on this device."
    app_open = "Open in {app}"
    app_web = "Continue in the browser"
    preview_go = "Go to the page"
    preview_title = "A short link"
