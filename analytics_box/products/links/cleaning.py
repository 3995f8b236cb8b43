"""Given values of a link's fields in their one spelling, or a refusal. Pure."""

import unicodedata
from collections.abc import Sequence
from typing import Final, Protocol

from msgspec.structs import replace

from analytics_box.base.errors import BadRequest
from analytics_box.products.links.targeting.apps import APPS
from analytics_box.products.links.targeting.rules import TargetRule, TargetVariant

MOST_TAGS, LONGEST_TAG = 20, 50
_JOINERS: Final = "\u200c\u200d\n"


class UrlPolicy(Protocol):
    """The URLs that links can redirect to."""

    def clean_url(self, given: str, *, field: str = "", app: bool = False) -> str:
        """The URL in its one spelling. Raises BadRequest."""


def web_url(given: str, policy: UrlPolicy) -> str | None:
    """A URL, or None for the empty field of a form. Raises BadRequest."""
    return policy.clean_url(given) if given else None


def app_url(given: str, policy: UrlPolicy) -> str | None:
    """A URL that can have the scheme of an app. Raises BadRequest."""
    return policy.clean_url(given, app=True) if given else None


def words(given: str) -> str | None:
    """Text without spaces around it. Raises BadRequest."""
    text = given.strip()
    if any(unicodedata.category(letter) in {"Cc", "Cf", "Cs"} and letter not in _JOINERS for letter in text):
        raise BadRequest("The text contains control or text-direction characters")
    return text or None


def name(given: str) -> str:
    """The name of a link. Raises BadRequest."""
    found = words(given)
    if found is None:
        raise BadRequest("Enter a name")
    return found


def app(given: str) -> str | None:
    """The app that opens a link. Raises BadRequest."""
    key = given.lower()
    if key and key not in APPS:
        raise BadRequest(f"This app is not supported. Supported apps are {', '.join(APPS)}")
    return key or None


def rules(given: Sequence[TargetRule], policy: UrlPolicy) -> tuple[TargetRule, ...]:
    """Targeting rules with their URLs. Raises BadRequest."""
    clean = []
    for number, rule in enumerate(given):
        url = policy.clean_url(rule.targetUrl, field=f"rules[{number}].targetUrl")
        for place, condition in enumerate(rule.conditions):
            asks = condition.operator not in {"exists", "not_exists"}
            if asks and not condition.value and not condition.values:
                raise BadRequest.about(f"rules[{number}].conditions[{place}]", "Enter a value to compare with")
        clean.append(replace(rule, targetUrl=url))
    return tuple(clean)


def variants(given: Sequence[TargetVariant], policy: UrlPolicy) -> tuple[TargetVariant, ...]:
    """Variants of a test with their URLs. Raises BadRequest."""
    names = [variant.name for variant in given]
    if len(set(names)) < len(names):
        raise BadRequest.about("variants", "Two variants have the same name")
    if len(given) == 1:
        raise BadRequest.about("variants", "Add at least two variants")
    return tuple(
        replace(variant, targetUrl=policy.clean_url(variant.targetUrl, field=f"variants[{number}].targetUrl"))
        for number, variant in enumerate(given)
    )


def tags(given: Sequence[str]) -> tuple[str, ...]:
    """Tags in their order, each once. Raises BadRequest."""
    found = {text for tag in given if (text := words(tag))}
    if len(found) > MOST_TAGS or any(len(tag) > LONGEST_TAG for tag in found):
        raise BadRequest(f"A link can have up to {MOST_TAGS} tags of {LONGEST_TAG} characters")
    return tuple(sorted(found))
