"""Every text that people read on a page, in one place; templates know it as `texts`.

Words: sentence case, verbs on buttons, a plain word where there is one; an error says what happened and what to do.
Names in {braces} are filled in with str.format.
"""

# ruff: noqa: S105  (labels of password fields, not passwords)

from collections.abc import Mapping
from typing import ClassVar

from analytics_box.identity import Scope


class App:
    """The frame around every page."""

    name = "Analytics Box"
    skip = "Skip to content"
    sites = "Websites"
    overview = "Overview"
    navigation = "Main"
    switch_to = "Other websites"
    account = "Account"
    signed_in_as = "Signed in as {email}"
    sign_out = "Sign out"
    api = "API description"
    shortcuts = "Keyboard shortcuts"
    close = "Close"


class SettingsArea:
    """The navigation of the settings."""

    title = "Settings"
    profile = "Profile"
    security = "Security"
    organization = "Organization"
    members = "Members"
    keys = "API keys"
    audit = "Audit log"


class Keys:
    """The help dialog: key and what it does, in the order shown."""

    title = "Keyboard shortcuts"
    rows = (
        ("d", "Today"),
        ("w", "Last 7 days"),
        ("m", "Last 30 days"),
        ("y", "This year"),
        ("c", "Compare with the previous period, or stop"),
        ("t", "Chart or table"),
        ("← →", "Move along the chart when it has the focus"),
        ("?", "This help"),
        ("Esc", "Close what is open"),
    )


class Form:
    """What all forms share."""

    summary = "Please check these fields:"
    show_password = "Show password"
    copy = "Copy"
    copied = "Copied"
    email = "E-mail"
    password = "Password"


class Setup:
    """The first page that a new box shows."""

    title = "Set up your box"
    lead = "Two minutes, then your first website is being measured. Nothing leaves this machine."
    you = "You"
    password_help = "At least 12 characters. A few words in a row are strong and easy to remember."
    organization = "Organization"
    organization_help = "Your name, your company or your project."
    website = "First website"
    website_name = "Name"
    website_name_help = "What you call it. You can add more websites later."
    domain = "Domain"
    domain_help = "Like example.com. Write localhost to try it on this machine first."
    submit = "Set up and continue"
    done_title = "Your box is ready"
    done_key = "Your API key"
    done_key_help = "It can do everything in your organization. It is shown only now, so keep it in a safe place."
    done_curl = "Ask for the last seven days"
    done_continue = "Continue to your website"


class SignIn:
    """Signing in."""

    title = "Sign in"
    submit = "Sign in"
    wrong = "This e-mail and password do not belong together. Check both and try again."
    plain_http = (
        "This box is reached over plain http, so others on the network could read your password. "
        "Set base_url to an https address before you use it for real."
    )
    forgotten = "Forgot your password?"
    changed = "Your password is changed. Sign in with the new one."
    code_title = "Second factor"
    code_lead = "Type the code that your authenticator app shows now, or one of your recovery codes."
    code = "Code"
    code_submit = "Continue"
    code_wrong = "This code does not work. Type the newest one; each works only once."
    code_back = "Start again"


