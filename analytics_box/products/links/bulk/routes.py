"""All links as a file to download. Keys need read:links."""

from typing import Any

from litestar import Request
from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.response import Stream

from analytics_box.base import errors
from analytics_box.products.links.bulk import exports
from analytics_box.web.call import Call


async def export(
    request: Request[Any, Any, Any],
    form: FromPath[str],
    call: NamedDependency[Call],
) -> Stream:
    """GET /links/export/{csv or json}: all links of the organization, with ?folderId= those of a folder."""
    if form not in exports.TYPES:
        raise errors.NotFound("Export links as csv or json")
    folder = request.query_params.get("folderId")
    kind: exports.Form = "csv" if form == "csv" else "json"
    return Stream(
        exports.pieces(call, call.organization(), kind, folder_id=folder),
        media_type=exports.TYPES[kind],
        headers={"cache-control": "no-store", "content-disposition": f'attachment; filename="links.{kind}"'},
    )
