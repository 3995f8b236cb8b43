"""The organization of a call, and its actor."""

from analytics_box.base import errors
from analytics_box.base.acting import By
from analytics_box.web.call import Call


def acting(call: Call, organization_id: str | None) -> tuple[str, By]:
    """The organization of a call, and its actor.

    Raises Forbidden for one that is not the caller's and for a key of single websites.
    """
    if call.identity.key is not None and call.identity.key.websites is not None:
        raise errors.Forbidden("This needs a key with global access")
    return call.organization(organization_id), call.by
