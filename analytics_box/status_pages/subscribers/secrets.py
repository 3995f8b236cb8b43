"""The secrets of a subscriber: the one in their links, and what a webhook is signed with. Stored only sealed."""

import msgspec
from msgspec import Struct

from analytics_box import ids
from analytics_box.notify.kinds.webhook import new_secret
from analytics_box.status_pages.subscriber import SubscriberKind
from analytics_box.store.seal import Seal


class Secrets(Struct, frozen=True):
    """`link` stands in the links of a subscriber; messages of a webhook are signed with `signing`."""

    link: str
    signing: str = ""


def new(kind: SubscriberKind) -> Secrets:
    return Secrets(ids.new_token(), new_secret() if kind == "webhook" else "")


def sealed(seal: Seal, subscriber_id: str, secrets: Secrets) -> bytes:
    """As they are stored."""
    return seal.seal(msgspec.json.encode(secrets), owner=_owner(subscriber_id))


def opened(seal: Seal, subscriber_id: str, stored: bytes) -> Secrets:
    """What `sealed` made. Raises SealBroken."""
    return msgspec.json.decode(seal.open(stored, owner=_owner(subscriber_id)), type=Secrets)


def _owner(subscriber_id: str) -> str:
    return f"subscriber:{subscriber_id}"
