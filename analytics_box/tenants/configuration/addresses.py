"""Addresses of what an organization has set up: integrations, domains, defaults."""

from analytics_box.web.handlers import Handlers
from analytics_box.web.route import Route, posted, shown

defaults_pages = Handlers("analytics_box.tenants.configuration.defaults_pages")
delivery_pages = Handlers("analytics_box.tenants.configuration.delivery_pages")
domain_pages = Handlers("analytics_box.tenants.configuration.domain_pages")
integration_pages = Handlers("analytics_box.tenants.configuration.integration_pages")

ADDRESSES: tuple[Route, ...] = (
    shown("/settings/integrations", integration_pages.integrations),
    posted("/settings/integrations/test-mail", integration_pages.test_mail, "admin"),
    shown("/settings/integrations/new", integration_pages.new_channel_form, "admin"),
    posted("/settings/integrations/new", integration_pages.add_channel, "admin"),
    shown("/settings/integrations/{channel_id:str}", integration_pages.edit_channel_form, "admin"),
    posted("/settings/integrations/{channel_id:str}", integration_pages.save_channel, "admin"),
    shown("/settings/integrations/{channel_id:str}/deliveries", delivery_pages.deliveries),
    posted("/settings/integrations/{channel_id:str}/deliveries/{delivery_id:str}", delivery_pages.retry, "admin"),
    shown("/settings/integrations/{channel_id:str}/{action:str}", integration_pages.confirm, "admin"),
    posted("/settings/integrations/{channel_id:str}/{action:str}", integration_pages.act, "admin"),
    shown("/settings/domains", domain_pages.domains),
    posted("/settings/domains", domain_pages.add_domain, "admin", kept=True),
    posted("/settings/domains/check", domain_pages.check_domain, "admin"),
    shown("/settings/domains/remove", domain_pages.remove_form, "admin"),
    posted("/settings/domains/remove", domain_pages.remove, "admin"),
    shown("/settings/defaults", defaults_pages.defaults),
    posted("/settings/defaults", defaults_pages.save, "admin", kept=True),
)