class ApiKeys:
    """The list of API keys, their form, and what happens at their end."""

    title = "API keys"
    lead = "Programs use them to send events and to ask questions. Give each program its own, with only what it needs."
    add = "New key"
    empty_title = "No API keys yet"
    empty = "Make one to send events from a server, or to read your numbers from a program."
    name = "Name"
    name_help = "The program that will use it."
    description = "Notes"
    may = "May"
    where = "On"
    everywhere = "all websites"
    gone = "a website that is gone"
    made = "Made {when}"
    used = "Last used {when}"
    unused = "Never used"
    ends = "Ends {when}"
    ended = "Ended {when}"
    endless = "No end"
    revoked_at = "Revoked {when}"
    states: ClassVar[Mapping[str, str]] = {
        "works": "Works",
        "expired": "Expired",
        "disabled": "Disabled",
        "revoked": "Revoked",
    }
    edit = "Edit"
    edit_title = "Edit API key"
    new_title = "New API key"
    new_lead = "You will see its secret once, on the next page."
    new_submit = "Make key"
    edit_submit = "Save"
    cancel = "Cancel"
    scopes_title = "What it may do"
    groups: ClassVar[tuple[tuple[str, tuple[Scope, ...]], ...]] = (
        ("Analytics", ("read:data", "track:events")),
        ("Websites and settings", ("manage:websites", "manage:config", "manage:flags")),
        ("Links", ("read:links", "write:links")),
        ("Monitors", ("read:monitors", "write:monitors")),
        ("Status pages", ("read:status_pages", "write:status_pages")),
    )
    scopes: ClassVar[Mapping[str, str]] = {
        "read:data": "Read analytics",
        "track:events": "Send events",
        "read:links": "See short links",
        "write:links": "Change short links",
        "read:monitors": "See monitors",
        "write:monitors": "Change monitors",
        "read:status_pages": "See status pages",
        "write:status_pages": "Change status pages",
        "manage:websites": "Add, change and delete websites",
        "manage:flags": "Change feature flags",
        "manage:config": "Change settings of the organization",
    }
    reach = "Where"
    all_websites = "All websites of the organization, also later ones"
    some_websites = "Only these websites:"
    limits = "Limits"
    expires = "Last day"
    expires_help = "It stops working at the end of this day. Empty: no end."
    most = "Requests"
    most_help = "At most so many in these seconds. Empty: {usual} in a minute."
    window = "Seconds"
    no_scope = "Choose at least one thing that the key may do."
    no_website = "Choose at least one website, or all of them."
    no_number = "Write whole numbers."
    no_date = "Write a day like 2027-01-31."
    closed = "Owners and admins can give this."
    made_title = "Your new API key"
    rotated_title = "The new secret"
    secret = "Secret of {name}"
    secret_once = "It is shown only now. Keep it in a safe place; the box does not know it any more."
    example_track = "Send an event"
    example_query = "Ask for the last seven days"
    back = "Back to the keys"
    endings: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "rotate": {
            "button": "Rotate",
            "title": "Rotate {name}?",
            "text": "It gets a new secret. Programs that use the old one are refused from that moment on.",
            "submit": "Rotate {name}",
        },
        "revoke": {
            "button": "Revoke",
            "title": "Revoke {name}?",
            "text": "Programs that use it are refused from that moment on. This cannot be undone.",
            "submit": "Revoke {name}",
        },
        "delete": {
            "button": "Delete",
            "title": "Delete {name}?",
            "text": "It stops working and goes from this list. The audit log still knows of it.",
            "submit": "Delete {name}",
        },
    }
    done: ClassVar[Mapping[str, str]] = {
        "updated": "The key is changed.",
        "revoked": "The key is revoked.",
        "deleted": "The key is deleted.",
    }


class Sites:
    """The list of websites and the page that adds one."""

    title = "Websites"
    add = "Add website"
    visitors = "visitors"
    visitors_one = "visitor"
    range = "last 7 days"
    sparkline = "Visitors per day, last 7 days"
    waiting = "Waiting for the first event"
    empty_title = "No websites yet"
    empty = "Add one, paste a line of HTML into its pages, and see its visitors here."
    new_title = "Add a website"
    new_lead = "You will get one line of HTML to paste into its pages."
    name_help = "What you call it."
    new_submit = "Add website"
    cancel = "Cancel"


