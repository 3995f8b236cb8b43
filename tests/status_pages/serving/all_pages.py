"""Every page that visitors of a status page get, busy and calm, as HTML."""

from pathlib import Path

from msgspec.structs import replace

from tests.status_pages.serving.examples import BUSY, CALM, NOW, component
from tests.status_pages.serving.world import HASHED, World

PATHS = (
    "",
    "history",
    "incidents/incident-1",
    "components/component-api",
    "nope",
)


def all_pages(directory: Path) -> dict[str, str]:
    """The HTML of each page by a name for it."""
    world = World(directory)
    found = {f"busy {path}".strip(): world.get(path).body.decode() for path in PATHS}
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
