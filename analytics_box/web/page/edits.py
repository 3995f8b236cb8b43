"""Notices when two people edit the same thing: a form carries the version of what it shows, and saving compares it."""

from collections.abc import Collection, Mapping
from hashlib import blake2b
from typing import Final

import msgspec
from msgspec import Struct

from analytics_box.base.errors import Conflict
from analytics_box.base.translation import _

# The hidden field of forms, as components/field.html writes it.
FIELD: Final = "version"
_CHANGED: Final = _(
    "Someone else changed this while you were editing. Open it in another tab to see their changes, "
    "or save again to overwrite them."
)


class EditConflict(Conflict):
    """Raised if a form was filled in from a version that is no longer stored."""


def version_of(row: object, *, without: Collection[str] = ()) -> str:
    """Return a short digest of everything that is stored about a thing, but for the fields that change by use."""
    if isinstance(row, Struct) and without:
        row = {name: getattr(row, name) for name in row.__struct_fields__ if name not in without}
    return blake2b(msgspec.json.encode(row, order="sorted"), digest_size=8).hexdigest()


def check_version(form: Mapping[str, str], row: object, *, without: Collection[str] = ()) -> None:
    """Compare the version that a form was filled in from with the stored row. Raises EditConflict.

    Forms without a version, such as those of scripts, are saved.
    """
    version = form.get(FIELD, "")
    if version and version != version_of(row, without=without):
        raise EditConflict(_CHANGED)


def shown_version(row: object, form: Mapping[str, str] | None = None, refused: Exception | None = None) -> str:
    """Return the version that a form carries: the posted one, or the current one after a conflict."""
    posted = (form or {}).get(FIELD, "")
    return version_of(row) if isinstance(refused, EditConflict) or not posted else posted