class WebsiteSettings:
    """The settings page of a website."""

    short = "Configure"
    heading = "Website settings"
    title = "{site} · Settings"
    saved = "Saved."
    save = "Save changes"
    website = "Website"
    domain_help = "Pages of this domain and its subdomains may send events."
    public = "Anybody may see its figures"
    public_help = "Strangers who know its id can ask for totals, never for single visits. Off unless you want that."
    tracking = "Tracking"
    tracking_help = "One entry per line. An empty field has no effect."
    lists: ClassVar[Mapping[str, tuple[str, str, str]]] = {
        "allowedOrigins": (
            "Further origins that may send",
            "Other places your pages are shown, like https://app.example.net or *.example.net. With any entry here, "
            "events have to come from a browser page: those without an Origin header are refused.",
            "https://app.example.net",
        ),
        "allowedIps": (
            "Only these addresses may send",
            "Addresses or ranges like 203.0.113.0/24. Everybody else is refused, so this suits an intranet.",
            "203.0.113.0/24",
        ),
        "ignoredIps": (
            "Ignored addresses",
            "Visits from here are not counted: your office, your own connection.",
            "203.0.113.7",
        ),
        "ignoredPaths": (
            "Ignored paths",
            "Pages that are not counted. A star stands for anything: /admin/* is /admin and all below it.",
            "/admin/*",
        ),
        "ignoredTrackingOrigins": (
            "Ignored origins",
            "Copies of your site that are not counted, like a staging server.",
            "https://staging.example.com",
        ),
    }
    visitor_ids = "Visitor ids"
    visitor_modes: ClassVar[Mapping[str, tuple[str, str]]] = {
        "auto": (
            "Take the id that a client sends",
            "The script sends none, so its visitors are told apart by a hash that is new each day. Your own code may "
            "send one.",
        ),
        "cookieless": (
            "Cookieless only",
            "Ids of visitors and sessions that clients send are dropped when they arrive.",
        ),
    }
    retention = "Keep events for"
    retention_help = (
        "Days. Older events are removed within a few hours and cannot be brought back. Empty keeps them for ever."
    )
    retention_wrong = "Write a number of days from 1 to {most}, or leave it empty"
    client_id = "Client id"
    client_id_help = "The name under which the script on your pages sends events."
    snippet = "Snippet"
    rotated = "The client id is new. Paste the line below into your pages in place of the old one."
    rotate = "Rotate client id"
    rotate_help = (
        "If somebody sends false events under your client id, give your pages a new one. The old one is accepted for "
        "{days} more days, so that you have time to change your pages. Keys and addresses of the API stay as they are."
    )
    old = "Old client ids"
    old_accepted = "accepted until {day}"
    old_ended = "not accepted since {day}"
    old_seen = "last used {time}"
    old_unseen = "not used since the rotation"
    delete = "Delete website"
    delete_help = (
        "It stops taking events at once. For {days} days you can restore it from the list of websites; "
        "then its events are removed for good."
    )
    delete_help_now = "It stops taking events at once, and its events are removed for good within the hour."
    delete_confirm = "Type {name} to confirm"
    delete_wrong = "Type the website's name, {name}, exactly as it is"
    deleted = "Deleted websites"
    deleted_until = "can be restored until {day}"
    restore = "Restore"


class Organizations:
    """An organization's settings, and turning to another one."""

    title = "Organization"
    name = "Name"
    slug = "Short name"
    slug_help = "Letters a–z, digits and hyphens."
    zone = "Time zone of new members"
    zone_help = (
        "Like Europe/Berlin. Whoever is invited starts with it unless their browser names another; empty for UTC."
    )
    plan = "Plan"
    plans: ClassVar[Mapping[str, str]] = {"free": "Free: without error tracking", "hobby": "Hobby: everything"}
    plan_help = "Only the administrator of this box can change it."
    submit = "Save"
    read_only = "Your role here is {role}. Owners and admins can change these settings."
    more = "More organizations"
    more_help = (
        "Websites, members and keys of another organization are apart from those of this one. You will be its owner."
    )
    new_name = "Name of the new organization"
    new_submit = "Add organization"
    danger = "Danger zone"
    leave = "Leave this organization"
    leave_help = "You lose access to its websites. An owner or admin can invite you again."
    leave_text = "You will lose access to its websites at once. An owner or admin can invite you again."
    confirm = "Yes, continue"
    cancel = "Cancel"
    current = "This organization"
    switch = "Your organizations"
    done: ClassVar[Mapping[str, str]] = {"saved": "Saved.", "made": "The organization is ready. Add its first website."}
    roles: ClassVar[Mapping[str, str]] = {"owner": "Owner", "admin": "Admin", "member": "Member", "viewer": "Viewer"}
    test_subject = "Analytics Box can send mail"
    test_text = "This message was sent to try the mail server of {url}. There is nothing to do.\n"


