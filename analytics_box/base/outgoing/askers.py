"""Askers: on whose behalf the box makes an outgoing request, which decides what the request may reach."""

from typing import Final, Literal

from msgspec import Struct


class RequestAsker(Struct, frozen=True):
    """The party that chose the address of a request. `organization_id` is set for members of an organization only.

    Whatever a stranger typed, such as the webhook of a status page's subscriber, is asked as STRANGER, and reaches the
    public internet only. What members entered is asked as `member_of` their organization. ADMINISTRATOR is for
    addresses in the settings and on the command line.
    """

    kind: Literal["stranger", "member", "administrator"]
    organization_id: str = ""


STRANGER: Final = RequestAsker("stranger")
ADMINISTRATOR: Final = RequestAsker("administrator")


def member_of(organization_id: str) -> RequestAsker:
    """The asker for what members of this organization entered."""
    return RequestAsker("member", organization_id)
