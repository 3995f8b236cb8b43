"""The pages about identified visitors of a website."""


class People:
    """The list of identified visitors, one of them, and the question before somebody is removed."""

    short = "Visitors"
    title = "{site} · Visitors"
    heading = "Visitors"
    lead = (
        "Visitors whom your pages or servers have identified. What they said of somebody is sealed on the disk and "
        "shown to members only. All other visitors stay nameless."
    )
    search = "Profile id or e-mail address"
    search_help = "The beginning of an id, or a whole address."
    submit = "Search"
    clear = "Show all"
    found = "Found visitors"
    everybody = "All, the latest identified first"
    identified = "identified {when}"
    earlier = "Earlier"
    later = "Latest"
    empty_title = "Nobody is identified yet"
    empty = "Call databuddy.identify('your-id', {email, name}) in your pages, or identify() in a server's client."
    empty_search_title = "Nobody matches"
    empty_search = "Search for the beginning of a profile id, or for a whole e-mail address."
    device = "A device without a name"
    device_help = (
        "Somebody can tell you the id that their browser sends: the value of “did” in its local storage. What came "
        "with it today and yesterday can be found, and all of it where ids are not anonymized."
    )
    device_id = "anonymousId"
    device_export = "Export"
    device_delete = "Remove…"
    person_title = "{name}: {site}"
    back = "All visitors"
    profile_id = "Profile id"
    email = "E-mail address"
    first = "First known"
    last = "Last identified"
    traits = "Traits"
    no_traits = "Nothing else is known."
    unreadable = (
        "What is known of this visitor was sealed with another key. Put the file secret.key back that belongs to this "
        "data directory."
    )
    visitors = "Visitor ids"
    no_visitors = "Only servers have identified this visitor; no visitor id is linked."
    visitor_one = "One visitor id is linked: what it did counts as this visitor’s."
    visitors_many = "{count} visitor ids are linked: what they did counts as this visitor’s."
    rights = "Export and removal"
    rights_help = (
        "The export is everything that this box keeps of the visitor, as JSON: traits, events, measurements, errors. "
        "Removal deletes the same, and cannot be undone."
    )
    export = "Export as JSON"
    delete = "Remove this visitor…"
    confirm_title = "Remove {who}?"
    confirm = (
        "Everything that {site} keeps of this visitor goes: who they are, and every event, measurement and error of "
        "their visits. Figures of past days get smaller. This cannot be undone."
    )
    confirm_device_title = "Remove what came with {who}?"
    confirm_device = (
        "Every event, measurement and error goes that {site} got with this id today and yesterday, or at any time "
        "where ids are not anonymized. This cannot be undone."
    )
    backups = "Backups and exports that you made keep what they have; delete those yourself."
    remove = "Remove for good"
    cancel = "Cancel"
    done = "Removed, with {count} rows. The audit log has it as {id}."
    done_here = (
        "Removed from this box, with {count} rows. ClickHouse or another machine, which cannot be asked now, still has "
        "earlier events: they go as soon as it can be, and then the audit log has the removal as {id}."
    )
    nothing_given = "Enter the id."
    yes = "yes"
    no = "no"