class Members:
    """The people of an organization."""

    title = "Members"
    list = "People"
    joined = "since {when}"
    you = "You"
    role_of = "Role of {email}"
    set_role = "Set role"
    remove = "Remove member"
    remove_short = "Remove"
    remove_label = "Remove {email}"
    remove_text = "{email} will lose access to this organization at once."
    invite = "Invite somebody"
    invite_help = "They get a link that works once, for 7 days."
    role = "Role"
    role_help = "Viewers read, members also set up tracking, admins change everything but owners."
    submit = "Make invitation"
    link = "Link for {email}"
    link_help = "Send them this link. It is shown only now, and whoever has it can join."
    emailed = "It was also sent by e-mail."
    waiting = "Waiting invitations"
    until = "until {when}"
    expired = "expired {when}"
    revoke = "Revoke"
    revoke_label = "Revoke the invitation of {email}"
    done: ClassVar[Mapping[str, str]] = {
        "revoked": "The invitation does not work any more.",
        "role": "The role was changed.",
        "removed": "The member was removed.",
    }


class Invitations:
    """The page behind an invitation's link, and the letter that brings it."""

    title = "Join {organization}"
    lead = "You were invited as {role}."
    new = "Choose a password; you will sign in with {email}."
    known = "There is an account with {email}. Sign in to accept."
    stranded = "There is an account with {email}. Enter its password to accept, then sign in."
    wrong = "This is not the password of the account"
    other = "The invitation is for {email}, and you are signed in as {own}. Sign out and open the link again."
    as_you = "You are signed in as {own}."
    accept = "Accept invitation"
    sign_in = "Sign in to accept"
    letter_subject = "Invitation to {organization} on Analytics Box"
    letter = (
        "{inviter} invites you to {organization} on {host}, where its web analytics are.\n\n"
        "Open this link to join; it works once, for 7 days:\n{url}\n\n"
        "If you do not expect this message, ignore it.\n"
    )


class Overview:
    """One website's overview."""

    title = "{site} · Overview"
    online = "{count} online now"
    online_help = "Visitors with an event in the last 5 minutes"
    not_live = "not live, trying again"
    range = "Time range"
    days = "Days"
    weeks_and_months = "Weeks and months"
    own_dates = "Own dates"
    first_day = "First day"
    last_day = "Last day"
    apply = "Show"
    zone = "Times in {zone}"
    use_zone = "Use {zone}, this browser's zone"
    compare = "Compare"
    compare_help = "Compare with the previous period"
    figures = "Figures"
    before = "from {value}"
    before_whole = "Day before: {value}"
    unchanged = "no change"
    higher = "up"
    lower = "down"
    unfinished_day = "today so far"
    unfinished_hour = "this hour so far"
    unfinished = "so far"
    date = "Date"
    previous_column = "Previous"
    as_table = "View as table"
    as_chart = "View as chart"
    chart_label = "{metric}, {range}"
    chart_help = "Use the arrow keys to move along the chart"
    table_label = "{metric} as a table"
    more = "Show more"
    fewer = "Show fewer"
    loading = "Loading {panel}"
    load = "Load this panel"
    failed = "This panel could not be loaded."
    retry = "Try again"


class Metrics:
    """Names of the figures, by their name in the query's answer."""

    names: ClassVar[Mapping[str, str]] = {
        "visitors": "Visitors",
        "pageviews": "Page views",
        "sessions": "Sessions",
        "bounce_rate": "Bounce rate",
        "median_session_duration": "Median duration",
    }


class Ranges:
    """The presets of spec 2.8, and how a range of own dates is called."""

    names: ClassVar[Mapping[str, str]] = {
        "today": "Today",
        "yesterday": "Yesterday",
        "last_7d": "Last 7 days",
        "last_14d": "Last 14 days",
        "last_30d": "Last 30 days",
        "last_90d": "Last 90 days",
        "this_week": "This week",
        "last_week": "Last week",
        "this_month": "This month",
        "last_month": "Last month",
        "this_year": "This year",
    }
    months = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
    weekdays = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


