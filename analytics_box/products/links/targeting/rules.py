"""The choice of a link's destination for a visit, and its query string. Pure: no clock, no database, no request.

Of a destination only the query changes: scheme, host, port, path and fragment stay as the link has them.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Annotated, Final, Literal, Protocol
from urllib.parse import parse_qsl, quote, quote_plus, unquote_plus

from msgspec import Meta, Struct

from analytics_box.base.urls import url_parts

MOST_RULES, MOST_CONDITIONS, MOST_VALUES, MOST_VARIANTS = 50, 10, 100, 20

Property = Literal["country", "region", "city", "device", "system", "browser", "language"]
# The operators of feature flags (wire 6), on texts without regard to case.
Operator = Literal["equals", "contains", "starts_with", "ends_with", "in", "not_in", "exists", "not_exists"]
Url = Annotated[str, Meta(min_length=1, max_length=4096)]
_Value = Annotated[str, Meta(max_length=255)]
Label = Annotated[str, Meta(min_length=1, max_length=64)]


class TargetCondition(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A condition on a visitor. `country` is its ISO 3166 code or its English name."""

    property: Property
    operator: Operator
    value: _Value = ""
    values: Annotated[tuple[_Value, ...], Meta(max_length=MOST_VALUES)] = ()


class TargetRule(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Visitors who meet all conditions are redirected to this target; the first rule that matches counts."""

    name: Label
    targetUrl: Url
    conditions: Annotated[tuple[TargetCondition, ...], Meta(min_length=1, max_length=MOST_CONDITIONS)]


class TargetVariant(Struct, frozen=True, forbid_unknown_fields=True):
    """A target of an A/B test, assigned as often as its weight says among the weights of all."""

    name: Label
    targetUrl: Url
    weight: Annotated[int, Meta(ge=1, le=1000)]


class TargetVisit(Struct, frozen=True):
    """A visitor as far as rules may look. `country_code` is ISO 3166; `person` distinguishes visitors."""

    person: str
    country: str = ""
    country_code: str = ""
    region: str = ""
    city: str = ""
    device: str = ""
    system: str = ""
    browser: str = ""
    language: str = ""


class TargetChoice(Struct, frozen=True):
    """The chosen destination, and what chose it: a rule, a variant, the device or nothing."""

    url: str
    rule: str = ""
    variant: str = ""
    app: str = ""  # the app that should open it, on phones


DEVICE_RULES: Final = {"iOS": "iosUrl", "Android": "androidUrl"}


class Choosable(Protocol):
    """The fields of a link that select the destination of a visit."""

    @property
    def target_url(self) -> str: ...
    @property
    def ios_url(self) -> str | None: ...
    @property
    def android_url(self) -> str | None: ...
    @property
    def deep_link_app(self) -> str | None: ...
    @property
    def rules(self) -> tuple[TargetRule, ...]: ...
    @property
    def variants(self) -> tuple[TargetVariant, ...]: ...


def choose_target(link: Choosable, visit: TargetVisit, *, key: str) -> TargetChoice:
    """The target of this visit: the first rule that matches, else the device's target, the app, a variant, the target.

    Nothing of the visit can add a destination; it only chooses among the link's own (security: redirects).
    `key` is the link's id, which makes the assignments of two links independent.
    """
    for rule in link.rules:
        if all(fits(condition, visit) for condition in rule.conditions):
            return TargetChoice(rule.targetUrl, rule=rule.name)
    for system, url in (("iOS", link.ios_url), ("Android", link.android_url)):
        if url is not None and visit.system == system:
            return TargetChoice(url, rule=DEVICE_RULES[system])
    variant = assign_variant(link.variants, visit.person, key)
    found = (
        TargetChoice(variant.targetUrl, variant=variant.name) if variant is not None else TargetChoice(link.target_url)
    )
    if link.deep_link_app is not None and visit.device in {"mobile", "tablet"}:
        return TargetChoice(found.url, variant=found.variant, app=link.deep_link_app)
    return found


def fits(condition: TargetCondition, visit: TargetVisit) -> bool:
    """Whether a visit meets a condition."""
    texts = [text.lower() for text in _texts(condition.property, visit) if text]
    wanted = [value.lower() for value in condition.values or (condition.value,)]
    match condition.operator:
        case "equals" | "in":
            return any(text in wanted for text in texts)
        case "not_in":
            return not any(text in wanted for text in texts)
        case "exists":
            return bool(texts)
        case "not_exists":
            return not texts
        case "contains":
            return any(value in text for text in texts for value in wanted)
        case "starts_with":
            return any(text.startswith(value) for text in texts for value in wanted)
        case "ends_with":
            return any(text.endswith(value) for text in texts for value in wanted)


def _texts(name: Property, visit: TargetVisit) -> tuple[str, ...]:
    """The texts that a condition compares with: a country's code and name, a language with and without region."""
    if name == "country":
        return visit.country_code, visit.country
    if name == "language":
        return visit.language, visit.language.partition("-")[0]
    return (getattr(visit, name),)


def assign_variant(variants: Sequence[TargetVariant], person: str, key: str) -> TargetVariant | None:
    """The variant of this person, always the same as long as the link's variants and weights are."""
    total = sum(variant.weight for variant in variants)
    if not total:
        return None
    digest = hashlib.blake2b(person.encode("utf-8", "surrogatepass"), digest_size=8, key=key.encode()).digest()
    place = int.from_bytes(digest, "big") % total
    for variant in variants:
        place -= variant.weight
        if place < 0:
            return variant
    return None


class PhoneApp(Struct, frozen=True):
    """An app: its name, its URL scheme, and its package on Android."""

    name: str
    scheme: str
    package: str


APPS: Final = {
    "amazon": PhoneApp("Amazon", "com.amazon.mobile.shopping.web", "com.amazon.mShop.android.shopping"),
    "facebook": PhoneApp("Facebook", "fb", "com.facebook.katana"),
    "instagram": PhoneApp("Instagram", "instagram", "com.instagram.android"),
    "linkedin": PhoneApp("LinkedIn", "linkedin", "com.linkedin.android"),
    "pinterest": PhoneApp("Pinterest", "pinterest", "com.pinterest"),
    "reddit": PhoneApp("Reddit", "reddit", "com.reddit.frontpage"),
    "snapchat": PhoneApp("Snapchat", "snapchat", "com.snapchat.android"),
    "spotify": PhoneApp("Spotify", "spotify", "com.spotify.music"),
    "telegram": PhoneApp("Telegram", "tg", "org.telegram.messenger"),
    "threads": PhoneApp("Threads", "barcelona", "com.instagram.barcelona"),
    "tiktok": PhoneApp("TikTok", "snssdk1233", "com.zhiliaoapp.musically"),
    "twitch": PhoneApp("Twitch", "twitch", "tv.twitch.android.app"),
    "twitter": PhoneApp("X", "twitter", "com.twitter.android"),
    "whatsapp": PhoneApp("WhatsApp", "whatsapp", "com.whatsapp"),
    "x": PhoneApp("X", "twitter", "com.twitter.android"),
    "youtube": PhoneApp("YouTube", "vnd.youtube", "com.google.android.youtube"),
}


def address_in(app: PhoneApp, url: str, system: str) -> str:
    """The URL that opens this web page in the app. On Android the browser falls back to the web by itself."""
    parts = url_parts(url)
    place = f"{parts.netloc}{parts.path}" + (f"?{parts.query}" if parts.query else "")
    if system == "Android":
        fallback = quote(url, safe="")
        return (
            f"intent://{place}#Intent;scheme={parts.scheme};package={app.package};S.browser_fallback_url={fallback};end"
        )
    return f"{app.scheme}://{place}"


Forwarding = Literal["none", "keep", "override"]

LONGEST: Final = 4_096  # characters of a whole address; what would make it longer is not forwarded
_MOST: Final = 100  # parameters that are looked at


def with_parameters(url: str, parameters: Iterable[tuple[str, str]]) -> str:
    """The URL with these parameters, which replace those of the same name."""
    given = tuple(parameters)
    return _with_parameters(url, given, {name for name, _ in given}) if given else url


def forward_query(url: str, query: str, how: Forwarding) -> str:
    """The URL with the parameters that the short URL was requested with.

    `keep` leaves what the target has of the same name, `override` replaces it.
    """
    if how == "none" or not query:
        return url
    try:
        given = parse_qsl(query, keep_blank_values=True, max_num_fields=_MOST)
    except ValueError:
        return url
    if how == "keep":
        own = names_of(url)
        added = tuple((name, value) for name, value in given if name not in own)
        longer = _with_parameters(url, added, set()) if added else url
    else:
        longer = with_parameters(url, given)
    return longer if len(longer) <= LONGEST else url


def names_of(url: str) -> set[str]:
    """The names of the parameters that an address has."""
    query = url.partition("#")[0].partition("?")[2]
    return {unquote_plus(part.partition("=")[0]) for part in query.split("&") if part}


def _with_parameters(url: str, added: tuple[tuple[str, str], ...], without: set[str]) -> str:
    """The address without its parameters of these names, and with the added ones at the end of its query."""
    address, sharp, fragment = url.partition("#")
    path, _, query = address.partition("?")
    parts = [part for part in query.split("&") if part and unquote_plus(part.partition("=")[0]) not in without]
    parts += [f"{quote_plus(name)}={quote_plus(value)}" for name, value in added]
    return f"{path}{'?' if parts else ''}{'&'.join(parts)}{sharp}{fragment}"
