"""The fields of a status page's settings form, and the procedure input that they become. Pure."""

from collections.abc import Mapping
from typing import Any, Final

from analytics_box.base.errors import BadRequest
from analytics_box.base.texts import StatusPageForm, StatusPageList
from analytics_box.products.status_pages.editing.messages import UpdateStatusPage
from analytics_box.products.status_pages.page import StatusPage
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.web.page.typed import web_address

_URLS: Final = ("websiteUrl", "supportUrl")
_EMPTIED: Final = ("description", *_URLS, "theme", "domain")  # by leaving them empty
_PLAIN: Final = ("name", "slug", "timeZone", "automaticIncidents")
_TICKED: Final = ("isIndexed", "isSubscribable")
NAMES: Final = (*_PLAIN, *_EMPTIED, *_TICKED, "password", "forgetPassword", "publishAfterMinutes")


def fields_of(page: StatusPage) -> dict[str, str]:
    """The form filled in with what a page is; its password is not."""
    return {
        "name": page.name,
        "slug": page.slug,
        "description": page.description,
        "theme": page.theme if page.theme in {"light", "dark"} else "",
        "websiteUrl": page.website_url or "",
        "supportUrl": page.support_url or "",
        "timeZone": page.zone,
        "domain": page.domain or "",
        "isIndexed": "on" if page.indexed else "",
        "isSubscribable": "on" if page.subscribable else "",
        "automaticIncidents": page.automatic,
        "publishAfterMinutes": str(page.publish_after),
    }


def read_fields(form: Mapping[str, str]) -> dict[str, str]:
    """The form as it was posted."""
    return {name: form.get(name, "") for name in NAMES}


def settings_input(fields: Mapping[str, str], page_id: str) -> UpdateStatusPage:
    """The message that makes a page what the form says. Raises BadRequest."""
    minutes = fields["publishAfterMinutes"].strip()
    if not (minutes.isascii() and minutes.isdecimal() and len(minutes) <= 4):
        raise BadRequest.about("publishAfterMinutes", StatusPageForm.no_minutes)
    found: dict[str, Any] = {"statusPageId": page_id, "publishAfterMinutes": int(minutes)}
    found |= {name: fields[name] for name in _PLAIN}
    found |= {name: fields[name].strip() or None for name in _EMPTIED}
    found |= {name: web_address(fields[name]) or None for name in _URLS}
    found |= {name: fields[name] == "on" for name in _TICKED}
    if fields["password"]:
        found["password"] = fields["password"]
    elif fields["forgetPassword"]:
        found["password"] = None
    return message_of(found, UpdateStatusPage, StatusPageList.wrong)
