"""GET /health (spec 1)."""

from analytics_box.web.asgi import Scope
from analytics_box.web.call import Parts
from analytics_box.web.plain import Plain


def health(_scope: Scope, _parts: Parts) -> Plain:
    """`{"status":"ok"}` while the box serves, and nothing else."""
    return Plain(b'{"status":"ok"}', "application/json", {"cache-control": "no-store"})
