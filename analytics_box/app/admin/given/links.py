"""Inputs of `link …`."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from analytics_box.app.admin.given.words import Text
from analytics_box.products.links.link import Tag

MOST_LISTED = 1_000
Fields = dict[str, Any]  # of a link, by their names in the API


class SomeLinks(Struct, frozen=True, forbid_unknown_fields=True):
    """The newest first. The organization can be left out where there is only one."""

    organization: Text | None = None
    search: Text | None = None
    tag: Tag | None = None
    limit: Annotated[int, Meta(ge=1, le=MOST_LISTED)] = 100


class MadeLink(Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of links.create; `folder` is the name or the id of one, and wins over folderId."""

    fields: Fields
    folder: Text | None = None
    organization: Text | None = None


class EditedLink(Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of links.update; what is not given stays."""

    link: Text
    fields: Fields
    folder: Text | None = None


class NamedLink(Struct, frozen=True, forbid_unknown_fields=True):
    """A link by its id, its slug or its short URL."""

    link: Text


class ImportedLinks(Struct, frozen=True, forbid_unknown_fields=True):
    """A file as links.import takes it. `domain` may be empty, for the box's own host."""

    content: str
    format: Literal["csv", "json"] = "csv"
    dry_run: bool = False
    domain: Annotated[str, Meta(max_length=255)] | None = None
    organization: Text | None = None


class ExportedLinks(Struct, frozen=True, forbid_unknown_fields=True):
    """The piece of an export that begins after the link with this number."""

    format: Literal["csv", "json"] = "csv"
    after: int = 0
    folder: Text | None = None
    organization: Text | None = None
