"""Permissions: scopes for API keys, roles for people (spec 2.2, wire 10.4). Pure."""

from typing import Final, Literal

from analytics_box.base import errors
from analytics_box.base.identity import Identity, Role, Scope, require

PUBLIC: Final = "public"  # nobody is asked who they are
SIGNED_IN: Final = "signed in"  # a person, by session cookie

Access = Scope | Literal["public", "signed in"]
OF_ORGANIZATION: Final[frozenset[Scope]] = frozenset(  # never about a single website
    ("manage:config", "read:links", "write:links", "read:status_pages", "write:status_pages")
)


def allow(
    identity: Identity, access: Access, *, role: Role = "viewer", anonymous: bool = False, also: Scope | None = None
) -> None:
    """Raises AuthRequired or Forbidden for callers who may not pass.

    A key needs the scope, or the one in `also`; a person needs at least the role in the session's organization. With
    `anonymous` a caller without a credential passes, and the handler decides.
    """
    if access == PUBLIC:
        return
    if identity.anonymous:
        if anonymous:
            return
        raise errors.AuthRequired("Authentication required")
    if identity.person is not None:
        require(identity.person.role, role)
        return
    if access == SIGNED_IN:
        raise errors.Forbidden("Sign in to do this. API keys are not accepted")
    if not identity.has(access) and not (also is not None and identity.has(also)):
        raise errors.Forbidden(f"This API key lacks the scope {access}")
    if access in OF_ORGANIZATION and not identity.may_act_for_organization(access):
        raise errors.Forbidden("This requires an API key with global access")
