"""Addresses of organizations."""

from analytics_box.web.handlers import Handlers
from analytics_box.web.route import Route, form_route, page_route

deletion_pages = Handlers("analytics_box.tenants.organizations.deletion_pages")
leaving_pages = Handlers("analytics_box.tenants.organizations.leaving_pages")
logo_pages = Handlers("analytics_box.tenants.organizations.logo_pages")
organization_pages = Handlers("analytics_box.tenants.organizations.pages")
organizations = Handlers("analytics_box.tenants.organizations.routes")

ADDRESSES: tuple[Route, ...] = (
    form_route("/organizations/switch", organization_pages.switch),
    page_route("/settings/organization", organization_pages.organization),
    form_route("/settings/organization", organization_pages.save_organization, "admin", kept=True),
    form_route("/settings/organization/new", organization_pages.add_organization, kept=True),
    form_route("/settings/organization/logo", logo_pages.upload_logo, "admin"),
    form_route("/settings/organization/logo/delete", logo_pages.delete_logo, "admin"),
    page_route("/settings/organization/leave", leaving_pages.leave_form),
    form_route("/settings/organization/leave", leaving_pages.leave),
    page_route("/settings/organization/transfer", leaving_pages.transfer_form, "owner"),
    form_route("/settings/organization/transfer", leaving_pages.transfer, "owner"),
    page_route("/settings/organization/delete", deletion_pages.delete_form, "owner"),
    form_route("/settings/organization/delete", deletion_pages.delete, "owner"),
    form_route("/settings/organization/restore", deletion_pages.restore),
    Route("GET", "/logos/{organization_id:str}/{digest:str}", organizations.logo, "manage:config"),
)
