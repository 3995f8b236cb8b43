"""Commands to try a new key with, ready to paste. Pure."""

from collections.abc import Sequence

from msgspec import Struct

from analytics_box.base import texts
from analytics_box.base.identity import ApiKey
from analytics_box.base.settings import Settings


class KeyExample(Struct, frozen=True):
    """A command, and what it does."""

    id: str
    label: str
    command: str


def of(key: ApiKey, websites: Sequence[str], secret: str, settings: Settings) -> list[KeyExample]:
    """Example commands for this key, each for the first website of the organization that it has access to."""
    found = []
    counts = next((website for website in websites if key.may("track:events", website)), "")
    if counts or ("track:events" in key.scopes and key.websites is None):
        found.append(KeyExample("track", texts.ApiKeys.example_track, track(settings.tracker_url, counts, secret)))
    reads = next((website for website in websites if key.may("read:data", website)), "")
    if reads:
        found.append(KeyExample("query", texts.ApiKeys.example_query, query(settings.public_url, reads, secret)))
    return found


def track(base_url: str, website_id: str, secret: str) -> str:
    """A command that sends an event."""
    body = f'{{"name": "signup", "websiteId": "{website_id}"}}' if website_id else '{"name": "signup"}'
    return f"curl '{base_url}/track' -H 'x-api-key: {secret}' -H 'content-type: application/json' -d '{body}'"


def query(base_url: str, website_id: str, secret: str) -> str:
    """A command that asks for the website's last seven days."""
    body = '{"parameters": ["summary_metrics"], "preset": "last_7d"}'
    return (
        f"curl '{base_url}/v1/query?website_id={website_id}' -H 'x-api-key: {secret}' "
        f"-H 'content-type: application/json' -d '{body}'"
    )
