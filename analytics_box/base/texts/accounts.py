"""First setup, signing in, a forgotten password, profile and security."""

from collections.abc import Mapping
from typing import ClassVar


class Setup:
    """The first page that a new box shows."""

    title = "Set up your box"
    lead = "Three answers, then your first website is being measured. Nothing leaves this machine."
    password_help = "At least 12 characters. A few words in a row are strong and easy to remember."
    website_name = "Name"
    domain = "Domain"
    own_domain = "Domain of your website"
    domain_help = "Like example.com. Write localhost to try it on this machine first."
    example = "Also add an example website"
    example_help = "90 days of made-up visits to look around in. Delete it whenever you like."
    submit = "Set up and continue"
    reached: ClassVar[Mapping[str, str]] = {
        "https": "People reach this box over https, at {address}.",
        "local": (
            "This box is at {address}, for this machine alone. To measure a website on the internet, give it a name "
            "with https: pages that come over https load the script only over https."
        ),
        "plain": (
            "This box is reached over plain http, at {address}: others on the network can read your password. "
            "Give it a name with https before you use it for real."
        ),
    }


class SignInTexts:
    """Signing in."""

    title = "Sign in"
    submit = "Sign in"
    wrong = "This e-mail and password do not belong together. Check both and try again."
    plain_http = (
        "This box is reached over plain http, so others on the network could read your password. "
        "Set base_url to an https address before you use it for real."
    )
    forgotten = "Forgot your password?"
    changed = "Your password is saved. Sign in with it."
    kept = "Your session has ended. Sign in: what you typed is kept for half an hour."
    code_title = "Second factor"
    code_lead = "Type the code that your authenticator app shows now, or one of your recovery codes."
    code = "Code"
    code_submit = "Continue"
    code_wrong = "This code does not work. Type the newest one; each works only once."
    code_back = "Start again"


class Reset:
    """A new password by a one-time link."""

    title = "Choose a new password"
    lead = "For {email}. You will be signed out everywhere."
    first_title = "Choose a password"
    first_lead = "This is your account: {email}. You will sign in with that address and this password."
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
        "Password links work once, for a limited time.",
        "Ask for a new one.",
    )


class Profile:
    """The display preferences of a user."""

    title = "Profile"
    email = "E-mail"
    name = "Name"
    name_help = "Members of your organizations see it beside your address. It can be empty."
    zone = "Time zone"
    zone_help = "Days begin and end in this zone. It is {zone} now."
    zone_auto = "Automatic: this browser's, taken over when you sign in"
    date_format = "Dates"
    time_format = "Times"
    theme = "Theme"
    themes: ClassVar[Mapping[str, str]] = {"system": "System", "light": "Light", "dark": "Dark"}
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
    factor_renew = "Create new recovery codes"
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
