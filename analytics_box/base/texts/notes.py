"""Notes on the charts of a website."""

from collections.abc import Mapping
from typing import ClassVar

from analytics_box.base.texts.link_pages import ConfirmationTexts


class NoteTexts:
    """Notes: on the chart, below it, and on a page of their own."""

    title = "Notes: {site}"
    heading = "Notes"
    lead = "What happened to {site}: deployments, campaigns, outages of others. Notes are flags on its charts."
    period = "{start} – {end}"
    add = "Add a note"
    text = "What happened"
    text_hint = "Version 2.1 is out"
    day = "Day"
    time = "Time"
    time_help = "Empty: the whole day"
    until = "Until (if it lasted)"
    until_time = "Until, time"
    zone = "Times are in {zone}."
    color = "Colour"
    colors: ClassVar[Mapping[str, str]] = {
        "#3B82F6": "Blue",
        "#16A34A": "Green",
        "#D97706": "Amber",
        "#DC2626": "Red",
        "#9333EA": "Violet",
    }
    other_color = "Another colour"
    public = "Everybody may read it"
    public_help = "The figures of this website are public. Without this, only members see the note."
    is_public = "Public"
    save_new = "Add note"
    save = "Save"
    cancel = "Cancel"
    delete = "Delete"
    delete_label = "Delete note: {text}"
    delete_note = ConfirmationTexts("Delete the note {name}?", "It goes from all charts.", "Delete {name}")
    edit = "Edit"
    edit_label = "Edit note: {text}"
    edit_title = "Edit note"
    when = "When"
    actions = "Actions"
    later = "Later"
    earlier = "Earlier"
    pages = "Further notes"
    empty_title = "No notes yet"
    empty = "Write down what changes your figures, and you will know next year why a line bends."
    empty_viewer = "Members of your organization can write down what changes the figures."
    back = "Back to {site}"
    more = "and {count} more"
    all = "All notes"
    in_range = "Notes in this range"
    flag = "Note"
    deployments = "Note every deployment by itself"
    deployments_help = "With an API key that may manage this website (scope manage:websites):"
    deployments_command = "Command"
    deployments_example = "Deployed 2.1"
    done: ClassVar[Mapping[str, str]] = {
        "added": "The note is on the charts.",
        "saved": "Saved.",
        "deleted": "The note is deleted.",
    }
