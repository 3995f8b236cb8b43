"""The form of a short link, and the preview beside it."""

from collections.abc import Mapping
from typing import ClassVar, Final


class LinkForm:
    """The form of a link."""

    new_title = "New link"
    edit_title = "Edit {name}"
    new_submit = "Create link"
    edit_submit = "Save changes"
    basics = "The link"
    target = "Target URL"
    target_help = "Such as shop.example/sale. Without http:// it gets https://."
    name = "Name"
    name_help = "For you, to find it again. Without a name the link has that of its target."
    domain = "Domain"
    own_host = "{host}/l/"
    slug = "Slug"
    slug_help = "3 to 50 letters, digits, _ and -. If empty, a slug of seven clear letters is generated."
    slug_edit_help = "Clicks on the old short URL get a page that says that there is no such link."
    folder = "Folder"
    tags = "Tags"
    tags_help = "Separated by commas."
    ends = "Expiry"
    expires = "Expires on"
    expires_help = "In {zone}, to the minute. Empty: never."
    most = "Click limit"
    most_help = "Clicks of people. Empty: no limit."
    expired = "Target after that"
    expired_help = "Empty: a page that says that the link has ended."
    ends_help = (
        "From then on nobody is redirected to a target. People who know the URL of the target, because they were "
        "redirected there before, still get there."
    )
    most_note = (
        "A limit is not a one-time secret. Each click of a person counts, also when the same person clicks again. Bots "
        "that identify themselves, previews where the link is shared, and prefetches are redirected too, and do not "
        "count. Bots that pass for browsers, such as mail scanners, use up clicks."
    )
    password = "Password"
    password_help = "4 to 128 characters. Visitors enter it every time before they are redirected."
    password_kept = "It has one. Type another to change it."
    password_note = (
        "It protects the short URL, not the target: whoever knows the URL of the target needs no password. What "
        "you write under “Social preview” is shown without it. A click counts once the password is right."
    )
    password_remove = "Remove the password"
    campaign = "Campaign"
    campaign_help = "These become utm_ parameters of every target and replace its own."
    utm: ClassVar[Mapping[str, tuple[str, str]]] = {
        "source": ("Source", "newsletter"),
        "medium": ("Medium", "email"),
        "campaign": ("Campaign", "spring_sale"),
        "term": ("Term", ""),
        "content": ("Content", ""),
    }
    forwarding = "Query parameters of the short URL"
    forwardings: ClassVar[Mapping[str, str]] = {
        "none": "Do not forward",
        "keep": "Forward; the target's own win",
        "override": "Forward; they replace the target's",
    }
    status = "Redirect type"
    statuses: ClassVar[Mapping[str, str]] = {
        "302": "302, temporary: browsers ask again",
        "307": "307, temporary, with the same method",
        "301": "301, permanent: browsers may remember it",
        "308": "308, permanent, with the same method",
    }
    targeting = "Targeting"
    rules = "Rules"
    rules_help = "The first rule whose conditions are all met decides. For everybody else the settings below apply."
    rule = "Rule {number}"
    rule_name = "Rule name"
    rule_target = "Target URL"
    condition = "Condition {number}"
    property = "Property"
    properties: ClassVar[Mapping[str, str]] = {
        "country": "Country",
        "region": "Region",
        "city": "City",
        "device": "Device",
        "system": "System",
        "browser": "Browser",
        "language": "Language",
    }
    operator = "Operator"
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
        "Several are separated by commas: DE, AT, CH. Put a value with a comma in quotes. "
        "Devices are desktop, mobile and tablet; de also means de-AT."
    )
    add_rule = "Add a rule"
    add_condition = "Add a condition"
    remove_condition = "Remove condition {number}"
    remove_rule = "Remove rule {number}"
    up = "Move rule {number} up"
    down = "Move rule {number} down"
    phones = "Phones"
    phones_help = "If no rule matches."
    ios = "Target for iPhones and iPads"
    android = "Target for Android"
    app = "Open in an app on phones"
    no_app = "No app"
    test = "A/B test"
    test_help = "Everybody else is assigned to a variant by its weight; a person gets the same variant again."
    variant = "Variant {number}"
    variant_name = "Name"
    variant_target = "Target URL"
    weight = "Weight"
    add_variant = "Add a variant"
    remove_variant = "Remove variant {number}"
    shared = "Social preview"
    shared_help = "What the link looks like in messengers and social networks. If empty, they show the target itself."
    og_title = "Title"
    og_description = "Description"
    og_image = "Image URL"
    og_video = "Video URL"
    notes = "Your own notes"
    external = "External ID"
    external_help = "The id of the link in your own systems."
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
    no_target = "Enter a target URL"
    no_number = "Enter a whole number, at least 1"
    no_weight = "Enter a whole number from 1 to 1000"
    no_date = "Enter a day and a time"
    short_password = "A password has 4 to 128 characters"
    no_conditions = "A rule needs a condition. Add one, or remove the rule"
    wrong = "This value is not valid: {message}"


class LinkPreview:
    """The live preview beside the form."""

    title = "Preview"
    lead = "Where a visitor would be redirected, with what is in the form. Nothing is saved or counted."
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
    query = "Query parameters"
    submit = "Show the target"
    goes = "would be redirected to"
    divided = "would be redirected to one of these"
    waiting = "Enter a target URL to see the preview."
    wrong = "As it stands the link would not be saved:"
    because: ClassVar[Mapping[str, str]] = {
        "rule": "by {name}",
        "iosUrl": "the target for iPhones and iPads",
        "androidUrl": "the target for Android",
        "app": "opened in {name}",
        "": "the link's target",
    }
    over = "The link has expired, so nobody is redirected there."
    asks = "Visitors enter the password first."
    share = "{share} of visitors"
    short = "Short URL"
    after_saving = "A slug will be generated."
    qr = "QR code of {address}"
    download: ClassVar[Mapping[str, str]] = {"png": "PNG", "svg": "SVG"}
    download_as = "Download the QR code as {form}"