class Panels:
    """The lists below the chart: tab, what is counted, and what an empty one says."""

    tabs: ClassVar[Mapping[str, str]] = {
        "pages": "Top pages",
        "sources": "Sources",
        "browsers": "Browsers",
        "systems": "Systems",
        "events": "Custom events",
    }
    counted: ClassVar[Mapping[str, str]] = {
        "pages": "Visitors",
        "sources": "Visitors",
        "browsers": "Visitors",
        "systems": "Visitors",
        "events": "Events",
    }
    empty: ClassVar[Mapping[str, str]] = {
        "pages": "No page was viewed in this range.",
        "sources": "No visit in this range, so no source either.",
        "browsers": "No browser was seen in this range.",
        "systems": "No system was seen in this range.",
        "events": "No custom event in this range. Send one from your page with {call}.",
    }
    event_call = 'databuddy.track("signup")'
    unknown = "Unknown"


class Snippet:
    """The line to paste, and the wait for the first event."""

    title = "Paste this line into your pages"
    lead = "Put it into the <head> of every page of {domain}. It sets no cookie and stores nothing in the browser."
    label = "Snippet for {domain}"
    waiting = "Waiting for the first event"
    waiting_help = "Open a page that has the line. This page turns into the overview by itself."
    waiting_plain = "Open a page that has the line, then reload this page."
    local = "Visits from localhost are counted, because this website's domain is localhost."
    summary = "Snippet to paste"


class Errors:
    """Error pages: title, what happened, what to do."""

    pages: ClassVar[Mapping[int, tuple[str, str, str]]] = {
        403: ("You cannot see this", "Your account has no access to this page.", "Ask whoever looks after this box."),
        404: ("Nothing here", "This page does not exist, or it is gone.", "Check the address, or go back."),
        429: (
            "Too many tries",
            "That was more than this box allows in so short a time.",
            "Wait a little, then try again.",
        ),
        500: (
            "Something broke",
            "The box ran into an error of its own. Your data is safe.",
            "Try again. If it stays, look into the log for the request below.",
        ),
        503: ("Busy right now", "The box has more to do than it can.", "Try again in a few seconds."),
    }
    other = ("This did not work", "The request could not be answered.", "Go back and try again.")
    expired = (
        "This setup link has expired",
        "A setup link works once and for 24 hours.",
        "Restart the box: it prints a new link where it was started.",
    )
    invitation = (
        "This invitation does not work",
        "A link works once and for 7 days, and whoever made it can revoke it.",
        "Ask for a new one.",
    )
    not_set_up = (
        "This box is not set up yet",
        "Its setup link was printed where the box was started.",
        "Open that link to create the first account.",
    )
    home = "Go to your websites"
    request = "Request {id}"


class Reset:
    """A new password by a one-time link."""

    title = "Choose a new password"
    lead = "For {email}. You will be signed out everywhere."
    new = "New password"
    submit = "Save the password"
    forgot_title = "Forgot your password?"
    forgot_lead = "You will get an e-mail with a link that works once, for an hour."
    forgot_submit = "Send the link"
    forgot_sent_title = "Look into your mailbox"
    forgot_sent = "If there is an account with this address, a link is on its way. It works once, for an hour."
    no_mail = "This box sends no e-mail, so it cannot send you a link."
    no_mail_ask = "Ask whoever runs the box for one. They get it on the box's machine with this command:"
    command = "analytics-box user reset-password {email}"
    command_label = "Command"
    back = "Back to the sign-in"
    mail_subject = "A new password for Analytics Box"
    mail_text = (
        "Somebody, hopefully you, asked for a new password for {email}.\n\n"
        "Open this link within an hour to choose one. It works once:\n\n{link}\n\n"
        "If it was not you, do nothing: your password stays as it is.\n"
    )
    expired = (
        "This link does not work any more",
        "A link for a new password works once and for an hour, and only the newest one does.",
        "Ask for a new one.",
    )


class Profile:
    """How pages look for one person."""

    title = "Profile"
    email = "E-mail"
    email_help = "This is what you sign in with."
    zone = "Time zone"
    zone_help = "Days begin and end in this zone. It is {zone} now."
    zone_auto = "Automatic: this browser's, taken over when you sign in"
    date_format = "Dates"
    time_format = "Times"
    theme = "Theme"
    themes: ClassVar[Mapping[str, str]] = {"system": "As the system", "light": "Light", "dark": "Dark"}
    submit = "Save"
    saved = "Saved."


