"""Addresses of adding, changing, giving away and deleting websites."""

from analytics_box.web.handlers import Handlers
from analytics_box.web.route import Route, form_route, page_route

website_pages = Handlers("analytics_box.tenants.websites.pages")
website_settings = Handlers("analytics_box.tenants.websites.settings_pages")
transfer_pages = Handlers("analytics_box.tenants.websites.transfer_pages")

ADDRESSES: tuple[Route, ...] = (
    page_route("/sites/new", website_pages.new_site_form, "admin"),
    form_route("/sites/new", website_pages.add_site, "admin", kept=True),
    page_route("/sites/{website_id:str}/settings", website_settings.general, "member"),
    form_route("/sites/{website_id:str}/settings", website_settings.save_general, "admin", kept=True),
    page_route("/sites/{website_id:str}/settings/tracking", website_settings.tracking, "member"),
    form_route("/sites/{website_id:str}/settings/tracking", website_settings.save_tracking, "member", kept=True),
    form_route("/sites/{website_id:str}/settings/client-id", website_settings.rotate, "member"),
    page_route("/sites/{website_id:str}/settings/sharing", website_settings.sharing, "admin"),
    form_route("/sites/{website_id:str}/settings/sharing", website_settings.save_sharing, "admin", kept=True),
    page_route("/sites/{website_id:str}/settings/danger", website_settings.danger, "admin"),
    form_route("/sites/{website_id:str}/settings/delete", website_settings.delete, "admin"),
    page_route("/sites/{website_id:str}/settings/transfer", transfer_pages.transfer_form, "admin"),
    form_route("/sites/{website_id:str}/settings/transfer", transfer_pages.transfer, "admin"),
    form_route("/sites/{website_id:str}/restore", website_pages.restore, "admin"),
)
