"""What somebody wants a link to be, checked: every field in its one spelling, or a refusal that names it. Pure but for
the fence, which knows this machine's addresses."""

import unicodedata
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from analytics_box.errors import BadRequest, Detail
from analytics_box.links import slugs
from analytics_box.links.link import LONGEST_TAG, MOST_TAGS, Link, Utm
from analytics_box.links.targeting import policy as targets
from analytics_box.links.targeting.apps import APPS
from analytics_box.links.targeting.policy import Grounds
from analytics_box.links.targeting.rules import TargetRule, Variant

_ADDRESSES = {  # field → its name on the wire
    "target_url": "targetUrl",
    "expired_url": "expiredRedirectUrl",
    "og_image_url": "ogImageUrl",
    "og_video_url": "ogVideoUrl",
    "ios_url": "iosUrl",
    "android_url": "androidUrl",
}
_OF_PHONES = frozenset(("ios_url", "android_url"))
_WORDS = {
    "name": "name",
    "og_title": "ogTitle",
    "og_description": "ogDescription",
    "external_id": "externalId",
    "source_type": "sourceType",
    "source_id": "sourceId",
    "source_owner_id": "sourceOwnerId",
    "target_domain": "targetDomain",
}


class Wanted(Struct, frozen=True):
    """New values for a link's fields; UNSET leaves what is there. Times are UTC ms; `password` is a hash already."""

    name: str | UnsetType = UNSET
    target_url: str | UnsetType = UNSET
    domain: str | UnsetType = UNSET
    slug: str | UnsetType | None = UNSET
    target_domain: str | UnsetType | None = UNSET
    folder_id: str | UnsetType | None = UNSET
    redirect_status: int | UnsetType = UNSET
    query_forwarding: str | UnsetType = UNSET
    expires_at: int | UnsetType | None = UNSET
    expired_url: str | UnsetType | None = UNSET
    max_clicks: int | UnsetType | None = UNSET
    password: str | UnsetType | None = UNSET
    og_title: str | UnsetType | None = UNSET
    og_description: str | UnsetType | None = UNSET
    og_image_url: str | UnsetType | None = UNSET
    og_video_url: str | UnsetType | None = UNSET
    ios_url: str | UnsetType | None = UNSET
    android_url: str | UnsetType | None = UNSET
    deep_link_app: str | UnsetType | None = UNSET
    external_id: str | UnsetType | None = UNSET
    source_type: str | UnsetType | None = UNSET
    source_id: str | UnsetType | None = UNSET
    source_owner_id: str | UnsetType | None = UNSET
    rules: Sequence[TargetRule] | UnsetType = UNSET
    variants: Sequence[Variant] | UnsetType = UNSET
    utm: Utm | UnsetType = UNSET
    tags: Sequence[str] | UnsetType = UNSET


def checked(wanted: Wanted, grounds: Grounds) -> Wanted:
    """The same with every value clean. Raises BadRequest that names all that is wrong."""
    wrong: list[Detail] = []
    clean: dict[str, Any] = {}

    def check(field: str, work: Any) -> None:
        try:
            clean[field] = work()
        except BadRequest as refused:
            wrong.extend(refused.details)

    for field, wire in _ADDRESSES.items():
        given = getattr(wanted, field)
        if isinstance(given, str):
            check(field, lambda given=given, wire=wire, field=field: _address(given, grounds, wire, field))
    for field, wire in _WORDS.items():
        given = getattr(wanted, field)
        if isinstance(given, str):
            check(field, lambda given=given, wire=wire, field=field: _words(given, wire, needed=field == "name"))
    if isinstance(wanted.slug, str):
        slug = wanted.slug
        check("slug", lambda: slugs.clean(slug))
    if isinstance(wanted.deep_link_app, str):
        app = wanted.deep_link_app
        check("deep_link_app", lambda: _app(app))
    if not isinstance(wanted.rules, UnsetType):
        rules = wanted.rules
        check("rules", lambda: _rules(rules, grounds))
    if not isinstance(wanted.variants, UnsetType):
        variants = wanted.variants
        check("variants", lambda: _variants(variants, grounds))
    if not isinstance(wanted.tags, UnsetType):
        tags = wanted.tags
        check("tags", lambda: _tags(tags))
    if not isinstance(wanted.utm, UnsetType):
        utm = wanted.utm
        check("utm", lambda: _utm(utm))
    if wrong:
        raise BadRequest(wrong[0].message, details=tuple(wrong))
    return replace(wanted, **clean)


