"""Addresses of what an organization has set up: integrations, domains, defaults."""

from analytics_box.web.handlers import Handlers
from analytics_box.web.route import Route, form_route, page_route

defaults_pages = Handlers("analytics_box.tenants.configuration.defaults_pages")
delivery_pages = Handlers("analytics_box.tenants.configuration.delivery_pages")
domain_pages = Handlers("analytics_box.tenants.configuration.domain_pages")
integration_pages = Handlers("analytics_box.tenants.configuration.integration_pages")

ADDRESSES: tuple[Route, ...] = (
    page_route("/settings/integrations", integration_pages.integrations),
    form_route("/settings/integrations/test-mail", integration_pages.test_mail, "admin"),
    page_route("/settings/integrations/new", integration_pages.new_channel_form, "admin"),
    form_route("/settings/integrations/new", integration_pages.add_channel, "admin"),
    page_route("/settings/integrations/{channel_id:str}", integration_pages.edit_channel_form, "admin"),
    form_route("/settings/integrations/{channel_id:str}", integration_pages.save_channel, "admin"),
    page_route("/settings/integrations/{channel_id:str}/deliveries", delivery_pages.deliveries),
    form_route("/settings/integrations/{channel_id:str}/deliveries/{delivery_id:str}", delivery_pages.retry, "admin"),
    page_route("/settings/integrations/{channel_id:str}/{action:str}", integration_pages.confirm, "admin"),
    form_route("/settings/integrations/{channel_id:str}/{action:str}", integration_pages.act, "admin"),
    page_route("/settings/domains", domain_pages.domains),
    form_route("/settings/domains", domain_pages.add_domain, "admin", kept=True),
    form_route("/settings/domains/check", domain_pages.check_domain, "admin"),
    page_route("/settings/domains/remove", domain_pages.remove_form, "admin"),
    form_route("/settings/domains/remove", domain_pages.remove, "admin"),
    page_route("/settings/defaults", defaults_pages.defaults),
    form_route("/settings/defaults", defaults_pages.save, "admin", kept=True),
)
