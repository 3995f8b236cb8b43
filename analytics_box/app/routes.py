"""Every address of the box: method, path, handler, and who may call it. Products have tables of their own.

Procedures have a table of their own, in procedures, and two addresses each. The event routes stand in
ingest.routes.handlers; they check API keys themselves.
"""

from analytics_box.app.plain_routes import FILES, ON_EVERY_MACHINE
from analytics_box.app.procedures import PROCEDURES
from analytics_box.products.flags import addresses as flags
from analytics_box.products.links import addresses as links
from analytics_box.products.monitors import addresses as monitors
from analytics_box.products.status_pages import addresses as status_pages
from analytics_box.web.page.templates import FORM_KEPT
from analytics_box.web.route import (
    PUBLIC,
    RESOURCE,
    Handlers,
    Route,
    deleted_routes,
    edited_routes,
    form_route,
    form_routes,
    page_route,
)

website_pages = Handlers("analytics_box.tenants.websites.pages")
export_pages = Handlers("analytics_box.products.exports.pages")
install_pages = Handlers("analytics_box.app.docs.install_pages")

WEBSITE_ADDRESSES: tuple[Route, ...] = (
    page_route("/sites/new", website_pages.new_site_form, "admin"),
    form_route("/sites/new", website_pages.add_site, "admin", kept=True),
    page_route("/sites/{website_id:str}/settings", website_pages.general, "member"),
    form_route("/sites/{website_id:str}/settings", website_pages.save_general, "admin", kept=True),
    page_route("/sites/{website_id:str}/settings/tracking", website_pages.tracking, "member"),
    form_route("/sites/{website_id:str}/settings/tracking", website_pages.save_tracking, "member", kept=True),
    form_route("/sites/{website_id:str}/settings/client-id", website_pages.rotate, "member"),
    page_route("/sites/{website_id:str}/settings/install/{name:str}", install_pages.show, "member"),
    page_route("/sites/{website_id:str}/settings/wordpress/analytics-box.zip", install_pages.plugin, "member"),
    page_route("/sites/{website_id:str}/settings/export", export_pages.export_page, "member"),
    Route(
        "GET",
        "/sites/{website_id:str}/export/{table:str}/{month:str}/{form:str}",
        export_pages.download,
        "read:data",
        "member",
    ),
    page_route("/sites/{website_id:str}/settings/danger", website_pages.danger, "admin"),
    form_route("/sites/{website_id:str}/settings/delete", website_pages.delete, "admin"),
    page_route("/sites/{website_id:str}/settings/transfer", website_pages.transfer_form, "admin"),
    form_route("/sites/{website_id:str}/settings/transfer", website_pages.transfer, "admin"),
    form_route("/sites/{website_id:str}/restore", website_pages.restore, "admin"),
)


organization_pages = Handlers("analytics_box.tenants.organizations.pages")

ORGANIZATION_ADDRESSES: tuple[Route, ...] = (
    form_route("/organizations/switch", organization_pages.switch, about="own"),
    page_route("/settings/organization", organization_pages.organization),
    form_route("/settings/organization", organization_pages.save_organization, "admin", kept=True),
    form_route("/settings/organization/new", organization_pages.add_organization, kept=True, about="own"),
    form_route("/settings/organization/logo", organization_pages.upload_logo, "admin"),
    form_route("/settings/organization/logo/delete", organization_pages.delete_logo, "admin"),
    page_route("/settings/organization/leave", organization_pages.leave_form, about="own"),
    form_route("/settings/organization/leave", organization_pages.leave, about="own"),
    page_route("/settings/organization/transfer", organization_pages.transfer_form, "owner"),
    form_route("/settings/organization/transfer", organization_pages.transfer, "owner"),
    page_route("/settings/organization/delete", organization_pages.delete_form, "owner"),
    form_route("/settings/organization/delete", organization_pages.delete, "owner"),
    form_route("/settings/organization/restore", organization_pages.restore, about="own"),
    Route("GET", "/logos/{organization_id:str}/{digest:str}", organization_pages.logo, "manage:config", about="own"),
)


defaults_pages = Handlers("analytics_box.tenants.configuration.defaults_pages")
delivery_pages = Handlers("analytics_box.tenants.configuration.delivery_pages")
domain_pages = Handlers("analytics_box.tenants.configuration.domain_pages")
integration_pages = Handlers("analytics_box.tenants.configuration.integration_pages")