class Security:
    """Password, second factor and sessions of one person."""

    title = "Security"
    device = "{browser} on {system}"
    some_browser = "A browser"
    some_system = "an unknown system"
    some_device = "Unknown device"
    kinds: ClassVar[Mapping[str, str]] = {"mobile": "phone", "tablet": "tablet"}
    password = "Password"
    current = "Current password"
    current_wrong = "This is not your password"
    new = "New password"
    change = "Change the password"
    change_help = "All other sessions end when you change it."
    factor = "Second factor"
    factor_off = "Off. With it, signing in also needs a code from an app on your phone."
    factor_on = "On. Signing in needs a code from your app."
    codes_left = "{count} of {all} recovery codes are left."
    factor_begin = "Set up the second factor"
    factor_renew = "Make new recovery codes"
    factor_remove = "Turn it off"
    factor_password = "Your password"
    scan_title = "Set up the second factor"
    scan = "Scan this with an authenticator app, or type the key into it. Then type the code that it shows."
    scan_label = "QR code for your authenticator app"
    key = "Key"
    code = "Code from the app"
    confirm = "Turn it on"
    cancel = "Cancel"
    codes_title = "Your recovery codes"
    codes_lead = "Each works once instead of a code from the app, for the day you lose your phone."
    codes_warning = "They are shown only now. Keep them in a safe place, not on the phone itself."
    codes_label = "Recovery codes"
    codes_done = "I have kept them"
    sessions = "Sessions"
    sessions_lead = "Browsers that are signed in to your account. One ends 7 days after its last use, or after 30."
    this_one = "this browser"
    began = "Signed in {when}"
    seen = "last seen {when}"
    end = "End"
    end_label = "End the session of {device}, signed in {when}"
    end_others = "End all other sessions"
    done: ClassVar[Mapping[str, str]] = {
        "password": "Your password is changed, and all other sessions have ended.",
        "removed": "The second factor is off, and all other sessions have ended.",
        "ended": "The session has ended.",
        "others": "All other sessions have ended.",
    }


class Docs:
    """The description of the API."""

    title = "API"
    navigation = "Parts of the API"
    overview = "Overview"
    lead = "Everything that this box (version {version}) does over HTTP."
    document = "The same as an OpenAPI document"
    asking = "Who asks"
    asking_text = (
        "Send an API key in the header x-api-key, or in Authorization after the word Bearer. A key needs the scope "
        "that an operation names. A signed-in person needs the role."
    )
    procedures = "Procedures"
    procedures_text = (
        "The groups with lower-case names hold procedures. Each takes and answers plain JSON under its own path. The "
        "path with /rpc in front also speaks the form of oRPC clients: an object with json, and with meta where there "
        "are dates."
    )
    all = "All operations"
    refusals = "Refusals"
    refusals_text = "Every refusal says success: false, error in words, code for programs, and requestId."
    command = "Command"
    needed = "needed"
    also = "In the oRPC form:"
    parameters = "Parameters"
    body = "Body"
    answer = "Answer"
    example = "Example"
    statuses = "Statuses"


class AuditLog:
    """The page of the audit log."""

    title = "Audit log"
    lead = "Every change to keys, websites, members and settings. Nothing can be changed or removed here."
    who = "Who"
    what = "What"
    subject = "Of"
    first = "From"
    last = "To"
    any = "All"
    filter = "Show"
    clear = "Show everything"
    newest = "Newest"
    older = "Older"
    became = "became"
    yes = "yes"
    no = "no"
    nothing = "nothing"
    by_key = "API key {name}"
    by_nobody = "Somebody who is gone"
    empty_title = "No entries"
    empty = "Nothing has been changed yet."
    empty_filtered = "No change matches these filters."
    others: ClassVar[Mapping[str, str]] = {"command line": "Command line", "setup link": "First setup"}
    actions: ClassVar[Mapping[str, str]] = {
        "created": "created",
        "updated": "changed",
        "rotated": "rotated",
        "revoked": "revoked",
        "deleted": "deleted",
    }
    subjects: ClassVar[Mapping[str, str]] = {"api_key": "API key", "preferences": "own preferences"}
