"""What a channel is, and when a delivery is tried again. Pure."""

from typing import Final

from msgspec import Struct

from analytics_box import names
from analytics_box.clock import HOUR, MINUTE, SECOND
from analytics_box.errors import BadRequest

MOST_CHANNELS: Final = 50  # of one organization
LONGEST_NAME: Final = 100
WAITS: Final = (10 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR)  # before the next attempt, in ms
LONGEST_WAIT: Final = HOUR  # that the other side may ask for


class Channel(Struct, frozen=True):
    """A channel as it is stored. Times are UTC ms; `last_error` is empty where the last attempt succeeded.

    `shown` says where it leads without a secret.
    """

    id: str
    organization_id: str
    kind: str
    name: str
    enabled: bool
    shown: str
    sealed: bytes
    created_at: int
    updated_at: int
    last_at: int | None = None
    last_error: str | None = None
    waiting: int = 0


def clean_name(name: str) -> str:
    """1 to 100 characters in one line. Raises BadRequest."""
    name = names.one_line(name)
    if not names.is_name(name, LONGEST_NAME):
        raise BadRequest.about("name", f"Give it a name of 1 to {LONGEST_NAME} characters")
    return name


def wait(attempts: int, asked: int | None = None) -> int | None:
    """How long to wait after that many attempts, in ms; None to give up. `asked` is what the other side wants, in s."""
    if attempts > len(WAITS):
        return None
    return max(WAITS[attempts - 1], min((asked or 0) * SECOND, LONGEST_WAIT))