CONFIGURATION_ADDRESSES: tuple[Route, ...] = (
    page_route("/settings/integrations", integration_pages.integrations),
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


security_pages = Handlers("analytics_box.tenants.accounts.security_pages")
profile_pages = Handlers("analytics_box.tenants.accounts.profile_pages")
reset_pages = Handlers("analytics_box.tenants.accounts.reset_pages")
sign_in_pages = Handlers("analytics_box.tenants.accounts.sign_in_pages")

ACCOUNT_ADDRESSES: tuple[Route, ...] = (
    Route("GET", "/sign-in", sign_in_pages.sign_in_form, PUBLIC, page=True),
    Route("POST", "/sign-in", sign_in_pages.sign_in, PUBLIC, page=True),
    Route("GET", "/sign-in/code", sign_in_pages.code_form, PUBLIC, page=True),
    Route("POST", "/sign-in/code", sign_in_pages.check_code, PUBLIC, page=True),
    Route("POST", "/sign-out", sign_in_pages.sign_out, PUBLIC, page=True),
    Route("GET", "/forgot-password", reset_pages.forgot_form, PUBLIC, page=True),
    Route("POST", "/forgot-password", reset_pages.forgot, PUBLIC, page=True),
    Route("GET", "/reset-password", reset_pages.reset_form, PUBLIC, page=True),
    Route("POST", "/reset-password", reset_pages.reset, PUBLIC, page=True),
    page_route("/settings/profile", profile_pages.profile, about="own"),
    form_route("/settings/profile", profile_pages.save, kept=True, about="own"),
    form_route("/settings/theme", profile_pages.switch_theme, about="own"),
    page_route("/settings/security", security_pages.security, about="own"),
    form_route("/settings/security/password", security_pages.change_password, about="own"),
    form_route("/settings/security/sessions/end", security_pages.end_session, about="own"),
    form_route("/settings/security/sessions/end-others", security_pages.end_other_sessions, about="own"),
    page_route("/settings/security/second-factor", security_pages.second_factor_form, about="own"),
    form_route("/settings/security/second-factor", security_pages.begin_second_factor, about="own"),
    form_route("/settings/security/second-factor/confirm", security_pages.confirm_second_factor, about="own"),
    form_route("/settings/security/second-factor/remove", security_pages.remove_second_factor, about="own"),
    form_route("/settings/security/recovery-codes", security_pages.renew_codes, about="own"),
)


alert_pages = Handlers("analytics_box.products.alerts.pages")
note_form = Handlers("analytics_box.products.notes.pages", "NOTE")
audit_pages = Handlers("analytics_box.tenants.audit_log.pages")
box_settings = Handlers("analytics_box.app.box_settings.pages")
bot_pages = Handlers("analytics_box.ingest.bots.pages")
docs_pages = Handlers("analytics_box.app.docs.pages")
drop_pages = Handlers("analytics_box.ingest.dropped_events.pages")
error_pages = Handlers("analytics_box.products.errors.pages")
report_pages = Handlers("analytics_box.products.reports.pages")
recipient_pages = Handlers("analytics_box.products.reports.recipient_pages")
error_group_pages = Handlers("analytics_box.products.errors.group_pages")
import_routes = Handlers("analytics_box.products.imports.routes")
import_pages = Handlers("analytics_box.products.imports.pages")
webhooks = Handlers("analytics_box.products.revenue.webhook_routes")
revenue_settings = Handlers("analytics_box.products.revenue.pages")
currencies = Handlers("analytics_box.products.revenue.currency_pages")
source_map_pages = Handlers("analytics_box.products.source_maps.pages")
share_pages = Handlers("analytics_box.products.shares.pages")
share_settings = Handlers("analytics_box.products.shares.settings_pages")
retention_pages = Handlers("analytics_box.products.retention.pages")
revenue_pages = Handlers("analytics_box.products.revenue.board_pages")
journey_pages = Handlers("analytics_box.products.journeys.pages")
ai_pages = Handlers("analytics_box.products.ai_traffic.pages")
mcp_pages = Handlers("analytics_box.products.mcp_analytics.pages")
performance_pages = Handlers("analytics_box.products.overview.performance_pages")
funnel_forms = Handlers("analytics_box.products.funnels.form_pages", "PAGES")
funnel_pages = Handlers("analytics_box.products.funnels.pages")
goal_forms = Handlers("analytics_box.products.goals.form_pages", "PAGES")
goal_pages = Handlers("analytics_box.products.goals.pages")
key_pages = Handlers("analytics_box.tenants.keys.pages")
invitation_pages = Handlers("analytics_box.tenants.members.invitation_pages")
member_pages = Handlers("analytics_box.tenants.members.pages")
site_lists = Handlers("analytics_box.products.overview.list_pages")
change_pages = Handlers("analytics_box.products.overview.change_pages")
event_pages = Handlers("analytics_box.products.overview.event_pages")
session_pages = Handlers("analytics_box.products.overview.session_pages")
realtime_pages = Handlers("analytics_box.products.overview.realtime_pages")
overview = Handlers("analytics_box.products.overview.pages")
palette = Handlers("analytics_box.web.palette.pages")
people_pages = Handlers("analytics_box.products.people.pages")
compile_routes = Handlers("analytics_box.query.compile_routes")
export_routes = Handlers("analytics_box.query.export_routes")
query = Handlers("analytics_box.query.routes")
plausible = Handlers("analytics_box.query.compatible.plausible_routes")
umami = Handlers("analytics_box.query.compatible.umami_routes")
query_pages = Handlers("analytics_box.figures.explorer.pages")
saved_pages = Handlers("analytics_box.figures.explorer.saved_pages")
segment_form = Handlers("analytics_box.products.segments.pages", "SEGMENT")
setup_pages = Handlers("analytics_box.app.setup.pages")
watching = Handlers("analytics_box.app.watch.pages")
mcp = Handlers("analytics_box.app.mcp.routes")
well_known = Handlers("analytics_box.web.well_known")

PAGES_AND_API: tuple[Route, ...] = (
    *ACCOUNT_ADDRESSES,
    *ORGANIZATION_ADDRESSES,
    *links.ADDRESSES,
    *monitors.ADDRESSES,
    *flags.ADDRESSES,
    *status_pages.ADDRESSES,
    *CONFIGURATION_ADDRESSES,
    *WEBSITE_ADDRESSES,
    *ON_EVERY_MACHINE,
    Route("POST", "/webhooks/{name:str}/{address:str}", webhooks.receive, PUBLIC),
    Route("GET", "/openapi.json", docs_pages.openapi, PUBLIC),
    Route("GET", "/llms.txt", docs_pages.for_assistants, PUBLIC),
    Route("GET", "/docs/llms.txt", docs_pages.for_assistants, PUBLIC),
    Route("GET", "/docs/llms-full.txt", docs_pages.for_assistants, PUBLIC),
    Route("GET", "/docs", docs_pages.index, PUBLIC, page=True),
    Route("GET", "/docs/search", docs_pages.search_page, PUBLIC, page=True),
    Route("GET", "/docs/api", docs_pages.api, PUBLIC, page=True),
    Route("GET", "/docs/api/{name:str}", docs_pages.group, PUBLIC, page=True),
    Route("GET", "/docs/query-types", docs_pages.query_types, PUBLIC, page=True),
    Route("GET", "/docs/query-types/{family:str}", docs_pages.query_family, PUBLIC, page=True),
    Route("GET", "/docs/{name:str}", docs_pages.page, PUBLIC, page=True),
    Route("GET", "/.well-known/api-catalog", well_known.api_catalog, PUBLIC),
    Route("GET", "/.well-known/mcp.json", mcp.server_card, PUBLIC),
    Route("GET", RESOURCE, well_known.protected_resource, PUBLIC),
    Route("GET", RESOURCE + "/{suffix:path}", well_known.protected_resource_part, PUBLIC),
    FILES,
    Route("GET", "/setup", setup_pages.setup_form, PUBLIC, page=True),
    Route("POST", "/setup", setup_pages.set_up, PUBLIC, page=True),
    Route("GET", "/invitation", invitation_pages.invitation, PUBLIC, page=True),
    Route("POST", "/invitation", invitation_pages.accept, PUBLIC, page=True),
    page_route("/settings/members", member_pages.member_list),
    form_route("/settings/members/invite", member_pages.invite_member, "admin", kept=True),
    form_route("/settings/members/invitations/revoke", member_pages.revoke_invitation, "admin"),
    form_route("/settings/members/role", member_pages.change_role, "admin"),
    page_route("/settings/members/access", member_pages.show_access, "admin"),
    form_route("/settings/members/access", member_pages.change_access, "admin"),
    form_route("/settings/members/confirm", member_pages.confirm, "admin"),
    page_route("/settings/members/remove", member_pages.remove_form, "admin"),
    form_route("/settings/members/remove", member_pages.remove, "admin"),
    page_route("/alarms", alert_pages.former_page),
    page_route("/alarms/{rest:path}", alert_pages.former_page),
    page_route("/alerts", alert_pages.list_page),
    *form_routes("/alerts/new", alert_pages.within("RULE"), "admin"),
    *form_routes("/alerts/{alarm_id:str}", alert_pages.within("RULE"), "admin"),
    page_route("/alerts/{alarm_id:str}/{action:str}", alert_pages.confirm, "admin"),
    form_route("/alerts/{alarm_id:str}/{action:str}", alert_pages.act, "member"),
    page_route("/settings/box", watching.box, about="own"),
    form_route("/settings/box/notices/dismiss", box_settings.dismiss_notice, about="own"),
    page_route("/settings/box/email", box_settings.show, about="own"),
    form_route("/settings/box/email", box_settings.save, kept=True, about="own"),
    form_route("/settings/box/email/test", box_settings.test_email, about="own"),
    page_route("/settings/box/backups", box_settings.show, about="own"),
    form_route("/settings/box/backups", box_settings.save, kept=True, about="own"),
    form_route("/settings/box/backups/start", box_settings.start_backup, about="own"),
    page_route("/settings/box/network", box_settings.show, about="own"),
    form_route("/settings/box/network", box_settings.save, kept=True, about="own"),
    form_route(
        "/settings/box/network/{organization_id:str}", box_settings.save_organization_networks, kept=True, about="own"
    ),
    page_route("/settings/export", export_pages.organization_export, "member"),
    page_route("/settings/audit", audit_pages.audit_log, "admin"),
    page_route(FORM_KEPT, sign_in_pages.nothing_kept, about="own"),
    page_route("/palette", palette.show, about="selected"),
    page_route("/palette/options", palette.options, about="selected"),
    Route("GET", "/", site_lists.home, PUBLIC, page=True),
    page_route("/sites", site_lists.site_list, about="selected"),
    form_route("/sites/example", setup_pages.example, "admin"),
    page_route("/sites/{website_id:str}", overview.site),
    page_route("/sites/{website_id:str}/parts/{name:str}", overview.site_part),
    page_route("/sites/{website_id:str}/details/{name:str}", overview.site_details),
    page_route("/sites/{website_id:str}/details/{name:str}/{form:str}", overview.site_details_file),
    page_route("/sites/{website_id:str}/export/{form:str}", overview.site_export),
    page_route("/sites/{website_id:str}/values", overview.site_values),
    page_route("/sites/{website_id:str}/segments", segment_form.show_form),
    form_route("/sites/{website_id:str}/segments", segment_form.submit_form, "member", kept=True),
    form_route("/sites/{website_id:str}/segments/{segment_id:str}", segment_form.submit_form, "member", kept=True),
    *deleted_routes(
        "/sites/{website_id:str}/segments/{segment_id:str}/delete", segment_form.within("deletion"), "member"
    ),
    page_route("/sites/{website_id:str}/live", overview.site_live),
    page_route("/sites/{website_id:str}/changes", change_pages.show),
    page_route("/sites/{website_id:str}/changes/export/{form:str}", change_pages.file),
    page_route("/sites/{website_id:str}/realtime", realtime_pages.show),
    page_route("/sites/{website_id:str}/sessions", session_pages.session_list),
    page_route("/sites/{website_id:str}/session", session_pages.session),
    page_route("/sites/{website_id:str}/notes", note_form.show_form),
    form_route("/sites/{website_id:str}/notes", note_form.submit_form, "member", kept=True),
    *form_routes("/sites/{website_id:str}/notes/{note_id:str}", note_form, "member"),
    *deleted_routes("/sites/{website_id:str}/notes/{note_id:str}/delete", note_form.within("deletion"), "member"),
    page_route("/sites/{website_id:str}/queries", query_pages.show),
    page_route("/sites/{website_id:str}/queries/csv", query_pages.sheet),
    form_route("/sites/{website_id:str}/queries/saved", saved_pages.save, "member", kept=True),
    *deleted_routes(
        "/sites/{website_id:str}/queries/saved/{question_id:str}/delete", saved_pages.within("DELETION"), "member"
    ),
    page_route("/sites/{website_id:str}/not-counted", drop_pages.show),
    form_route("/sites/{website_id:str}/origins", drop_pages.allow_origin, "member"),
    page_route("/sites/{website_id:str}/visitors", people_pages.show, "member"),
    page_route("/sites/{website_id:str}/visitors/profile", people_pages.person, "member"),
    page_route("/sites/{website_id:str}/visitors/export", people_pages.export, "member"),
    page_route("/sites/{website_id:str}/visitors/delete", people_pages.confirm, "admin"),
    form_route("/sites/{website_id:str}/visitors/delete", people_pages.delete, "admin"),
    page_route("/sites/{website_id:str}/goal", event_pages.show_goal),
    page_route("/sites/{website_id:str}/goal/export/{form:str}", event_pages.goal_file),
    page_route("/sites/{website_id:str}/goals", goal_pages.show),
    *edited_routes("/sites/{website_id:str}/goals", "goal_id", goal_forms, "member"),
    page_route("/sites/{website_id:str}/errors", error_pages.show),
    page_route("/sites/{website_id:str}/errors/export/{form:str}", error_pages.file),
    page_route("/sites/{website_id:str}/errors/{name:str}", error_group_pages.show),
    page_route("/sites/{website_id:str}/errors/{name:str}/export/{form:str}", error_group_pages.file),
    form_route("/sites/{website_id:str}/errors/{name:str}/state", error_group_pages.decide, "member"),
    page_route("/sites/{website_id:str}/source-maps", source_map_pages.show),
    page_route("/sites/{website_id:str}/settings/import", import_pages.show, "admin"),
    form_route("/sites/{website_id:str}/settings/import", import_pages.upload, "admin"),
    page_route("/sites/{website_id:str}/imports/{import_id:str}", import_pages.show_one, "admin"),
    form_route("/sites/{website_id:str}/imports/{import_id:str}/start", import_pages.start, "admin"),
    page_route("/sites/{website_id:str}/imports/{import_id:str}/undo", import_pages.undo_form, "admin"),
    form_route("/sites/{website_id:str}/imports/{import_id:str}/undo", import_pages.undo, "admin"),
    Route("PUT", "/imports/{import_id:str}/file", import_routes.put_file, "manage:websites", "admin"),
    form_route("/sites/{website_id:str}/source-maps", source_map_pages.upload, "member"),
    form_route("/sites/{website_id:str}/source-maps/delete", source_map_pages.delete_release, "member"),
    form_route("/sites/{website_id:str}/source-maps/{source_map_id:str}/delete", source_map_pages.delete, "member"),
    page_route("/sites/{website_id:str}/performance", performance_pages.show),
    page_route("/sites/{website_id:str}/performance/export/{form:str}", performance_pages.file),
    page_route("/sites/{website_id:str}/ai-traffic", ai_pages.show),
    page_route("/sites/{website_id:str}/ai-traffic/parts/{name:str}", ai_pages.show_part),
    page_route("/sites/{website_id:str}/ai-traffic/values", ai_pages.show_values),
    page_route("/sites/{website_id:str}/ai-traffic/details/{name:str}", ai_pages.show_details),
    page_route("/sites/{website_id:str}/ai-traffic/details/{name:str}/{form:str}", ai_pages.details_file),
    page_route("/sites/{website_id:str}/ai-traffic/export/{form:str}", ai_pages.export_file),
    page_route("/sites/{website_id:str}/mcp", mcp_pages.show),
    page_route("/sites/{website_id:str}/mcp/parts/{name:str}", mcp_pages.show_part),
    page_route("/sites/{website_id:str}/mcp/values", mcp_pages.show_values),
    page_route("/sites/{website_id:str}/mcp/details/{name:str}", mcp_pages.show_details),
    page_route("/sites/{website_id:str}/mcp/details/{name:str}/{form:str}", mcp_pages.details_file),
    page_route("/sites/{website_id:str}/mcp/export/{form:str}", mcp_pages.export_file),
    page_route("/sites/{website_id:str}/funnels", funnel_pages.show),
    page_route("/sites/{website_id:str}/retention", retention_pages.show),
    page_route("/sites/{website_id:str}/retention/export/{form:str}", retention_pages.file),
    page_route("/sites/{website_id:str}/revenue", revenue_pages.show),
    page_route("/sites/{website_id:str}/revenue/export/{form:str}", revenue_pages.file),
    page_route("/sites/{website_id:str}/journeys", journey_pages.show),
    page_route("/sites/{website_id:str}/journeys/export/{form:str}", journey_pages.file),
    page_route("/sites/{website_id:str}/funnels/{funnel_id:str}", funnel_pages.show_one),
    page_route("/sites/{website_id:str}/funnels/{funnel_id:str}/export/{form:str}", funnel_pages.file),
    *edited_routes("/sites/{website_id:str}/funnels", "funnel_id", funnel_forms, "member", edit="/edit"),
    page_route("/settings/currencies", currencies.show, "admin", about="organization"),
    form_route("/settings/currencies", currencies.add, "admin", kept=True, about="organization"),
    form_route("/settings/currencies/delete", currencies.delete, "admin", about="organization"),
    page_route("/sites/{website_id:str}/settings/revenue", revenue_settings.show, "admin"),
    form_route("/sites/{website_id:str}/settings/revenue", revenue_settings.save, "admin", kept=True),
    form_route("/sites/{website_id:str}/settings/revenue/providers", revenue_settings.add, "admin", kept=True),
    form_route(
        "/sites/{website_id:str}/settings/revenue/providers/{name:str}/{action:str}",
        revenue_settings.act,
        "admin",
    ),
    page_route("/sites/{website_id:str}/settings/sharing", share_settings.sharing, "admin"),
    form_route("/sites/{website_id:str}/settings/sharing", share_settings.save_sharing, "admin", kept=True),
    *edited_routes("/sites/{website_id:str}/shares", "share_id", share_settings.within("SHARE"), "admin"),
    form_route("/sites/{website_id:str}/shares/{share_id:str}/logo", share_settings.upload_logo, "admin"),
    form_route("/sites/{website_id:str}/shares/{share_id:str}/logo/delete", share_settings.delete_logo, "admin"),
    page_route("/sites/{website_id:str}/reports", report_pages.show, "admin"),
    *edited_routes(
        "/sites/{website_id:str}/reports", "report_id", report_pages.within("REPORT"), "admin", edit="/edit"
    ),
    page_route("/sites/{website_id:str}/reports/{report_id:str}", report_pages.show_one, "admin"),
    form_route("/sites/{website_id:str}/reports/{report_id:str}/send", report_pages.send, "admin"),
    page_route("/sites/{website_id:str}/reports/{report_id:str}/mail", report_pages.mail, "admin"),
    Route("GET", "/reports/confirm/{token:str}", recipient_pages.show_form, PUBLIC, page=True),
    Route("GET", "/reports/files/{token:str}", recipient_pages.files, PUBLIC),
    Route("POST", "/reports/confirm/{token:str}", recipient_pages.confirm, PUBLIC, page=True),
    Route("GET", "/reports/unsubscribe/{token:str}", recipient_pages.show_form, PUBLIC, page=True),
    # Mail programs post to it from elsewhere, without a session (RFC 8058).
    Route("POST", "/reports/unsubscribe/{token:str}", recipient_pages.unsubscribe, PUBLIC),
    Route("GET", "/share/{slug:str}", share_pages.show, PUBLIC, page=True),
    Route("POST", "/share/{slug:str}", share_pages.enter, PUBLIC, page=True),
    Route("GET", "/share/{slug:str}/parts/{name:str}", share_pages.show_part, PUBLIC, page=True),
    Route("GET", "/share/{slug:str}/details/{name:str}", share_pages.details, PUBLIC, page=True),
    Route("GET", "/share/{slug:str}/details/{name:str}/{form:str}", share_pages.details_file, PUBLIC, page=True),
    Route("GET", "/share/{slug:str}/export/{form:str}", share_pages.export_file, PUBLIC, page=True),
    Route("GET", "/share/{slug:str}/count.json", share_pages.count, PUBLIC, page=True),
    Route("GET", "/share/{slug:str}/badge.svg", share_pages.month_badge, PUBLIC, page=True),
    Route("GET", "/embed/{slug:str}", share_pages.show, PUBLIC, page=True),
    Route("GET", "/embed/{slug:str}/parts/{name:str}", share_pages.show_part, PUBLIC, page=True),
    Route("GET", "/embed/{slug:str}/details/{name:str}", share_pages.details, PUBLIC, page=True),
    Route("GET", "/embed/{slug:str}/details/{name:str}/{form:str}", share_pages.details_file, PUBLIC, page=True),
    Route("GET", "/embed/{slug:str}/export/{form:str}", share_pages.export_file, PUBLIC, page=True),
    Route("GET", "/share/{slug:str}/colors.css", share_pages.colors, PUBLIC, page=True),
    Route("GET", "/share/{slug:str}/logo", share_pages.logo, PUBLIC, page=True),
    page_route("/sites/{website_id:str}/events", event_pages.show),
    page_route("/sites/{website_id:str}/events/export/{form:str}", event_pages.file),
    page_route("/sites/{website_id:str}/bots", bot_pages.show),
    form_route("/sites/{website_id:str}/bots/allow", bot_pages.allow, "member"),
    form_route("/sites/{website_id:str}/bots/refuse", bot_pages.refuse, "member"),
    form_route("/sites/{website_id:str}/bots/options", bot_pages.options, "member"),
    page_route("/settings/keys", key_pages.key_list),
    page_route("/settings/keys/new", key_pages.new_key_form, "member"),
    form_route("/settings/keys/new", key_pages.add_key, "member", kept=True),
    page_route("/settings/keys/{key_id:str}", key_pages.edit_key_form, "admin"),
    form_route("/settings/keys/{key_id:str}", key_pages.edit_key, "admin", kept=True),
    page_route("/settings/keys/{key_id:str}/{ending:str}", key_pages.confirm, "admin"),
    form_route("/settings/keys/{key_id:str}/{ending:str}", key_pages.end_key, "admin"),
    Route("POST", "/v1/query", query.query, "read:data", anonymous=True, also="read:monitors", about="own"),
    Route(
        "POST",
        "/v1/query/compile",
        compile_routes.compile_query,
        "read:data",
        anonymous=True,
        also="read:monitors",
        about="own",
    ),
    Route("POST", "/v1/mcp", mcp.answer, PUBLIC, by_key="any"),
    Route("POST", "/v1/export/data", export_routes.export_data, "read:data", about="own"),
    Route("GET", "/v1/query/types", query.types, PUBLIC),
    Route("GET", "/v1/query/websites", query.list_websites, "read:data", about="own"),
    Route("POST", "/api/v2/query", plausible.query, "read:data", about="own"),
    Route("GET", "/api/v1/stats/aggregate", plausible.aggregate, "read:data", about="own"),
    Route("GET", "/api/v1/stats/timeseries", plausible.timeseries, "read:data", about="own"),
    Route("GET", "/api/v1/stats/breakdown", plausible.breakdown, "read:data", about="own"),
    Route("GET", "/api/v1/stats/realtime/visitors", plausible.realtime, "read:data", about="own"),
    Route("GET", "/api/websites", umami.websites, "read:data", about="own"),
    Route("GET", "/api/websites/{website_id:str}/metrics/expanded", umami.metric_details, "read:data", about="own"),
    Route("GET", "/api/websites/{website_id:str}/stats", umami.stats, "read:data", about="own"),
    Route("GET", "/api/websites/{website_id:str}/pageviews", umami.pageviews, "read:data", about="own"),
    Route("GET", "/api/websites/{website_id:str}/metrics", umami.metrics, "read:data", about="own"),
    Route("GET", "/api/websites/{website_id:str}/active", umami.active, "read:data", about="own"),
)

TABLE: tuple[Route, ...] = (
    *PAGES_AND_API,
    *(
        Route("POST", path, line.named, line.access, line.role, anonymous=line.anonymous, procedure=True)
        for line in PROCEDURES
        for path in line.paths
    ),
)
