"""The channel of a session (semantics 18): Google Analytics 4's default channel group, the first rule that fits.

Three things are ours. Webmail is Email though nobody wrote so into utm_medium. A click id stands for the medium that
its network means by it where none is written. And so does a utm_source that says paid ("google ads").
"""

import re

from analytics_box.web.recognition.known_sources import DIRECT, SCREENS, SHOPS
from analytics_box.web.recognition.source import CLICK_IDS, kind_of, says_paid

CHANNELS = (
    *("Direct", "Cross-network", "Paid Shopping", "Paid Search", "Paid Social", "Paid Video", "Display", "Paid Other"),
    *("AI Assistant", "Organic Shopping", "Organic Social", "Organic Video", "Organic Search", "Email", "Affiliates"),
    *("Referral", "Audio", "SMS", "Mobile Push Notifications", "Unassigned"),
)

_NOTHING = {"", "(direct)", "(none)", "(not set)", "none", "direct"}  # what exports write where there is no value
_SHOP_CAMPAIGN = re.compile(r"(?:[^a-df-z]|^)shop|shopping")
_DISPLAY = {"display", "banner", "expandable", "interstitial", "cpm"}
_SOCIAL = {"social", "social-network", "social-media", "sm", "social network", "social media"}
_EMAIL = {"email", "e-mail", "e_mail", "e mail"}
_SHOPS = {*SHOPS, "Google Shopping"}
_SCREENS = {*SCREENS, "YouTube", "Vimeo", "bilibili", "Niconico", "Douyu", "Huya", "Google Video"}
_LINKS = {"referral", "app", "link"}


def channel(*, name: str, medium: str, campaign: str, click_id: str, tag: str) -> str:
    """The channel of a session that comes from the source of this name.

    `medium` and `campaign` are utm values; `tag` is what the name was read from, empty if that was a click id or
    the referrer.
    """
    medium, campaign = _tagged_medium(medium), _tagged_medium(campaign)
    if not medium:
        medium = _medium(name, click_id, tagged=bool(tag))
    if tag and says_paid(tag) and not _is_known(medium):
        medium = "paid"
    if name == DIRECT and not medium and (tag or not campaign):
        return "Direct"
    if "cross-network" in campaign:
        return "Cross-network"
    shop = name in _SHOPS or bool(_SHOP_CAMPAIGN.search(campaign))
    kind = "video" if name in _SCREENS else kind_of(name)
    if _is_paid(medium):
        return _is_paid_medium(kind, medium, shop=shop)
    if medium in _DISPLAY:
        return "Display"
    return _unpaid(name.lower(), kind, medium, shop=shop)


def _tagged_medium(value: str) -> str:
    value = value.strip().lower()
    return "" if value in _NOTHING else value


def _is_paid(medium: str) -> bool:
    return "cp" in medium or medium.startswith("paid") or medium in {"ppc", "retargeting"}


def _is_known(medium: str) -> bool:
    """Whether a rule asks for this medium."""
    return _is_paid(medium) or medium in _DISPLAY or _unpaid("", "", medium, shop=False) != "Unassigned"


def _medium(name: str, click_id: str, *, tagged: bool) -> str:
    """The medium that other parameters imply if none was tagged."""
    click = CLICK_IDS.get(click_id)
    if click is not None and click.medium and (not tagged or click.source == name):
        return click.medium
    return "" if tagged or name == DIRECT else "referral"


def _is_paid_medium(kind: str, medium: str, *, shop: bool) -> str:
    if shop:
        return "Paid Shopping"
    if kind in {"search", "social", "video"}:
        return f"Paid {kind.capitalize()}"
    return "Display" if medium in _DISPLAY else "Paid Other"


def _unpaid(name: str, kind: str, medium: str, *, shop: bool) -> str:
    return _organic(kind, medium, shop=shop) or _by_medium(name, kind, medium)


def _organic(kind: str, medium: str, *, shop: bool) -> str:
    if kind == "ai" or medium == "ai-assistant":
        return "AI Assistant"
    if shop:
        return "Organic Shopping"
    if kind == "social" or medium in _SOCIAL:
        return "Organic Social"
    if kind == "video" or "video" in medium:
        return "Organic Video"
    if kind == "search" or medium == "organic":
        return "Organic Search"
    return ""


def _by_medium(name: str, kind: str, medium: str) -> str:
    """The rest, as it is written; `name` is the source in lower case."""
    if medium in _EMAIL or name in _EMAIL or kind == "email":
        return "Email"
    if medium in {"affiliate", "affiliates"}:
        return "Affiliates"
    if medium in _LINKS:
        return "Referral"
    if medium == "audio":
        return "Audio"
    if "sms" in {name, medium}:
        return "SMS"
    if medium.endswith("push") or "mobile" in medium or "notification" in medium or name == "firebase":
        return "Mobile Push Notifications"
    return "Unassigned"
