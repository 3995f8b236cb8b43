"""Code snippets of a flag, under /flags/{id}/code: one for each SDK, with the address of the box and the flag's key."""

import json
from typing import Final
from urllib.parse import quote, urlencode

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.products.flags.flag import Flag
from analytics_box.products.flags.page_frame import open_flag
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.page.visit import Page, Visitor

_NAMES = {
    "react": _("@databuddy/sdk: React"),
    "node": _("@databuddy/sdk: Node.js"),
    "openfeature-web": _("OpenFeature: browser"),
    "openfeature-server": _("OpenFeature: JavaScript on a server"),
    "openfeature-python": _("OpenFeature: Python"),
    "curl": _("curl"),
}
_INSTALLS = {
    "react": _("npm install @databuddy/sdk"),
    "node": _("npm install @databuddy/sdk"),
    "openfeature-web": _("npm install @openfeature/web-sdk @openfeature/ofrep-web-provider"),
    "openfeature-server": _("npm install @openfeature/server-sdk @openfeature/ofrep-provider"),
    "openfeature-python": _("pip install openfeature-sdk openfeature-provider-ofrep"),
    "curl": "",
}


class FlagSnippet(Struct, frozen=True):
    """A snippet, and the command that installs its dependencies."""

    id: str
    name: str
    install: str
    content: str


_REACT: Final = """\
import {{ FlagsProvider, useFlag }} from "@databuddy/sdk/react";

<FlagsProvider clientId={client} apiUrl={box}{environment_prop} user={{{{ userId: "user-42" }}}}>
  <App />
</FlagsProvider>;

const {{ on, variant }} = useFlag({key}); // in App"""
_NODE: Final = """\
import {{ createServerFlagsManager }} from "@databuddy/sdk/node";

const flags = createServerFlagsManager({{ clientId: {client}, apiUrl: {box}{environment_option} }});
const flag = await flags.getFlag({key}, {{ userId: "user-42" }});
if (flag.enabled) {{
  // flag.value, flag.variant
}}"""
_WEB: Final = """\
import {{ OpenFeature }} from "@openfeature/web-sdk";
import {{ OFREPWebProvider }} from "@openfeature/ofrep-web-provider";

await OpenFeature.setContext({{ targetingKey: "user-42" }});
await OpenFeature.setProviderAndWait(new OFREPWebProvider({{ baseUrl: {base} }}));
const value = OpenFeature.getClient().get{kind}Value({key}, {default});"""
_SERVER: Final = """\
import {{ OpenFeature }} from "@openfeature/server-sdk";
import {{ OFREPProvider }} from "@openfeature/ofrep-provider";

await OpenFeature.setProviderAndWait(new OFREPProvider({{ baseUrl: {base} }}));
const user = {{ targetingKey: "user-42" }};
const value = await OpenFeature.getClient().get{kind}Value({key}, {default}, user);"""
_PYTHON: Final = """\
from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

api.set_provider(OFREPProvider(base_url={base}))
user = EvaluationContext("user-42")
value = api.get_client().get_{python_kind}_value({key}, {python_default}, user)"""
_CURL: Final = "curl '{evaluate}'"
_TEMPLATES: Final = {
    "react": _REACT,
    "node": _NODE,
    "openfeature-web": _WEB,
    "openfeature-server": _SERVER,
    "openfeature-python": _PYTHON,
    "curl": _CURL,
}
_PYTHON_DEFAULTS: Final = {"Boolean": "False", "String": '""', "Number": "0", "Object": "{}"}
_DEFAULTS: Final = {"Boolean": "false", "String": '""', "Number": "0", "Object": "{}"}
_PYTHON_KINDS: Final = {"Boolean": "boolean", "String": "string", "Number": "float", "Object": "object"}


async def code(visit: Visitor, flag_id: FromPath[str]) -> Page:
    """GET /flags/{id}/code. Raises NotFound or Forbidden."""
    page = await open_flag(visit, flag_id)
    website = visit.parts[Directory].find(page.flag.scope)
    client_id = website.client_id if website is not None else page.flag.scope
    environment = page.flag.environment
    return page.show(
        "flag_code.html",
        "code",
        pieces=pieces(page.flag, client_id, visit.parts.settings.public_url),
        environment=_("The snippets request the environment {name}.").format(name=figures.visible(environment))
        if environment
        else "",
    )


def pieces(flag: Flag, client_id: str, box: str) -> list[FlagSnippet]:
    """The snippets of a flag. `box` is the public address of this box."""
    environment, kind = flag.environment, kind_of(flag)
    base = f"{box}/public/v1/flags/{client_id}"
    base += f"/env/{quote(environment, safe='')}" if environment else ""
    asked = {"clientId": client_id, "key": flag.key, "userId": "user-42"}
    asked |= {"environment": environment} if environment else {}
    filled = {
        "client": json.dumps(client_id),
        "box": json.dumps(box),
        "key": json.dumps(flag.key),
        "base": json.dumps(base),
        "kind": kind,
        "default": _DEFAULTS[kind],
        "python_kind": _PYTHON_KINDS[kind],
        "python_default": _PYTHON_DEFAULTS[kind],
        "environment_prop": f" environment={{{json.dumps(environment)}}}" if environment else "",
        "environment_option": f", environment: {json.dumps(environment)}" if environment else "",
        "evaluate": f"{box}/public/v1/flags/evaluate?{urlencode(asked)}",
    }
    return [
        FlagSnippet(f"code-{name}", _NAMES[name], _INSTALLS[name], template.format(**filled))
        for name, template in _TEMPLATES.items()
    ]


def kind_of(flag: Flag) -> str:
    """The OpenFeature function that evaluates the flag, by the values of its variants."""
    variants = flag.definition.variants
    if flag.definition.type != "multivariant" or not variants:
        return "Boolean"
    kinds = {one.type for one in variants}
    return {"string": "String", "number": "Number"}.get(kinds.pop(), "Object") if len(kinds) == 1 else "Object"
