"""A query as a command to paste into a terminal. Pure."""

import json

from analytics_box.query.catalog.types import Record


def command(server: str, target: str, content: Record) -> str:
    """The curl line that sends this body with the reader's key; `target` is what is asked about, as in an address."""
    text = json.dumps(content, ensure_ascii=False).replace("'", "'\\''")
    return (
        f"curl '{server}/v1/query?{target}' \\\n"
        f"  -H 'x-api-key: svc_…' -H 'content-type: application/json' \\\n  -d '{text}'"
    )
