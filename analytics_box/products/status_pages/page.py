"""A status page: the only list of its fields and of its components' fields. Pure.

The tables `status_pages`, `status_page_groups` and `status_page_components` have a column for each field.
"""

from typing import Final, Literal

from msgspec import Struct

Theme = Literal["system", "light", "dark"]
Policy = Literal["off", "draft", "publish"]
ComponentStatus = Literal["operational", "degraded_performance", "partial_outage", "major_outage", "under_maintenance"]
FileKind = Literal["logo", "favicon"]

LONGEST_NAME, LONGEST_SLUG, LONGEST_DESCRIPTION = 120, 100, 500  # characters (wire 9.3)
MOST_COMPONENTS, MOST_GROUPS = 100, 20  # of a page
LIST_LIMIT, PAGE_LIMIT = 60, 600  # calls in a minute, of the list and of one page
DAYS: Final = 90  # that a page shows


class StatusPage(Struct, frozen=True, kw_only=True):
    """A status page. Times are UTC ms; `version` grows with each change of anything on the page.

    `logo` and `favicon` are digests of stored images, empty for none; `logo_url` and `favicon_url` are the URLs that
    they were fetched from. `password` is a hash, empty if the page needs none. `zone` is the time zone of its days.
    `indexed` pages are in search engines and lists. `automatic` selects the incidents of monitors that go down:
    published after `publish_after` minutes, or drafts. Only members see a page that is not `published`.
    """

    id: str
    organization_id: str
    slug: str
    name: str
    description: str = ""
    logo: str = ""
    logo_url: str | None = None
    favicon: str = ""
    favicon_url: str | None = None
    website_url: str | None = None
    support_url: str | None = None
    theme: Theme | None = None
    zone: str = "UTC"
    domain: str | None = None
    password: str = ""
    indexed: bool = True
    subscribable: bool = True
    automatic: Policy = "off"
    publish_after: int = 5
    published: bool = True
    version: int = 0
    created_at: int = 0
    updated_at: int = 0


class ComponentGroup(Struct, frozen=True, kw_only=True):
    """Components that stand together. Groups and components share one order of positions."""

    id: str
    page_id: str
    name: str
    description: str = ""
    position: int = 0
    created_at: int = 0
    updated_at: int = 0


class Component(Struct, frozen=True, kw_only=True):
    """Something whose status a page shows: that of a monitor, or without one what people say by `status`.

    Without a `name` it is called as its monitor is. `only_if_degraded` shows it only while it is not operational.
    """

    id: str
    page_id: str
    monitor_id: str | None = None
    group_id: str | None = None
    name: str = ""
    description: str = ""
    hide_url: bool = False
    hide_uptime: bool = False
    hide_latency: bool = False
    only_if_degraded: bool = False
    status: ComponentStatus = "operational"
    position: int = 0
    created_at: int = 0
    updated_at: int = 0
