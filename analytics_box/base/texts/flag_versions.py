"""The history of a feature flag as a page: versions, what differs between two, and giving one back."""

from collections.abc import Mapping
from typing import ClassVar, Final

from analytics_box.base.texts.link_pages import ConfirmationTexts


class FlagVersions:
    """Words of the history page. Values stand in braces where the sentence has them."""

    title = "History"
    lead = "Every change of the flag, the newest first."
    version = "Version {number}"
    current = "as it is now"
    by = "{actor}, {at}"
    actions: ClassVar[Mapping[str, str]] = {
        "created": "Created",
        "updated": "Changed",
        "deleted": "Deleted",
        "restored": "Given back",
        "scheduled": "Changed by schedule",
        "imported": "Imported",
        "copied": "Copied",
    }
    the_box = "The box"
    gone_person = "Somebody who is gone"
    gone_key = "An API key that is deleted"
    first = "The first version that is kept."
    same = "Nothing that it decides by has changed."
    note = "Note"
    from_ = "Compare"
    to = "with"
    compare = "Show differences"
    pick_from = "Compare version {number}"
    pick_to = "Compare with version {number}"
    difference = "From version {before} to version {after}"
    no_difference = "Both are the same."
    restore = "Go back to version {number}"
    question: Final = ConfirmationTexts(
        "Go back to {name}?",
        "The flag decides again as it did then: {changes} Apps get it within 30 seconds. This makes a new version; the "
        "versions since then stay in the history.",
        "Go back to {name}",
    )
    nothing_changes = "Nothing changes by that."
    older = "Older versions"
    newest = "Newest versions"
    pages = "Pages of the history"
    no_version = "The history has no such version any more; old ones are not kept for ever"