def applied(link: Link, wanted: Wanted) -> Link:
    """The link with the new values. `targetDomain` follows the target unless it is given."""
    given = {
        name: value
        for name, value in msgspec.structs.asdict(wanted).items()
        if value is not UNSET and not (name == "slug" and value is None)
    }
    if given.get("target_domain") is None:
        given.pop("target_domain", None)
        if "target_url" in given or wanted.target_domain is None:
            given["target_domain"] = targets.host_of(given.get("target_url", link.target_url))
    for name in ("rules", "variants", "tags"):
        if name in given:
            given[name] = tuple(given[name])
    return replace(link, **given)


def _address(given: str, grounds: Grounds, wire: str, field: str) -> str | None:
    if not given and field != "target_url":
        return None  # an empty field of a form
    return targets.clean(given, grounds, field=wire, app=field in _OF_PHONES)


def _words(given: str, wire: str, *, needed: bool) -> str | None:
    text = given.strip()
    if any(unicodedata.category(letter) in {"Cc", "Cf", "Cs"} and letter not in "\u200d\n" for letter in text):
        raise _wrong(wire, "The text has control characters or characters that change the direction of text")
    if needed and not text:
        raise _wrong(wire, "Give it a name")
    return text or None


def _app(given: str) -> str | None:
    if not given:
        return None
    app = given.lower()
    if app not in APPS:
        raise _wrong("deepLinkApp", f"This app is not known; known are {', '.join(APPS)}")
    return app


def _rules(given: Sequence[TargetRule], grounds: Grounds) -> tuple[TargetRule, ...]:
    clean = []
    for number, rule in enumerate(given):
        url = targets.clean(rule.targetUrl, grounds, field=f"rules[{number}].targetUrl")
        for place, condition in enumerate(rule.conditions):
            asks = condition.operator not in {"exists", "not_exists"}
            if asks and not condition.value and not condition.values:
                raise _wrong(f"rules[{number}].conditions[{place}]", "A condition needs a value to compare with")
        clean.append(replace(rule, targetUrl=url))
    return tuple(clean)


def _variants(given: Sequence[Variant], grounds: Grounds) -> tuple[Variant, ...]:
    names = [variant.name for variant in given]
    if len(set(names)) < len(names):
        raise _wrong("variants", "Two variants have the same name")
    if len(given) == 1:
        raise _wrong("variants", "A test needs two variants at least")
    return tuple(
        replace(variant, targetUrl=targets.clean(variant.targetUrl, grounds, field=f"variants[{number}].targetUrl"))
        for number, variant in enumerate(given)
    )


def _tags(given: Sequence[str]) -> tuple[str, ...]:
    tags = {text for tag in given if (text := _words(tag, "tags", needed=False))}
    if len(tags) > MOST_TAGS or any(len(tag) > LONGEST_TAG for tag in tags):
        raise _wrong("tags", f"A link may have {MOST_TAGS} tags of {LONGEST_TAG} characters")
    return tuple(sorted(tags))


def _utm(given: Utm) -> Utm:
    for name in given.__struct_fields__:
        _words(getattr(given, name), f"utm.{name}", needed=False)
    return given


def _wrong(field: str, message: str) -> BadRequest:
    return BadRequest(message, details=(Detail(field, message),))
