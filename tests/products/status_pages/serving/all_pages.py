"""Every page that visitors of a status page get, busy and calm, as HTML."""

from pathlib import Path

from msgspec.structs import replace

from analytics_box.products.status_pages.subscribers.public import ComponentChoice, Reply
from tests.products.status_pages.serving.examples import BUSY, CALM, NOW, component
from tests.products.status_pages.serving.world import HASHED, World

PATHS = (
    "",
    "history",
    "incidents/incident-1",
    "components/component-api",
    "nope",
)

CHOICES = (ComponentChoice("component.1", "API", True), ComponentChoice("component.2", "Shop – Orders", False))
LINK = "/subscription/secret"
REPLIES = {
    "subscribe": Reply(
        template="status/subscribe.html", choices=CHOICES, action="/subscribe", wrong="That is no address"
    ),
    "subscribe without a mail server": Reply(
        template="status/subscribe.html", by_email=False, action="/subscribe", choices=CHOICES
    ),
    "subscribe by webhook": Reply(
        template="status/subscribe.html", kind="webhook", address="http://x", action="/subscribe", wrong="Enter a URL"
    ),
    "confirm": Reply(template="status/subscription.html", title="Your subscription", choices=CHOICES, action=LINK),
    "webhook waits": Reply(
        template="status/subscription.html",
        title="Your subscription",
        kind="webhook",
        action=LINK,
        signing="whsec_" + "x" * 60,
        failed=True,
        wrong="This action unavailable",
    ),
    "left": Reply(title="You hear no more of this page", text="Good bye", again=True),
}


def all_pages(directory: Path) -> dict[str, str]:
    """The HTML of each page by a name for it."""
    world = World(directory)
    found = {f"busy {path}".strip(): world.get(path).body.decode() for path in PATHS}
    for name, reply in REPLIES.items():
        world.known.reply = reply
        found[name] = world.get("subscribe").body.decode()
    world.known.seen = replace(CALM, theme="dark", website_url=None, support_url=None, indexed=False)
    found["calm"] = world.get().body.decode()
    world.known.seen = replace(
        CALM, etag="old", stale_since=NOW - 600_000, overall="unknown", indicator="minor", components=()
    )
    found["stale and empty"] = world.get().body.decode()
    odd = component("  <b>&\u202e", description="ü" * 300, domain="x" * 200 + ".example")
    world.known.seen = replace(
        CALM, etag="odd", name="N" * 120, description="d " * 250, components=(odd, *BUSY.components)
    )
    found["long words"] = world.get().body.decode()
    world.change(password=HASHED)
    found["protected"] = world.get().body.decode()
    form = {"content_type": "application/x-www-form-urlencoded"}
    found["wrong password"] = world.ask("POST", "", form, b"password=x").body.decode()
    world.close()
    return found
