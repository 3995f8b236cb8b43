"""A query as a command to paste into a terminal. Pure."""

import json

from analytics_box.query.catalog.types import Record


def command(server: str, website_id: str, content: Record) -> str:
    """The curl line that sends this body; the key is the reader's own."""
    text = json.dumps(content, ensure_ascii=False).replace("'", "'\\''")
    return (
        f"curl '{server}/v1/query?website_id={website_id}' \\\n"
        f"  -H 'x-api-key: svc_…' -H 'content-type: application/json' \\\n  -d '{text}'"
    )
