"""A segment: filters of a website under a name. Pure."""

from typing import Final

from msgspec import Struct

from analytics_box.query.filters import COMMON
from analytics_box.query.request import GivenFilter

MOST_SEGMENTS: Final = 200  # of a website
LONGEST_NAME: Final = 100  # characters
# What all pages of a website can be filtered by.
FIELDS: Final = frozenset({*COMMON, "utm_term", "utm_content"} - {"query_string", "timezone"})


class Saved(Struct, frozen=True):
    """A segment. Only its owner sees it, unless it is shared; one that a key made has no owner. Times are UTC ms."""

    id: str
    website_id: str
    user_id: str
    is_shared: bool
    name: str
    filters: tuple[GivenFilter, ...]
    created_at: int
    updated_at: int

    def is_seen_by(self, user_id: str) -> bool:
        """Whether somebody of the organization may see it."""
        return self.is_shared or (user_id != "" and self.user_id == user_id)
