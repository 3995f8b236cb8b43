"""The same question in other languages: what is pasted sends exactly the body that is shown."""

import ast
import json
import re

from analytics_box.figures.explorer.samples import samples
from tests.cases import each

SERVER, TARGET = "https://stats.example.com", "website_id=abc"
BODIES = (
    {"parameters": ["top_pages"], "preset": "last_7d", "timeZone": "UTC"},
    {"parameters": ["top_pages"], "filters": [{"field": "path", "op": "eq", "value": 'it\'s "ü" \\ \n </script>'}]},
    {"parameters": ["country"], "limit": 5, "filters": [{"any": [{"field": "city", "op": "in", "value": ["a", "b"]}]}]},
)


@each("content", BODIES)
def test_every_sample_holds_the_body_and_the_address(content: dict[str, object]) -> None:
    curl, javascript, python, body = (one.code for one in samples(SERVER, TARGET, content))
    assert json.loads(body) == content
    assert f"{SERVER}/v1/query?{TARGET}" in curl
    assert json.loads(curl.partition("-d '")[2][:-1].replace("'\\''", "'")) == content
    found = re.search(r"JSON\.stringify\((.*?)\),\n}\);", javascript, re.DOTALL)
    assert found is not None
    assert json.loads(found[1]) == content
    assert f'fetch("{SERVER}/v1/query?{TARGET}"' in javascript
    (assigned,) = (
        node
        for node in ast.parse(python).body
        if isinstance(node, ast.Assign) and "question" in ast.dump(node.targets[0])
    )
    assert ast.literal_eval(assigned.value) == content
