"""The input of a link, checked: every field in its one spelling, or a refusal that names it. Pure but for the fence,
which knows this machine's IP addresses."""

import unicodedata
from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest, ErrorDetail
from analytics_box.products.links import slugs
from analytics_box.products.links.link import LONGEST_TAG, MOST_TAGS, LinkFields, ShortLink, Utm
from analytics_box.products.links.targeting import policy as targets
from analytics_box.products.links.targeting.apps import APPS
from analytics_box.products.links.targeting.policy import TargetPolicy
from analytics_box.products.links.targeting.rules import TargetRule, TargetVariant

_OF_PHONES = frozenset(("ios_url", "android_url"))
_NO_WORDS = frozenset(("slug", "domain", "folder_id", "deep_link_app", "query_forwarding"))  # with rules of their own
_WIRE = dict(zip(LinkFields.__struct_fields__, LinkFields.__struct_encode_fields__, strict=True))


class LinkDraft(LinkFields, frozen=True, kw_only=True):
    """New values for a link's fields; UNSET leaves what is there. Times are UTC ms; `password` is a hash already."""

    expires_at: int | UnsetType | None = UNSET
    password: str | UnsetType | None = UNSET


def check_draft(draft: LinkDraft, policy: TargetPolicy) -> LinkDraft:
    """The draft with every value in its one spelling. Raises BadRequest that names all that is wrong."""
    wrong: list[ErrorDetail] = []
    clean: dict[str, Any] = {}

    def check(field: str, work: Any) -> None:
        try:
            clean[field] = work()
        except BadRequest as refused:
            wrong.extend(refused.details)

    texts = {name: value for name in _WIRE if isinstance(value := getattr(draft, name), str)}
    for name, given in texts.items():
        if name.endswith("_url"):
            check(name, partial(_address, given, policy, _WIRE[name], name))
    for name, given in texts.items():
        if not name.endswith("_url") and name not in _NO_WORDS:
            check(name, partial(_words, given, _WIRE[name], needed=name == "name"))
    if isinstance(draft.slug, str):
        slug = draft.slug
        check("slug", lambda: slugs.clean(slug))
    if isinstance(draft.deep_link_app, str):
        app = draft.deep_link_app
        check("deep_link_app", lambda: _app(app))
    if not isinstance(draft.rules, UnsetType):
        rules = draft.rules
        check("rules", lambda: _rules(rules, policy))
    if not isinstance(draft.variants, UnsetType):
        variants = draft.variants
        check("variants", lambda: _variants(variants, policy))
    if not isinstance(draft.tags, UnsetType):
        tags = draft.tags
        check("tags", lambda: _tags(tags))
    if not isinstance(draft.utm, UnsetType):
        utm = draft.utm
        check("utm", lambda: _utm(utm))
    if wrong:
        raise BadRequest(wrong[0].message, details=tuple(wrong))
    return replace(draft, **clean)


def apply_draft(link: ShortLink, draft: LinkDraft) -> ShortLink:
    """The link with the new values. `targetDomain` follows the target unless it is given."""
    given = {
        name: value
        for name, value in msgspec.structs.asdict(draft).items()
        if value is not UNSET and not (name == "slug" and value is None)
    }
    if given.get("target_domain") is None:
        given.pop("target_domain", None)
        # A form sends the URL again with every save: a domain of its own stays until the URL changes.
        if given.get("target_url", link.target_url) != link.target_url or draft.target_domain is None:
            given["target_domain"] = targets.host_of(given.get("target_url", link.target_url))
    for name in ("rules", "variants", "tags"):
        if name in given:
            given[name] = tuple(given[name])
    return replace(link, **given)


def _address(given: str, policy: TargetPolicy, wire: str, field: str) -> str | None:
    if not given and field != "target_url":
        return None  # an empty field of a form
    return targets.clean(given, policy, field=wire, app=field in _OF_PHONES)


def _words(given: str, wire: str, *, needed: bool) -> str | None:
    text = given.strip()
    if any(unicodedata.category(letter) in {"Cc", "Cf", "Cs"} and letter not in "\u200c\u200d\n" for letter in text):
        raise BadRequest.about(wire, "The text has control characters or characters that change the direction of text")
    if needed and not text:
        raise BadRequest.about(wire, "Give it a name")
    return text or None


def _app(given: str) -> str | None:
    if not given:
        return None
    app = given.lower()
    if app not in APPS:
        raise BadRequest.about("deepLinkApp", f"This app is not known; known are {', '.join(APPS)}")
    return app


def _rules(given: Sequence[TargetRule], policy: TargetPolicy) -> tuple[TargetRule, ...]:
    clean = []
    for number, rule in enumerate(given):
        url = targets.clean(rule.targetUrl, policy, field=f"rules[{number}].targetUrl")
        for place, condition in enumerate(rule.conditions):
            asks = condition.operator not in {"exists", "not_exists"}
            if asks and not condition.value and not condition.values:
                raise BadRequest.about(
                    f"rules[{number}].conditions[{place}]", "A condition needs a value to compare with"
                )
        clean.append(replace(rule, targetUrl=url))
    return tuple(clean)


def _variants(given: Sequence[TargetVariant], policy: TargetPolicy) -> tuple[TargetVariant, ...]:
    names = [variant.name for variant in given]
    if len(set(names)) < len(names):
        raise BadRequest.about("variants", "Two variants have the same name")
    if len(given) == 1:
        raise BadRequest.about("variants", "A test needs two variants at least")
    return tuple(
        replace(variant, targetUrl=targets.clean(variant.targetUrl, policy, field=f"variants[{number}].targetUrl"))
        for number, variant in enumerate(given)
    )


def _tags(given: Sequence[str]) -> tuple[str, ...]:
    tags = {text for tag in given if (text := _words(tag, "tags", needed=False))}
    if len(tags) > MOST_TAGS or any(len(tag) > LONGEST_TAG for tag in tags):
        raise BadRequest.about("tags", f"A link can have up to {MOST_TAGS} tags of {LONGEST_TAG} characters")
    return tuple(sorted(tags))


def _utm(given: Utm) -> Utm:
    for name in given.__struct_fields__:
        _words(getattr(given, name), f"utm.{name}", needed=False)
    return given
