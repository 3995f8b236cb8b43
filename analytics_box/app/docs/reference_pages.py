"""GET /openapi.json, and the same document as pages for people: GET /docs/api and GET /docs/api/{group}."""

from typing import Any

from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath

from analytics_box.app.docs.documentation import Documentation
from analytics_box.app.docs.manual import ManualPages
from analytics_box.app.docs.reference import Reference, slug_of
from analytics_box.base import errors
from analytics_box.web.call import Parts
from analytics_box.web.compression import accepted_codings, compress_file
from analytics_box.web.page.templates import Pages

_FOR_AN_HOUR = "public, max-age=3600, must-revalidate"


async def openapi(request: Request[Any, Any, Any], parts: NamedDependency[Parts]) -> Response[bytes]:
    """The OpenAPI document of this box; long, so it is compressed once and not for each who asks."""
    headers = {"cache-control": _FOR_AN_HOUR, "vary": "accept-encoding"}
    if "gzip" not in accepted_codings(request.headers.get("accept-encoding", "")):
        return Response(parts[Reference].encoded, media_type="application/json", headers=headers)
    content = compress_file(parts[Reference].encoded, "gzip")
    return Response(content, media_type="application/json", headers={**headers, "content-encoding": "gzip"})


async def api(
    request: Request[Any, Any, Any], parts: NamedDependency[Parts], pages: NamedDependency[Pages]
) -> Response[bytes]:
    """GET /docs/api: the API for people, from the same document."""
    reference = parts[Reference]

    def rendered() -> str:
        document = reference.document
        return pages.text(
            "docs/api.html",
            manual=parts[ManualPages],
            groups=reference.groups,
            here="api",
            server=document["servers"][0]["url"],
            version=document["info"]["version"],
            refusals=[
                (name.removeprefix("api-"), response["description"])
                for name, response in document["components"]["responses"].items()
                if name.startswith("api-")
            ],
        )

    return await parts[Documentation].pages.answer(request, "api", rendered)


# Former addresses of groups redirect.
MOVED_GROUPS = {"alarms": "alert-rules"}


async def group(
    request: Request[Any, Any, Any],
    name: FromPath[str],
    parts: NamedDependency[Parts],
    pages: NamedDependency[Pages],
) -> Response[bytes]:
    """GET /docs/api/{name}: the operations of one group, or a redirect from its former name. Raises NotFound."""
    if name in MOVED_GROUPS:
        return Response(b"", status_code=301, headers={"location": f"/docs/api/{MOVED_GROUPS[name]}"})
    groups = parts[Reference].groups
    match = next((one for one in groups if one.slug == slug_of(name)), None)
    if match is None:
        raise errors.NotFound("This part of the API does not exist")
    here = f"api/{match.slug}"

    def rendered() -> str:
        return pages.text("docs/group.html", manual=parts[ManualPages], groups=groups, here=here, group=match)

    return await parts[Documentation].pages.answer(request, here, rendered)
