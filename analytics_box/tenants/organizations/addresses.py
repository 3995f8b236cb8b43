"""Addresses of organizations."""

from analytics_box.web.handlers import Handlers
from analytics_box.web.route import Route, posted, shown

deletion_pages = Handlers("analytics_box.tenants.organizations.deletion_pages")
leaving_pages = Handlers("analytics_box.tenants.organizations.leaving_pages")
logo_pages = Handlers("analytics_box.tenants.organizations.logo_pages")
organization_pages = Handlers("analytics_box.tenants.organizations.pages")
organizations = Handlers("analytics_box.tenants.organizations.routes")

ADDRESSES: tuple[Route, ...] = (
    posted("/organizations/switch", organization_pages.switch),
    shown("/settings/organization", organization_pages.organization),
    posted("/settings/organization", organization_pages.save_organization, "admin", kept=True),
    posted("/settings/organization/new", organization_pages.add_organization, kept=True),
    posted("/settings/organization/logo", logo_pages.upload_logo, "admin"),
    posted("/settings/organization/logo/delete", logo_pages.delete_logo, "admin"),
    shown("/settings/organization/leave", leaving_pages.leave_form),
    posted("/settings/organization/leave", leaving_pages.leave),
    shown("/settings/organization/transfer", leaving_pages.transfer_form, "owner"),
    posted("/settings/organization/transfer", leaving_pages.transfer, "owner"),
    shown("/settings/organization/delete", deletion_pages.delete_form, "owner"),
    posted("/settings/organization/delete", deletion_pages.delete, "owner"),
    posted("/settings/organization/restore", deletion_pages.restore),
    Route("GET", "/logos/{organization_id:str}/{digest:str}", organizations.logo, "manage:config"),
)
