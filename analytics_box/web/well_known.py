"""GET /.well-known/api-catalog and /.well-known/oauth-protected-resource (wire 11.4, RFC 9727 and RFC 9728)."""

from typing import Any, Final

import msgspec
from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath

from analytics_box.base import errors
from analytics_box.base.identity import SCOPES
from analytics_box.base.settings import Settings
from analytics_box.base.translation import _
from analytics_box.web.call import Parts

OPEN: Final = {"cache-control": "public, max-age=3600, must-revalidate", "access-control-allow-origin": "*"}


async def api_catalog(parts: NamedDependency[Parts]) -> Response[bytes]:
    """Links to the descriptions of the API (RFC 9727); the header Link has the same for HEAD."""
    url = parts.settings.public_url
    linkset = {
        "linkset": [
            {
                "anchor": f"{url}/",
                "service-desc": [{"href": f"{url}/openapi.json", "type": "application/vnd.oai.openapi+json"}],
                "service-doc": [{"href": f"{url}/docs", "type": "text/html"}],
                "status": [{"href": f"{url}/health", "type": "application/json"}],
            }
        ]
    }
    links = (
        f'<{url}/.well-known/api-catalog>; rel="api-catalog"; type="application/linkset+json"',
        f'<{url}/openapi.json>; rel="service-desc"; type="application/vnd.oai.openapi+json"',
        f'<{url}/docs>; rel="service-doc"; type="text/html"',
        f'<{url}/health>; rel="status"; type="application/json"',
    )
    return Response(
        msgspec.json.encode(linkset),
        media_type='application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
        headers={**OPEN, "link": ", ".join(links)},
    )


async def protected_resource(parts: NamedDependency[Parts]) -> Response[bytes]:
    """Metadata on authentication: an API key in a header (RFC 9728)."""
    return _resource(parts.settings, "")


async def protected_resource_part(
    request: Request[Any, Any, Any], suffix: FromPath[str], parts: NamedDependency[Parts]
) -> Response[bytes]:
    """Describe a part of the box, by its path. Raises NotFound."""
    path = suffix.strip("/")
    if len(path) > 200 or any(not (letter.isascii() and (letter.isalnum() or letter in "-._~/")) for letter in path):
        raise errors.NotFound(_("There is nothing at this address"))
    return _resource(parts.settings, f"/{path}" if path else "")


def _resource(settings: Settings, path: str) -> Response[bytes]:
    """Keys are made by people in the box's settings: there is no authorization server to ask."""
    described = {
        "resource": f"{settings.public_url}{path}",
        "resource_name": "Analytics Box",
        "authorization_servers": [],
        "bearer_methods_supported": ["header"],
        "scopes_supported": list(SCOPES),
        "resource_documentation": f"{settings.public_url}/docs",
    }
    return Response(msgspec.json.encode(described), media_type="application/json", headers=OPEN)
