"""Flags of a website for the tests of SDKs, and who gets what of them by the wire's words (wire 6.3)."""

from typing import Any

import httpx

from tests.running import Account

FLAGS: tuple[dict[str, Any], ...] = (
    {"key": "checkout", "type": "boolean", "defaultValue": True, "payload": {"color": "green"}},
    {
        "key": "dark-mode",
        "type": "boolean",
        "defaultValue": False,
        "rules": [{"type": "email", "operator": "ends_with", "value": "@staff.example", "enabled": True}],
    },
    {
        "key": "for-pro",
        "type": "boolean",
        "defaultValue": False,
        "rules": [{"type": "property", "field": "plan", "operator": "equals", "value": "pro", "enabled": True}],
    },
    {"key": "half", "type": "rollout", "defaultValue": False, "rolloutPercentage": 50},
    {
        "key": "by-organization",
        "type": "rollout",
        "defaultValue": False,
        "rolloutPercentage": 50,
        "rolloutBy": "organization",
    },
    {
        "key": "button",
        "type": "multivariant",
        "defaultValue": False,
        "variants": [
            {"key": "red", "type": "string", "value": "#f00", "weight": 30},
            {"key": "blue", "type": "string", "value": "#00f", "weight": 70},
        ],
    },
    {
        "key": "limit",
        "type": "multivariant",
        "defaultValue": False,
        "variants": [{"key": "only", "type": "number", "value": 25}],
    },
    {"key": "sleeping", "type": "boolean", "defaultValue": True, "status": "inactive"},
    {"key": "checkout", "type": "boolean", "defaultValue": False, "environment": "staging"},
)


def make(url: str, account: Account) -> None:
    """Create the flags of the account's website."""
    with httpx.Client(base_url=url, headers={"x-api-key": account.api_key}) as client:
        for flag in FLAGS:
            # As flags that come from the existing service, whose hash `bucket` is.
            wanted = {
                "status": "active",
                "websiteId": account.website_id,
                "bucketing": {"algorithm": "default"},
                **flag,
            }
            answer = client.post("/flags/create", json=wanted)
            assert answer.status_code == 200, answer.text


def bucket(text: str) -> int:
    """The bucket of 100 that a text falls into."""
    found = 0
    for unit in text.encode("utf-16-le")[::2]:  # of ASCII alone
        found = (found * 31 + unit) & 0xFFFFFFFF
    return abs(found - (1 << 32) if found >> 31 else found) % 100


def in_half(user: str) -> bool:
    """Whether a user is in the half of `half`."""
    return bucket(f"half:{user}") < 50


def button(user: str) -> str:
    """The variant of `button` that a user gets."""
    return "red" if bucket(f"button:variant:{user}") < 30 else "blue"
