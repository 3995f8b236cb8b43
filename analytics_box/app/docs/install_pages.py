"""Pages that install the script: guides of the manual with the ID of a website filled in, and the WordPress plugin."""

import io
import json
import zipfile
from pathlib import Path
from typing import Final

from litestar import Response
from litestar.params import FromPath
from markupsafe import Markup

from analytics_box import __version__
from analytics_box.app.docs.manual import ManualPages, Section
from analytics_box.base.errors import NotFound
from analytics_box.base.translation import _
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.settings_area import settings_page
from analytics_box.web.page.visit import Page, Visitor

# The page of the manual whose guides need the steps at its beginning, and all pages whose sections are guides.
OWN_DOMAIN: Final = "first-party"
GUIDE_PAGES: Final = ("website-builders", "frameworks", OWN_DOMAIN)
PLUGIN: Final = "analytics-box"
_EXAMPLE_ID: Final = "YOUR-WEBSITE-ID"


async def show(visit: Visitor, website_id: FromPath[str], name: FromPath[str]) -> Page:
    """GET /sites/{id}/settings/install/{name}: a guide for the website. Raises NotFound."""
    website = own(visit.call, website_id)
    place, page, section = _find(visit.parts[ManualPages], name)
    texts = [
        Markup(text.replace(_EXAMPLE_ID, website.client_id))  # noqa: S704  an ID has no special characters
        for text in (section.text, page.text if place == OWN_DOMAIN else Markup())
    ]
    return settings_page(
        visit,
        "site_install.html",
        "tracking",
        website,
        title=section.title,
        text=texts[0],
        intro=texts[1],
        plugin=f"/sites/{website.id}/settings/wordpress/{PLUGIN}.zip" if name == "wordpress" else "",
    )


async def plugin(visit: Visitor, website_id: FromPath[str]) -> Response[bytes]:
    """GET /sites/{id}/settings/wordpress/analytics-box.zip: the plugin with the website filled in."""
    website = own(visit.call, website_id)
    folder = visit.parts[ManualPages].folder.with_name("wordpress")
    filled = {"server": visit.parts.settings.tracker_url, "website_id": website.client_id}
    return Response(
        plugin_archive(folder, filled),
        media_type="application/zip",
        headers={"cache-control": "no-store", "content-disposition": f'attachment; filename="{PLUGIN}.zip"'},
    )


def _find(manual: ManualPages, guide: str) -> tuple[str, Section, Section]:
    """The page and the section of a guide. Raises NotFound."""
    for name in GUIDE_PAGES:
        page = manual.page(name)
        for section in page.parts:
            if section.id == guide:
                return name, page, section
    raise NotFound(_("This guide does not exist"))


def plugin_archive(folder: Path, website: dict[str, str] | None = None) -> bytes:
    """The WordPress plugin in a folder as a zip file, with a website filled in if given. Archives of the same content
    are the same.
    """
    version = __version__.encode()
    files = {path.name: path.read_bytes().replace(b"@version@", version) for path in folder.iterdir()}
    if website is not None:
        files["website.json"] = json.dumps(website).encode()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{PLUGIN}/{name}")
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            opened.writestr(entry, content)
    return archive.getvalue()
