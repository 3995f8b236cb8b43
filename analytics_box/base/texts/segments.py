"""Texts of segments: filters under a name."""

from collections.abc import Mapping
from typing import ClassVar

from analytics_box.base.texts.link_pages import ConfirmationTexts


class SegmentTexts:
    """The page of segments, and their part of the menu of filters."""

    title = "Segments of {site}"
    heading = "Segments"
    lead = "A segment is a set of filters under a name. Choose it in the menu “Filter” of the overview."
    menu = "Segments"
    manage = "All segments"
    save = "Save these filters"
    name = "Name"
    shared = "Share with the organization"
    shared_mark = "Shared"
    own_mark = "Only you"
    submit = "Save segment"
    empty_title = "No segments yet"
    empty = "Filter the overview, then save its filters from the menu “Filter”."
    show = "Show"
    edit = "Change"
    query = "Filters"
    query_help = "As in the address of the overview, such as country=Germany&path.contains=/blog."
    save_changes = "Save changes"
    delete_it = "Delete…"
    delete = ConfirmationTexts(
        "Delete the segment {name}?", "Addresses that name it say so, and show everything then.", "Delete {name}"
    )
    new = "New segment"
    no_filters = "Write at least one filter, such as country=Germany"
    back = "Back to the overview"
    between: ClassVar[Mapping[str, str]] = {"all": "and", "any": "or"}
    done: ClassVar[Mapping[str, str]] = {"saved": "The segment is saved.", "deleted": "The segment is deleted."}
