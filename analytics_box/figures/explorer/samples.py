"""A query as code to paste: for a terminal, a program in JavaScript, and one in Python. Pure."""

import json

from msgspec import Struct

from analytics_box.base.translation import _
from analytics_box.query.catalog.types import Record

_KEY = "svc_…"  # where the reader's own key goes


class CodeSample(Struct, frozen=True):
    """Code in one language. `id` tells it apart on the page."""

    id: str
    language: str
    code: str


def samples(server: str, target: str, content: Record) -> tuple[CodeSample, ...]:
    """The request that sends this body to `server`; `target` is what is asked about, as in an address."""
    address = f"{server}/v1/query?{target}"
    return (
        CodeSample("curl", "curl", curl(server, target, content)),
        CodeSample("javascript", "JavaScript", _javascript(address, content)),
        CodeSample("python", "Python", _python(address, content)),
        CodeSample("body", _("Body"), _json(content)),
    )


def curl(server: str, target: str, content: Record) -> str:
    """The line for a terminal."""
    address = f"{server}/v1/query?{target}"
    text = json.dumps(content, ensure_ascii=False).replace("'", "'\\''")
    return f"curl '{address}' \\\n  -H 'x-api-key: {_KEY}' -H 'content-type: application/json' \\\n  -d '{text}'"


def _javascript(address: str, content: Record) -> str:
    return f"""\
const response = await fetch({json.dumps(address)}, {{
  method: "POST",
  headers: {{ "x-api-key": "{_KEY}", "content-type": "application/json" }},
  body: JSON.stringify({_json(content).replace(chr(10), chr(10) + "  ")}),
}});
if (!response.ok) throw new Error(await response.text());
const {{ data: [entry] }} = await response.json();
if (!entry.success) throw new Error(entry.error);
console.log(entry.data);"""


def _python(address: str, content: Record) -> str:
    """A query in Python, which writes texts, whole numbers, lists and objects as JSON does."""
    return f"""\
import json
from urllib.request import Request, urlopen

question = {_json(content)}
request = Request(
    {json.dumps(address)},
    data=json.dumps(question).encode(),
    headers={{"x-api-key": "{_KEY}", "content-type": "application/json"}},
)
with urlopen(request) as response:
    (entry,) = json.load(response)["data"]
if not entry["success"]:
    raise SystemExit(entry["error"])
for row in entry["data"]:
    print(row)"""


def _json(content: Record) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False)
