"""Inputs of `user …`."""

from msgspec import Struct

from analytics_box.app.admin.given.words import Text
from analytics_box.base.identity import Role


class NewUser(Struct, frozen=True, forbid_unknown_fields=True):
    """The organization can be left out where there is only one."""

    email: Text
    name: str = ""
    role: Role = "member"
    organization: Text | None = None


class SomeUsers(Struct, frozen=True, forbid_unknown_fields=True):
    """Without an organization: everybody."""

    organization: Text | None = None


class ConfirmedUser(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of `user confirm`."""

    email: Text


class ResetPassword(Struct, frozen=True, forbid_unknown_fields=True):
    email: Text
    remove_second_factor: bool = False
