"""The form of a short link, and the preview beside it."""

from collections.abc import Mapping
from typing import ClassVar, Final


class LinkForm:
    """The form of a link."""

    new_title = "New link"
    edit_title = "Edit {name}"
    new_submit = "Make the link"
    edit_submit = "Save changes"
    basics = "The link"
    target = "Leads to"
    target_help = "A whole address, such as https://shop.example/sale"
    name = "Name"
    name_help = "For you, to find it again. Without one it is called like its target."
    domain = "Domain"
    own_host = "{host}/l/"
    slug = "Slug"
    slug_help = "3 to 50 letters, digits, _ and -. Left empty, the link gets seven clear letters."
    slug_edit_help = "Whoever uses the old address is told that it leads nowhere."
    folder = "Folder"
    tags = "Tags"
    tags_help = "Separated by commas."
    ends = "When it ends"
    expires = "Ends on"
    expires_help = "In {zone}, to the minute. Empty: never."
    most = "After so many clicks"
    most_help = "Of people. Empty: any number."
    expired = "Then leads to"
    expired_help = "Empty: a page that says that the link has ended."
    ends_help = (
        "From then on nobody is led to a target, whoever asks. People who know the target's own address, for they were "
        "led there before, still get there."
    )
    most_note = (
        "A limit is not a one-time secret. What people open counts, also when the same person opens it again. Programs "
        "that say what they are, previews where the link is shared, and prefetches are led to the target too, and do "
        "not count. Programs that pass for browsers, such as scanners of mail, use clicks up."
    )
    password = "Password"
    password_help = "4 to 128 characters. Asked for every time before the link leads on."
    password_kept = "It has one. Type another to change it."
    password_note = (
        "It guards the short address, not the target: whoever knows the target's own address needs no password. What "
        "you write under “Where it is shared” is shown without it. A click counts once the password is right."
    )
    password_remove = "Ask for no password any more"
    campaign = "Campaign"
    campaign_help = "These become utm_ parameters of every target, in the place of what it has of them."
    utm: ClassVar[Mapping[str, tuple[str, str]]] = {
        "source": ("Source", "newsletter"),
        "medium": ("Medium", "email"),
        "campaign": ("Campaign", "spring_sale"),
        "term": ("Term", ""),
        "content": ("Content", ""),
    }
    forwarding = "Parameters of the short address"
    forwardings: ClassVar[Mapping[str, str]] = {
        "none": "Leave out",
        "keep": "Pass on; the target's own stay",
        "override": "Pass on, in the place of the target's",
    }
    status = "Kind of redirect"
    statuses: ClassVar[Mapping[str, str]] = {
        "302": "302, for now: browsers ask again",
        "307": "307, for now, with the same method",
        "301": "301, for good: browsers may remember it",
        "308": "308, for good, with the same method",
    }
    targeting = "Who goes elsewhere"
    rules = "Rules"
    rules_help = "The first rule whose conditions all hold decides. Everybody else goes on as below."
    rule = "Rule {number}"
    rule_name = "Name of the rule"
    rule_target = "Leads to"
    condition = "Condition {number}"
    property = "What"
    properties: ClassVar[Mapping[str, str]] = {
        "country": "Country",
        "region": "Region",
        "city": "City",
        "device": "Device",
        "system": "System",
        "browser": "Browser",
        "language": "Language",
    }
    operator = "How"
    operators: ClassVar[Mapping[str, str]] = {
        "in": "is one of",
        "not_in": "is none of",
        "equals": "is exactly",
        "contains": "contains",
        "starts_with": "starts with",
        "ends_with": "ends with",
        "exists": "is known",
        "not_exists": "is not known",
    }
    value = "Values"
    value_help = (
        "Several are separated by commas: DE, AT, CH. Devices are desktop, mobile and tablet; de also means de-AT."
    )
    add_rule = "Add a rule"
    add_condition = "Add a condition"
    remove_condition = "Remove condition {number}"
    remove_rule = "Remove rule {number}"
    up = "Move rule {number} up"
    down = "Move rule {number} down"
    phones = "Phones"
    phones_help = "Where no rule holds."
    ios = "iPhones and iPads lead to"
    android = "Android devices lead to"
    app = "Open in an app on phones"
    no_app = "In no app"
    test = "A/B test"
    test_help = "Everybody else is divided among these by their weights; the same person is led to the same one again."
    variant = "Variant {number}"
    variant_name = "Name"
    variant_target = "Leads to"
    weight = "Weight"
    add_variant = "Add a variant"
    remove_variant = "Remove variant {number}"
    shared = "Where it is shared"
    shared_help = "What the link looks like in messengers and networks. Left empty, they show the target itself."
    og_title = "Title"
    og_description = "Description"
    og_image = "Address of a picture"
    og_video = "Address of a video"
    notes = "Your own notes"
    external = "External id"
    external_help = "By which your own programs know the link."
    labels: ClassVar[Mapping[str, str]] = {  # of the fields below targeting, in their order, for the list of mistakes
        "variants": test,
        "iosUrl": ios,
        "androidUrl": android,
        "deepLinkApp": app,
        **{f"utm.{field}": label for field, (label, _) in utm.items()},
        "queryForwarding": forwarding,
        "expiresAt": expires,
        "maxClicks": most,
        "expiredRedirectUrl": expired,
        "password": password,
        "redirectStatus": status,
        "ogTitle": og_title,
        "ogDescription": og_description,
        "ogImageUrl": og_image,
        "ogVideoUrl": og_video,
        "externalId": external,
    }
    unnamed_rule = "Rule {number}"
    unnamed_variants: Final = "ABCDEFGHIJKLMNOPQRST"
    no_target = "Say where the link leads to"
    no_number = "Write a whole number, at least 1"
    no_weight = "Write a whole number from 1 to 1000"
    no_date = "Write a day and a time"
    short_password = "A password has 4 to 128 characters"
    no_conditions = "A rule needs a condition; else remove it"
    wrong = "This does not fit here: {message}"


class LinkPreview:
    """The live preview beside the form."""

    title = "Preview"
    lead = "Where a visit would be led, with what stands in the form. Nothing is saved or counted."
    visitor = "A visitor"
    country = "From"
    country_hint = "Germany or DE"
    device = "With"
    devices: ClassVar[Mapping[str, str]] = {
        "": "Any device",
        "desktop": "A computer",
        "mobile": "A phone",
        "tablet": "A tablet",
    }
    system = "System"
    systems: ClassVar[Mapping[str, str]] = {
        "": "Any system",
        "Windows": "Windows",
        "macOS": "macOS",
        "Linux": "Linux",
        "iOS": "iOS",
        "Android": "Android",
    }
    language = "Language"
    query = "Parameters they bring"
    submit = "Show where it leads"
    goes = "would go to"
    divided = "would go to one of these"
    waiting = "Say where the link leads to, and this shows the way."
    wrong = "As it stands the link would not be saved:"
    because: ClassVar[Mapping[str, str]] = {
        "rule": "by {name}",
        "iosUrl": "the target for iPhones and iPads",
        "androidUrl": "the target for Android",
        "app": "opened in {name}",
        "": "the link's target",
    }
    over = "The link has ended, so nobody is led there."
    asks = "The password is asked for before."
    share = "{share} of visitors"
    short = "Short address"
    after_saving = "The slug is drawn when the link is made."
    qr = "QR code of {address}"
    download: ClassVar[Mapping[str, str]] = {"png": "PNG", "svg": "SVG"}
    download_as = "Download the QR code as {form}"
