"""Saved items: their kinds and fields. Pure."""

from collections.abc import Callable
from typing import Any, Final, Generic, Literal, TypeVar

from msgspec import Struct

MOST: Final = 200  # of one person, on one website; what keys made counts together
LONGEST_NAME: Final = 100  # characters

Content = TypeVar("Content")


class SavedItem(Struct, Generic[Content], frozen=True):
    """Something under a name. Only its owner sees it, unless it is shared; what a key made has no owner. Times are
    UTC ms."""

    id: str
    website_id: str
    user_id: str
    is_shared: bool
    name: str
    content: Content
    created_at: int
    updated_at: int

    def is_seen_by(self, user_id: str) -> bool:
        """Whether a member of the organization can see it, and change it if they can change its website."""
        return self.is_shared or self.is_of(user_id)

    def is_of(self, user_id: str) -> bool:
        """Whether it belongs to this user. Items that a key saved belong to no user."""
        return user_id != "" and self.user_id == user_id


class SavedKind(Struct, Generic[Content], frozen=True):
    """A kind of saved items: the word for one of them, and the table that has them, with their content as JSON in
    `column`. `type` is the content's, and `written` its JSON."""

    noun: Literal["segment", "question"]
    table: Literal["segments", "saved_questions"]
    column: Literal["filters", "question"]
    type: Any
    written: Callable[[Content], str]
