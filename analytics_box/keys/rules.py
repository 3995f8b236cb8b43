"""What an API key may be (spec 2.1, 2.2). Pure."""

from analytics_box import ids
from analytics_box.identity import Key, Scope

START_LENGTH = 8  # characters of the secret that may be shown (wire 10.2)


def new_key(
    *, key_id: str, organization_id: str, name: str, scopes: tuple[Scope, ...], websites: tuple[str, ...] | None
) -> tuple[Key, str]:
    """A key and its secret, which exists only here and in the one answer that shows it."""
    secret = ids.new_key_secret()
    key = Key(
        id=key_id,
        organization_id=organization_id,
        name=name,
        start=secret[:START_LENGTH],
        scopes=frozenset(scopes),
        websites=None if websites is None else frozenset(websites),
    )
    return key, secret
