"""Inputs of `key …`."""

from msgspec import Struct

from analytics_box.app.admin.given.words import Text
from analytics_box.base.identity import Scope
from analytics_box.tenants.keys.rules import KeyType, RateLimit


class KeyCreateOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """Without `websites` the key is global. The organization can be left out where there is only one."""

    name: Text
    scopes: tuple[Scope, ...]
    websites: tuple[Text, ...] | None = None
    organization: Text | None = None
    type: KeyType = "user"
    tags: tuple[Text, ...] = ()
    expires_at: int | None = None  # UTC ms
    ratelimit: RateLimit | None = None


class OneKey(Struct, frozen=True, forbid_unknown_fields=True):
    id: Text


class SomeKeys(Struct, frozen=True, forbid_unknown_fields=True):
    """Without an organization: the keys of all."""

    organization: Text | None = None
