"""The secrets of a subscriber: the one in their links, and the address and signing key of a webhook.

They are stored only sealed.
"""

import hashlib

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import ids
from analytics_box.base.notify.checks import origin_of
from analytics_box.base.notify.kinds.http import new_secret
from analytics_box.base.store.db import Connection
from analytics_box.base.store.seal import Seal, SealBroken
from analytics_box.products.status_pages.subscriber import SubscriberKind
from analytics_box.products.status_pages.subscribers import rows


class SubscriberSecrets(Struct, frozen=True):
    """`link` is in the links of a subscriber. Messages of a webhook go to `address` and are signed with
    `signing`."""

    link: str
    signing: str = ""
    address: str = ""


def new(kind: SubscriberKind, address: str) -> SubscriberSecrets:
    """New secrets of a subscriber with this address."""
    return (
        SubscriberSecrets(ids.new_token(), new_secret(), address)
        if kind == "webhook"
        else SubscriberSecrets(ids.new_token())
    )


def address_at_rest(seal: Seal, kind: SubscriberKind, address: str) -> str:
    """An address as it may be stored, the same each time."""
    if kind == "email":
        return address
    digest = hashlib.blake2b(address.encode(), digest_size=16, key=seal.derive("addresses of webhooks"))
    return f"{origin_of({'url': address})} {digest.hexdigest()}"


def seal_plain(db: Connection, seal: Seal) -> None:
    """Seal the addresses of webhooks that an earlier version stored in plain text. Nothing of them stays in the file.

    A subscriber whose secrets can no longer be read stays as it is.
    """
    db.pragma("secure_delete", True)
    try:
        for one in rows.in_plain_text(db):
            try:
                own = decrypt_secrets(seal, one.id, one.sealed)
            except SealBroken:
                continue
            sealed = encrypt_secrets(seal, one.id, replace(own, address=one.address))
            address = address_at_rest(seal, one.kind, one.address)
            rows.ROWS.update(db, replace(one, address=address, sealed=sealed))
    finally:
        db.pragma("secure_delete", False)


def encrypt_secrets(seal: Seal, subscriber_id: str, secrets: SubscriberSecrets) -> bytes:
    """The secrets, encrypted for storage."""
    return seal.seal(msgspec.json.encode(secrets), owner=_owner(subscriber_id))


def decrypt_secrets(seal: Seal, subscriber_id: str, stored: bytes) -> SubscriberSecrets:
    """The decrypted secrets of a subscriber. Raises SealBroken."""
    return msgspec.json.decode(seal.open(stored, owner=_owner(subscriber_id)), type=SubscriberSecrets)


def _owner(subscriber_id: str) -> str:
    return f"subscriber:{subscriber_id}"
