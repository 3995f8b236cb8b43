"""The link of an invitation and the letter that brings it."""

from analytics_box.base.notify.mail import Mail
from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts
from analytics_box.tenants.members.rules import Invitation


def link(base_url: str, secret: str) -> str:
    """The address to accept an invitation. Anyone with it can join, so it is shown to the inviter once and stored
    nowhere.
    """
    return f"{base_url}/invitation?token={secret}"


def letter(invitation: Invitation, *, organization: str, inviter: str, url: str) -> Mail:
    """The invitation email."""
    host = url_parts(url).netloc
    plain = " ".join(organization.split())
    return Mail(
        to=invitation.email,
        subject=_("Invitation to Analytics Box"),
        text=_(
            "{inviter} has invited you to join {organization} on {host}.\n\n"
            "Open this link to join. It works once, for 7 days:\n{url}\n\nIf you did not "
            "expect this invitation, ignore this email.\n"
        ).format(organization=plain, inviter=inviter, url=url, host=host),
    )
