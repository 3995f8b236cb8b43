"""Every address of the box on one screen: method, path, handler, and who may call it.

Procedures have a table of their own, in procedures, and two addresses each. The event routes stand in
ingest.routes.handlers; they check API keys themselves.
"""

from analytics_box.accounts import (
    password_pages,
    profile_pages,
    reset_pages,
    second_factor_pages,
    session_pages,
    sign_in_pages,
    theme_pages,
)
from analytics_box.alarms import pages as alarm_pages
from analytics_box.annotations import pages as note_pages
from analytics_box.auditlog import pages as audit_pages
from analytics_box.bots import pages as bot_pages
from analytics_box.configuration import defaults_pages, delivery_pages, domain_pages, integration_pages
from analytics_box.docs import pages as docs_pages
from analytics_box.docs import reference_pages, types_pages
from analytics_box.drops import pages as drop_pages
from analytics_box.flags.console import action_pages as flag_actions
from analytics_box.flags.console import code_pages as flag_code
from analytics_box.flags.console import flag_pages as flag_page
from analytics_box.flags.console import folder_pages as flag_folders
from analytics_box.flags.console import form_pages as flag_form
from analytics_box.flags.console import group_pages as flag_groups
from analytics_box.flags.console import history_pages as flag_history
from analytics_box.flags.console import list_pages as flag_list
from analytics_box.flags.console import moving_pages as flag_files
from analytics_box.flags.console import rollout_pages as flag_rollout
from analytics_box.flags.console import tester_pages as flag_tester
from analytics_box.flags.figures import pages as flag_results
from analytics_box.flags.serving import routes as flag_routes
from analytics_box.goals import event_pages
from analytics_box.goals import pages as goal_pages
from analytics_box.http import health, well_known
from analytics_box.http.page import assets
from analytics_box.http.permission import PUBLIC, SIGNED_IN
from analytics_box.http.route import Route
from analytics_box.keys import pages as key_pages
from analytics_box.links.bulk import pages as link_imports
from analytics_box.links.bulk import routes as link_files
from analytics_box.links.domains import pages as link_domains
from analytics_box.links.figures import pages as link_page
from analytics_box.links.folders import pages as link_folders
from analytics_box.links.form import pages as link_form
from analytics_box.links.listing import pages as link_pages
from analytics_box.links.qr import routes as link_qr
from analytics_box.members import invitation_pages, inviting_pages
from analytics_box.members import pages as member_pages
from analytics_box.monitors import push_routes
from analytics_box.monitors.figures import pages as monitor_figures
from analytics_box.monitors.form import pages as monitor_form
from analytics_box.monitors.listing import pages as monitor_list
from analytics_box.monitors.moving import pages as monitor_files
from analytics_box.monitors.windows import pages as maintenance_pages
from analytics_box.organizations import (
    deletion_pages,
    leaving_pages,
    logo_pages,
)
from analytics_box.organizations import pages as organization_pages
from analytics_box.organizations import routes as organizations
from analytics_box.overview import detail_pages as site_details
from analytics_box.overview import goal_pages as overview_goals
from analytics_box.overview import list_pages as website_list
from analytics_box.overview import pages as overview
from analytics_box.overview import realtime_pages
from analytics_box.palette import pages as palette
from analytics_box.procedures import PROCEDURES
from analytics_box.profiles import pages as people_pages
from analytics_box.query import compile_routes, export_routes
from analytics_box.query import routes as query
from analytics_box.query_pages import pages as query_pages
from analytics_box.query_pages import saved_pages
from analytics_box.segments import pages as segment_pages
from analytics_box.setup import pages as setup_pages
from analytics_box.status_pages.console import component_pages as status_components
from analytics_box.status_pages.console import history_pages as status_history
from analytics_box.status_pages.console import incident_pages as status_incidents
from analytics_box.status_pages.console import list_pages as status_list
from analytics_box.status_pages.console import maintenance_pages as status_maintenances
from analytics_box.status_pages.console import new_pages as status_new
from analytics_box.status_pages.console import now_pages as status_now
from analytics_box.status_pages.console import settings_pages as status_settings
from analytics_box.status_pages.console import subscriber_pages as status_subscribers
from analytics_box.status_pages.files import routes as status_uploads
from analytics_box.watch import pages as watching
from analytics_box.watch import routes as watch
from analytics_box.websites import pages as website_pages
from analytics_box.websites import settings_pages as website_settings
from analytics_box.websites import transfer_pages

PAGES_AND_API: tuple[Route, ...] = (
    Route("GET", "/health", health.health, PUBLIC),
    Route("GET", "/health/ready", watch.ready, PUBLIC),
    Route("GET", "/metrics", watch.metrics, PUBLIC),
    Route("GET", "/openapi.json", reference_pages.openapi, PUBLIC),
    Route("GET", "/docs", docs_pages.index, PUBLIC, page=True),
    Route("GET", "/docs/search", docs_pages.found, PUBLIC, page=True),
    Route("GET", "/docs/api", reference_pages.api, PUBLIC, page=True),
    Route("GET", "/docs/api/{name:str}", reference_pages.group, PUBLIC, page=True),
    Route("GET", "/docs/query-types", types_pages.query_types, PUBLIC, page=True),
    Route("GET", "/docs/query-types/{family:str}", types_pages.query_family, PUBLIC, page=True),
    Route("GET", "/docs/{name:str}", docs_pages.page, PUBLIC, page=True),
    Route("GET", "/.well-known/api-catalog", well_known.api_catalog, PUBLIC),
    Route("GET", well_known.RESOURCE, well_known.protected_resource, PUBLIC),
    Route("GET", well_known.RESOURCE + "/{suffix:path}", well_known.protected_resource_part, PUBLIC),
    Route("GET", "/script.js", assets.tracker, PUBLIC),
    Route("GET", "/databuddy.js", assets.tracker, PUBLIC),
    Route("GET", "/databuddy-debug.js", assets.tracker_to_read, PUBLIC),
    Route("GET", "/parts.js", assets.tracker_parts, PUBLIC),
    Route("GET", "/parts/{part:str}", assets.tracker_part, PUBLIC),
    Route("GET", "/static/{file:path}", assets.static, PUBLIC),
    Route("GET", "/favicon.ico", assets.favicon, PUBLIC),
    Route("GET", "/", sign_in_pages.home, PUBLIC, page=True),
    Route("GET", "/setup", setup_pages.setup_form, PUBLIC, page=True),
    Route("POST", "/setup", setup_pages.set_up, PUBLIC, page=True),
    Route("GET", "/sign-in", sign_in_pages.sign_in_form, PUBLIC, page=True),
    Route("POST", "/sign-in", sign_in_pages.sign_in, PUBLIC, page=True),
    Route("GET", "/sign-in/code", sign_in_pages.code_form, PUBLIC, page=True),
    Route("POST", "/sign-in/code", sign_in_pages.check_code, PUBLIC, page=True),
    Route("POST", "/sign-out", sign_in_pages.sign_out, PUBLIC, page=True),
    Route("GET", "/forgot-password", reset_pages.forgot_form, PUBLIC, page=True),
    Route("POST", "/forgot-password", reset_pages.forgot, PUBLIC, page=True),
    Route("GET", "/reset-password", reset_pages.reset_form, PUBLIC, page=True),
    Route("POST", "/reset-password", reset_pages.reset, PUBLIC, page=True),
    Route("GET", "/settings/profile", profile_pages.profile, SIGNED_IN, page=True),
    Route("POST", "/settings/profile", profile_pages.save, SIGNED_IN, page=True),
    Route("POST", "/settings/theme", theme_pages.switch, SIGNED_IN, page=True),
    Route("GET", "/settings/security", password_pages.security, SIGNED_IN, page=True),
    Route("POST", "/settings/security/password", password_pages.change_password, SIGNED_IN, page=True),
    Route("POST", "/settings/security/sessions/end", session_pages.end_session, SIGNED_IN, page=True),
    Route("POST", "/settings/security/sessions/end-others", session_pages.end_other_sessions, SIGNED_IN, page=True),
    Route("GET", "/settings/security/second-factor", second_factor_pages.form, SIGNED_IN, page=True),
    Route("POST", "/settings/security/second-factor", second_factor_pages.begin, SIGNED_IN, page=True),
    Route("POST", "/settings/security/second-factor/confirm", second_factor_pages.confirm, SIGNED_IN, page=True),
    Route("POST", "/settings/security/second-factor/remove", second_factor_pages.remove, SIGNED_IN, page=True),
    Route("POST", "/settings/security/recovery-codes", second_factor_pages.renew_codes, SIGNED_IN, page=True),
    Route("GET", "/invitation", invitation_pages.invitation, PUBLIC, page=True),
    Route("POST", "/invitation", invitation_pages.accept, PUBLIC, page=True),
    Route("POST", "/organizations/switch", organization_pages.switch, SIGNED_IN, page=True),
    Route("GET", "/settings/organization", organization_pages.organization, SIGNED_IN, page=True),
    Route("POST", "/settings/organization", organization_pages.save_organization, SIGNED_IN, "admin", page=True),
    Route("POST", "/settings/organization/new", organization_pages.add_organization, SIGNED_IN, page=True),
    Route("POST", "/settings/organization/logo", logo_pages.upload_logo, SIGNED_IN, "admin", page=True),
    Route("POST", "/settings/organization/logo/delete", logo_pages.delete_logo, SIGNED_IN, "admin", page=True),
    Route("GET", "/settings/organization/leave", leaving_pages.leave_form, SIGNED_IN, page=True),
    Route("POST", "/settings/organization/leave", leaving_pages.leave, SIGNED_IN, page=True),
    Route("GET", "/settings/organization/transfer", leaving_pages.transfer_form, SIGNED_IN, "owner", page=True),
    Route("POST", "/settings/organization/transfer", leaving_pages.transfer, SIGNED_IN, "owner", page=True),
    Route("GET", "/settings/organization/delete", deletion_pages.delete_form, SIGNED_IN, "owner", page=True),
    Route("POST", "/settings/organization/delete", deletion_pages.delete, SIGNED_IN, "owner", page=True),
    Route("POST", "/settings/organization/restore", deletion_pages.restore, SIGNED_IN, page=True),
    Route("GET", "/logos/{organization_id:str}/{digest:str}", organizations.logo, "manage:config"),
    Route("GET", "/links/{link_id:str}/qr/{form:str}", link_qr.qr_code, "read:links"),
    Route("GET", "/links/export/{form:str}", link_files.export, "read:links"),
    Route("GET", "/links", link_pages.link_list, SIGNED_IN, page=True),
    Route("GET", "/links/new", link_form.new_form, SIGNED_IN, "member", page=True),
    Route("POST", "/links/new", link_form.add, SIGNED_IN, "member", page=True),
    Route("GET", "/links/bulk", link_imports.import_form, SIGNED_IN, "member", page=True),
    Route("POST", "/links/bulk/file", link_imports.import_file, SIGNED_IN, "member", page=True),
    Route("POST", "/links/bulk/text", link_imports.import_text, SIGNED_IN, "member", page=True),
    Route("GET", "/links/bulk/{job_id:str}", link_imports.import_page, SIGNED_IN, "member", page=True),
    Route("POST", "/links/bulk/{job_id:str}", link_imports.run_import, SIGNED_IN, "member", page=True),
    Route("GET", "/links/folders", link_folders.folders, SIGNED_IN, page=True),
    Route("POST", "/links/folders", link_folders.add, SIGNED_IN, "member", page=True),
    Route("POST", "/links/folders/rename", link_folders.rename, SIGNED_IN, "member", page=True),
    Route("GET", "/links/folders/delete", link_folders.delete_form, SIGNED_IN, "member", page=True),
    Route("POST", "/links/folders/delete", link_folders.delete, SIGNED_IN, "member", page=True),
    Route("GET", "/links/domains", link_domains.domains, SIGNED_IN, page=True),
    Route("POST", "/links/domains", link_domains.add, SIGNED_IN, "admin", page=True),
    Route("POST", "/links/domains/save", link_domains.save, SIGNED_IN, "admin", page=True),
    Route("GET", "/links/domains/remove", link_domains.remove_form, SIGNED_IN, "admin", page=True),
    Route("POST", "/links/domains/remove", link_domains.remove, SIGNED_IN, "admin", page=True),
    Route("GET", "/links/{link_id:str}", link_page.link_page, SIGNED_IN, page=True),
    Route("GET", "/links/{link_id:str}/parts/{name:str}", link_page.link_part, SIGNED_IN, page=True),
    Route("GET", "/links/{link_id:str}/details/{name:str}", link_page.link_details, SIGNED_IN, page=True),
    Route(
        "GET", "/links/{link_id:str}/details/{name:str}/{form:str}", link_page.link_details_file, SIGNED_IN, page=True
    ),
    Route("GET", "/links/{link_id:str}/export/{form:str}", link_page.link_export, SIGNED_IN, page=True),
    Route("GET", "/links/{link_id:str}/values", link_page.link_values, SIGNED_IN, page=True),
    Route("GET", "/links/{link_id:str}/edit", link_form.edit_form, SIGNED_IN, "member", page=True),
    Route("POST", "/links/{link_id:str}/edit", link_form.save, SIGNED_IN, "member", page=True),
    Route("GET", "/links/{link_id:str}/delete", link_pages.delete_form, SIGNED_IN, "member", page=True),
    Route("POST", "/links/{link_id:str}/delete", link_pages.delete, SIGNED_IN, "member", page=True),
    Route("GET", "/monitors", monitor_list.monitor_list, SIGNED_IN, page=True),
    Route("GET", "/monitors/new", monitor_form.new_form, SIGNED_IN, "member", page=True),
    Route("POST", "/monitors/new", monitor_form.add, SIGNED_IN, "member", page=True),
    Route("GET", "/monitors/maintenance", maintenance_pages.maintenance_list, SIGNED_IN, page=True),
    Route("GET", "/monitors/maintenance/new", maintenance_pages.new_form, SIGNED_IN, "member", page=True),
    Route("POST", "/monitors/maintenance/new", maintenance_pages.add, SIGNED_IN, "member", page=True),
    Route(
        "GET", "/monitors/maintenance/{maintenance_id:str}", maintenance_pages.edit_form, SIGNED_IN, "member", page=True
    ),
    Route("POST", "/monitors/maintenance/{maintenance_id:str}", maintenance_pages.save, SIGNED_IN, "member", page=True),
    Route(
        "GET",
        "/monitors/maintenance/{maintenance_id:str}/delete",
        maintenance_pages.delete_form,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "POST",
        "/monitors/maintenance/{maintenance_id:str}/delete",
        maintenance_pages.delete,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "POST", "/monitors/maintenance/{maintenance_id:str}/end", maintenance_pages.end, SIGNED_IN, "member", page=True
    ),
    Route("GET", "/monitors/moving", monitor_files.moving, SIGNED_IN, page=True),
    Route("POST", "/monitors/moving/{do:str}", monitor_files.import_file, SIGNED_IN, "member", page=True),
    Route("GET", "/monitors/export/{form:str}", monitor_files.export_file, SIGNED_IN),
    Route("GET", "/monitors/{monitor_id:str}", monitor_figures.monitor_page, SIGNED_IN, page=True),
    Route("GET", "/monitors/{monitor_id:str}/parts/{name:str}", monitor_figures.monitor_part, SIGNED_IN, page=True),
    Route(
        "GET", "/monitors/{monitor_id:str}/details/{name:str}", monitor_figures.monitor_details, SIGNED_IN, page=True
    ),
    Route(
        "GET",
        "/monitors/{monitor_id:str}/details/{name:str}/{form:str}",
        monitor_figures.monitor_details_file,
        SIGNED_IN,
        page=True,
    ),
    Route("GET", "/monitors/{monitor_id:str}/export/{form:str}", monitor_figures.monitor_export, SIGNED_IN, page=True),
    Route("GET", "/monitors/{monitor_id:str}/edit", monitor_form.edit_form, SIGNED_IN, "member", page=True),
    Route("POST", "/monitors/{monitor_id:str}/edit", monitor_form.save, SIGNED_IN, "member", page=True),
    Route("GET", "/monitors/{monitor_id:str}/delete", monitor_figures.delete_form, SIGNED_IN, "member", page=True),
    Route("POST", "/monitors/{monitor_id:str}/delete", monitor_figures.delete, SIGNED_IN, "member", page=True),
    Route("POST", "/monitors/{monitor_id:str}/{action:str}", monitor_figures.act, SIGNED_IN, "member", page=True),
    Route("POST", "/sites/{website_id:str}/monitor", monitor_form.of_website, SIGNED_IN, "member", page=True),
    Route("GET", "/public/v1/flags/definitions", flag_routes.definitions, PUBLIC, by_key="manage:flags"),
    Route("POST", "/public/v1/flags", flag_routes.create, PUBLIC, by_key="manage:flags"),
    Route("PATCH", "/public/v1/flags/{flag_id:str}", flag_routes.update, PUBLIC, by_key="manage:flags"),
    Route("DELETE", "/public/v1/flags/{flag_id:str}", flag_routes.delete, PUBLIC, by_key="manage:flags"),
    Route("GET", "/flags", flag_list.flag_list, SIGNED_IN, page=True),
    Route("GET", "/flags/new", flag_form.new_form, SIGNED_IN, "member", page=True),
    Route("POST", "/flags/new", flag_form.add, SIGNED_IN, "member", page=True),
    Route("GET", "/flags/moving", flag_files.moving, SIGNED_IN, page=True),
    Route("POST", "/flags/moving/{do:str}", flag_files.import_file, SIGNED_IN, "member", page=True),
    Route("GET", "/flags/export/{form:str}", flag_files.export_file, SIGNED_IN),
    Route("GET", "/flags/folders", flag_folders.folder_list, SIGNED_IN, page=True),
    Route("POST", "/flags/folders/rename", flag_folders.rename, SIGNED_IN, "member", page=True),
    Route("GET", "/flags/folders/delete", flag_folders.delete_form, SIGNED_IN, "member", page=True),
    Route("POST", "/flags/folders/delete", flag_folders.delete, SIGNED_IN, "member", page=True),
    Route("GET", "/flags/groups", flag_groups.group_list, SIGNED_IN, page=True),
    Route("GET", "/flags/groups/new", flag_groups.new_form, SIGNED_IN, "member", page=True),
    Route("POST", "/flags/groups/new", flag_groups.add, SIGNED_IN, "member", page=True),
    Route("GET", "/flags/groups/{group_id:str}", flag_groups.edit_form, SIGNED_IN, "member", page=True),
    Route("POST", "/flags/groups/{group_id:str}", flag_groups.save, SIGNED_IN, "member", page=True),
    Route("GET", "/flags/groups/{group_id:str}/delete", flag_groups.delete_form, SIGNED_IN, "member", page=True),
    Route("POST", "/flags/groups/{group_id:str}/delete", flag_groups.delete, SIGNED_IN, "member", page=True),
    Route("GET", "/flags/{flag_id:str}", flag_page.flag_page, SIGNED_IN, page=True),
    Route("GET", "/flags/{flag_id:str}/results", flag_results.results, SIGNED_IN, page=True),
    Route("GET", "/flags/{flag_id:str}/edit", flag_form.edit_form, SIGNED_IN, "member", page=True),
    Route("POST", "/flags/{flag_id:str}/edit", flag_form.save, SIGNED_IN, "member", page=True),
    Route("POST", "/flags/{flag_id:str}/status", flag_actions.set_status, SIGNED_IN, "member", page=True),
    Route("GET", "/flags/{flag_id:str}/copy", flag_actions.copy_form, SIGNED_IN, "member", page=True),
    Route("POST", "/flags/{flag_id:str}/copy", flag_actions.copy, SIGNED_IN, "member", page=True),
    Route("GET", "/flags/{flag_id:str}/code", flag_code.code, SIGNED_IN, page=True),
    Route("GET", "/flags/{flag_id:str}/history", flag_history.history, SIGNED_IN, page=True),
    Route("GET", "/flags/{flag_id:str}/restore", flag_history.restore_form, SIGNED_IN, "member", page=True),
    Route("POST", "/flags/{flag_id:str}/restore", flag_history.restore, SIGNED_IN, "member", page=True),
    Route("GET", "/flags/{flag_id:str}/rollout", flag_rollout.rollout, SIGNED_IN, page=True),
    Route("POST", "/flags/{flag_id:str}/rollout", flag_rollout.save_share, SIGNED_IN, "member", page=True),
    Route("POST", "/flags/{flag_id:str}/schedules", flag_rollout.schedule, SIGNED_IN, "member", page=True),
    Route("POST", "/flags/{flag_id:str}/schedules/cancel", flag_rollout.cancel, SIGNED_IN, "member", page=True),
    Route("GET", "/flags/{flag_id:str}/test", flag_tester.tester, SIGNED_IN, page=True),
    Route("GET", "/flags/{flag_id:str}/delete", flag_actions.delete_form, SIGNED_IN, "member", page=True),
    Route("POST", "/flags/{flag_id:str}/delete", flag_actions.delete, SIGNED_IN, "member", page=True),
    Route("GET", "/status-pages", status_list.page_list, SIGNED_IN, page=True),
    Route("GET", "/status-pages/new", status_new.new_form, SIGNED_IN, "member", page=True),
    Route("POST", "/status-pages/new", status_new.add, SIGNED_IN, "member", page=True),
    Route("GET", "/status-pages/{page_id:str}", status_now.page_now, SIGNED_IN, page=True),
    Route("GET", "/status-pages/{page_id:str}/components", status_components.components, SIGNED_IN, page=True),
    Route("POST", "/status-pages/{page_id:str}/components", status_components.add, SIGNED_IN, "member", page=True),
    Route("POST", "/status-pages/{page_id:str}/order", status_components.order, SIGNED_IN, "member", page=True),
    Route(
        "GET",
        "/status-pages/{page_id:str}/components/{component_id:str}",
        status_components.edit_form,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "POST",
        "/status-pages/{page_id:str}/components/{component_id:str}",
        status_components.save,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "GET",
        "/status-pages/{page_id:str}/components/{component_id:str}/remove",
        status_components.remove_form,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "POST",
        "/status-pages/{page_id:str}/components/{component_id:str}/remove",
        status_components.remove,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "GET",
        "/status-pages/{page_id:str}/groups/{group_id:str}",
        status_components.group_form,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "POST",
        "/status-pages/{page_id:str}/groups/{group_id:str}",
        status_components.save_group,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "GET",
        "/status-pages/{page_id:str}/groups/{group_id:str}/remove",
        status_components.remove_group_form,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "POST",
        "/status-pages/{page_id:str}/groups/{group_id:str}/remove",
        status_components.remove_group,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "GET", "/status-pages/{page_id:str}/incidents/new", status_incidents.new_form, SIGNED_IN, "member", page=True
    ),
    Route("POST", "/status-pages/{page_id:str}/incidents/new", status_incidents.add, SIGNED_IN, "member", page=True),
    Route(
        "POST",
        "/status-pages/{page_id:str}/incidents/told",
        status_incidents.told_of_new,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "GET",
        "/status-pages/{page_id:str}/incidents/{incident_id:str}",
        status_incidents.incident_page,
        SIGNED_IN,
        page=True,
    ),
    Route(
        "POST",
        "/status-pages/{page_id:str}/incidents/{incident_id:str}",
        status_incidents.update,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "POST",
        "/status-pages/{page_id:str}/incidents/{incident_id:str}/told",
        status_incidents.told_of_update,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "POST",
        "/status-pages/{page_id:str}/incidents/{incident_id:str}/publish",
        status_incidents.publish,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "POST",
        "/status-pages/{page_id:str}/incidents/{incident_id:str}/hold",
        status_incidents.hold,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "GET",
        "/status-pages/{page_id:str}/incidents/{incident_id:str}/delete",
        status_incidents.delete_form,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "POST",
        "/status-pages/{page_id:str}/incidents/{incident_id:str}/delete",
        status_incidents.delete,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "GET",
        "/status-pages/{page_id:str}/incidents/{incident_id:str}/updates/{update_id:str}",
        status_incidents.correct_form,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "POST",
        "/status-pages/{page_id:str}/incidents/{incident_id:str}/updates/{update_id:str}",
        status_incidents.correct,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route("GET", "/status-pages/{page_id:str}/maintenances", status_maintenances.maintenances, SIGNED_IN, page=True),
    Route(
        "GET",
        "/status-pages/{page_id:str}/maintenances/new",
        status_maintenances.new_form,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "POST", "/status-pages/{page_id:str}/maintenances/new", status_maintenances.add, SIGNED_IN, "member", page=True
    ),
    Route(
        "GET",
        "/status-pages/{page_id:str}/maintenances/{incident_id:str}/edit",
        status_maintenances.edit_form,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "POST",
        "/status-pages/{page_id:str}/maintenances/{incident_id:str}/edit",
        status_maintenances.save,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "GET",
        "/status-pages/{page_id:str}/maintenances/{incident_id:str}/cancel",
        status_maintenances.cancel_form,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "POST",
        "/status-pages/{page_id:str}/maintenances/{incident_id:str}/cancel",
        status_maintenances.cancel,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route("GET", "/status-pages/{page_id:str}/history", status_history.history, SIGNED_IN, page=True),
    Route("GET", "/status-pages/{page_id:str}/templates", status_history.templates, SIGNED_IN, "member", page=True),
    Route("POST", "/status-pages/{page_id:str}/templates", status_history.add_template, SIGNED_IN, "member", page=True),
    Route(
        "GET",
        "/status-pages/{page_id:str}/templates/{template_id:str}",
        status_history.template_form,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "POST",
        "/status-pages/{page_id:str}/templates/{template_id:str}",
        status_history.save_template,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "GET",
        "/status-pages/{page_id:str}/templates/{template_id:str}/delete",
        status_history.delete_form,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "POST",
        "/status-pages/{page_id:str}/templates/{template_id:str}/delete",
        status_history.delete,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "GET", "/status-pages/{page_id:str}/subscribers", status_subscribers.subscribers, SIGNED_IN, "member", page=True
    ),
    Route("POST", "/status-pages/{page_id:str}/subscribers", status_subscribers.add, SIGNED_IN, "member", page=True),
    Route(
        "POST",
        "/status-pages/{page_id:str}/subscribers/export",
        status_subscribers.export,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "GET",
        "/status-pages/{page_id:str}/subscribers/{subscriber_id:str}/remove",
        status_subscribers.remove_form,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "POST",
        "/status-pages/{page_id:str}/subscribers/{subscriber_id:str}/remove",
        status_subscribers.remove,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route("GET", "/status-pages/{page_id:str}/settings", status_settings.settings, SIGNED_IN, "member", page=True),
    Route("POST", "/status-pages/{page_id:str}/settings", status_settings.save, SIGNED_IN, "member", page=True),
    Route("GET", "/status-pages/{page_id:str}/preview", status_settings.preview, SIGNED_IN, "member", page=True),
    Route("POST", "/status-pages/{page_id:str}/preview", status_settings.preview, SIGNED_IN, "member", page=True),
    Route("GET", "/status-pages/{page_id:str}/files/{kind:str}", status_settings.picture, SIGNED_IN, page=True),
    Route(
        "POST", "/status-pages/{page_id:str}/files/{kind:str}", status_settings.upload, SIGNED_IN, "member", page=True
    ),
    Route(
        "POST",
        "/status-pages/{page_id:str}/files/{kind:str}/remove",
        status_settings.remove_picture,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route("POST", "/status-pages/{page_id:str}/transfer", status_settings.transfer, SIGNED_IN, "member", page=True),
    Route("GET", "/status-pages/{page_id:str}/delete", status_settings.delete_form, SIGNED_IN, "member", page=True),
    Route("POST", "/status-pages/{page_id:str}/delete", status_settings.delete, SIGNED_IN, "member", page=True),
    Route("GET", "/push/{token:str}", push_routes.push, PUBLIC),
    Route("POST", "/push/{token:str}", push_routes.push, PUBLIC),
    Route("PUT", "/status-pages/uploads/{token:str}", status_uploads.upload, PUBLIC),
    Route("GET", "/settings/members", member_pages.member_list, SIGNED_IN, page=True),
    Route("POST", "/settings/members/invite", inviting_pages.invite_member, SIGNED_IN, "admin", page=True),
    Route(
        "POST", "/settings/members/invitations/revoke", inviting_pages.revoke_invitation, SIGNED_IN, "admin", page=True
    ),
    Route("POST", "/settings/members/role", member_pages.change_role, SIGNED_IN, "admin", page=True),
    Route("GET", "/settings/members/remove", member_pages.remove_form, SIGNED_IN, "admin", page=True),
    Route("POST", "/settings/members/remove", member_pages.remove, SIGNED_IN, "admin", page=True),
    Route("GET", "/alarms", alarm_pages.alarms, SIGNED_IN, page=True),
    Route("GET", "/alarms/new", alarm_pages.new_alarm_form, SIGNED_IN, "admin", page=True),
    Route("POST", "/alarms/new", alarm_pages.add_alarm, SIGNED_IN, "admin", page=True),
    Route("GET", "/alarms/{alarm_id:str}", alarm_pages.edit_alarm_form, SIGNED_IN, "admin", page=True),
    Route("POST", "/alarms/{alarm_id:str}", alarm_pages.save_alarm, SIGNED_IN, "admin", page=True),
    Route("GET", "/alarms/{alarm_id:str}/{action:str}", alarm_pages.confirm, SIGNED_IN, "admin", page=True),
    Route("POST", "/alarms/{alarm_id:str}/{action:str}", alarm_pages.act, SIGNED_IN, "member", page=True),
    Route("GET", "/settings/integrations", integration_pages.integrations, SIGNED_IN, page=True),
    Route("POST", "/settings/integrations/test-mail", integration_pages.test_mail, SIGNED_IN, "admin", page=True),
    Route("GET", "/settings/integrations/new", integration_pages.new_channel_form, SIGNED_IN, "admin", page=True),
    Route("POST", "/settings/integrations/new", integration_pages.add_channel, SIGNED_IN, "admin", page=True),
    Route(
        "GET",
        "/settings/integrations/{channel_id:str}",
        integration_pages.edit_channel_form,
        SIGNED_IN,
        "admin",
        page=True,
    ),
    Route(
        "POST", "/settings/integrations/{channel_id:str}", integration_pages.save_channel, SIGNED_IN, "admin", page=True
    ),
    Route("GET", "/settings/integrations/{channel_id:str}/deliveries", delivery_pages.deliveries, SIGNED_IN, page=True),
    Route(
        "POST",
        "/settings/integrations/{channel_id:str}/deliveries/{delivery_id:str}",
        delivery_pages.retry,
        SIGNED_IN,
        "admin",
        page=True,
    ),
    Route(
        "GET",
        "/settings/integrations/{channel_id:str}/{action:str}",
        integration_pages.confirm,
        SIGNED_IN,
        "admin",
        page=True,
    ),
    Route(
        "POST",
        "/settings/integrations/{channel_id:str}/{action:str}",
        integration_pages.act,
        SIGNED_IN,
        "admin",
        page=True,
    ),
    Route("GET", "/settings/box", watching.box, SIGNED_IN, page=True),
    Route("GET", "/settings/domains", domain_pages.domains, SIGNED_IN, page=True),
    Route("POST", "/settings/domains", domain_pages.add_domain, SIGNED_IN, "admin", page=True),
    Route("POST", "/settings/domains/check", domain_pages.check_domain, SIGNED_IN, "admin", page=True),
    Route("GET", "/settings/domains/remove", domain_pages.remove_form, SIGNED_IN, "admin", page=True),
    Route("POST", "/settings/domains/remove", domain_pages.remove, SIGNED_IN, "admin", page=True),
    Route("GET", "/settings/defaults", defaults_pages.defaults, SIGNED_IN, page=True),
    Route("POST", "/settings/defaults", defaults_pages.save, SIGNED_IN, "admin", page=True),
    Route("GET", "/settings/audit", audit_pages.audit_log, SIGNED_IN, "admin", page=True),
    Route("GET", "/palette", palette.show, SIGNED_IN, page=True),
    Route("GET", "/palette/options", palette.options, SIGNED_IN, page=True),
    Route("GET", "/sites", website_list.site_list, SIGNED_IN, page=True),
    Route("POST", "/sites/example", setup_pages.example, SIGNED_IN, "admin", page=True),
    Route("GET", "/sites/new", website_pages.new_site_form, SIGNED_IN, "admin", page=True),
    Route("POST", "/sites/new", website_pages.add_site, SIGNED_IN, "admin", page=True),
    Route("GET", "/sites/{website_id:str}", overview.site, SIGNED_IN, page=True),
    Route("GET", "/sites/{website_id:str}/parts/{name:str}", overview.site_part, SIGNED_IN, page=True),
    Route("GET", "/sites/{website_id:str}/details/{name:str}", site_details.site_details, SIGNED_IN, page=True),
    Route(
        "GET",
        "/sites/{website_id:str}/details/{name:str}/{form:str}",
        site_details.site_details_file,
        SIGNED_IN,
        page=True,
    ),
    Route("GET", "/sites/{website_id:str}/export/{form:str}", site_details.site_export, SIGNED_IN, page=True),
    Route("GET", "/sites/{website_id:str}/values", overview.site_values, SIGNED_IN, page=True),
    Route("GET", "/sites/{website_id:str}/segments", segment_pages.show, SIGNED_IN, page=True),
    Route("POST", "/sites/{website_id:str}/segments", segment_pages.add, SIGNED_IN, "member", page=True),
    Route(
        "POST",
        "/sites/{website_id:str}/segments/{segment_id:str}",
        segment_pages.save_segment,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "POST",
        "/sites/{website_id:str}/segments/{segment_id:str}/delete",
        segment_pages.delete_segment,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route("GET", "/sites/{website_id:str}/live", overview.site_live, SIGNED_IN, page=True),
    Route("GET", "/sites/{website_id:str}/realtime", realtime_pages.show, SIGNED_IN, page=True),
    Route("GET", "/sites/{website_id:str}/notes", note_pages.show, SIGNED_IN, page=True),
    Route("POST", "/sites/{website_id:str}/notes", note_pages.add, SIGNED_IN, "member", page=True),
    Route("GET", "/sites/{website_id:str}/notes/{note_id:str}", note_pages.edit_form, SIGNED_IN, "member", page=True),
    Route("POST", "/sites/{website_id:str}/notes/{note_id:str}", note_pages.save_note, SIGNED_IN, "member", page=True),
    Route(
        "POST",
        "/sites/{website_id:str}/notes/{note_id:str}/delete",
        note_pages.delete_note,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route("GET", "/sites/{website_id:str}/queries", query_pages.show, SIGNED_IN, page=True),
    Route("GET", "/sites/{website_id:str}/queries/csv", query_pages.sheet, SIGNED_IN, page=True),
    Route("POST", "/sites/{website_id:str}/queries/saved", saved_pages.save, SIGNED_IN, "member", page=True),
    Route("POST", "/sites/{website_id:str}/queries/saved/delete", saved_pages.forget, SIGNED_IN, "member", page=True),
    Route("GET", "/sites/{website_id:str}/not-counted", drop_pages.show, SIGNED_IN, page=True),
    Route("POST", "/sites/{website_id:str}/origins", drop_pages.allow_origin, SIGNED_IN, "member", page=True),
    Route("GET", "/sites/{website_id:str}/visitors", people_pages.show, SIGNED_IN, "member", page=True),
    Route("GET", "/sites/{website_id:str}/visitors/profile", people_pages.person, SIGNED_IN, "member", page=True),
    Route("GET", "/sites/{website_id:str}/visitors/export", people_pages.export, SIGNED_IN, "member", page=True),
    Route("GET", "/sites/{website_id:str}/visitors/delete", people_pages.confirm, SIGNED_IN, "admin", page=True),
    Route("POST", "/sites/{website_id:str}/visitors/delete", people_pages.delete, SIGNED_IN, "admin", page=True),
    Route("GET", "/sites/{website_id:str}/goal-rates", overview_goals.panel, SIGNED_IN, page=True),
    Route("GET", "/sites/{website_id:str}/goals", goal_pages.show, SIGNED_IN, page=True),
    Route("GET", "/sites/{website_id:str}/goals/new", goal_pages.new_form, SIGNED_IN, "member", page=True),
    Route("POST", "/sites/{website_id:str}/goals/new", goal_pages.add, SIGNED_IN, "member", page=True),
    Route("GET", "/sites/{website_id:str}/goals/{goal_id:str}", goal_pages.edit_form, SIGNED_IN, "member", page=True),
    Route("POST", "/sites/{website_id:str}/goals/{goal_id:str}", goal_pages.save, SIGNED_IN, "member", page=True),
    Route(
        "GET",
        "/sites/{website_id:str}/goals/{goal_id:str}/delete",
        goal_pages.delete_form,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "POST", "/sites/{website_id:str}/goals/{goal_id:str}/delete", goal_pages.delete, SIGNED_IN, "member", page=True
    ),
    Route("GET", "/sites/{website_id:str}/events", event_pages.show, SIGNED_IN, page=True),
    Route("GET", "/sites/{website_id:str}/bots", bot_pages.show, SIGNED_IN, page=True),
    Route("POST", "/sites/{website_id:str}/bots/allow", bot_pages.allow, SIGNED_IN, "member", page=True),
    Route("POST", "/sites/{website_id:str}/bots/refuse", bot_pages.refuse, SIGNED_IN, "member", page=True),
    Route("POST", "/sites/{website_id:str}/bots/options", bot_pages.options, SIGNED_IN, "member", page=True),
    Route("GET", "/sites/{website_id:str}/settings", website_settings.general, SIGNED_IN, "member", page=True),
    Route("POST", "/sites/{website_id:str}/settings", website_settings.save_general, SIGNED_IN, "admin", page=True),
    Route(
        "GET", "/sites/{website_id:str}/settings/tracking", website_settings.tracking, SIGNED_IN, "member", page=True
    ),
    Route(
        "POST",
        "/sites/{website_id:str}/settings/tracking",
        website_settings.save_tracking,
        SIGNED_IN,
        "member",
        page=True,
    ),
    Route(
        "POST", "/sites/{website_id:str}/settings/client-id", website_settings.rotate, SIGNED_IN, "member", page=True
    ),
    Route("GET", "/sites/{website_id:str}/settings/sharing", website_settings.sharing, SIGNED_IN, "admin", page=True),
    Route(
        "POST", "/sites/{website_id:str}/settings/sharing", website_settings.save_sharing, SIGNED_IN, "admin", page=True
    ),
    Route("GET", "/sites/{website_id:str}/settings/danger", website_settings.danger, SIGNED_IN, "admin", page=True),
    Route("POST", "/sites/{website_id:str}/settings/delete", website_settings.delete, SIGNED_IN, "admin", page=True),
    Route(
        "GET",
        "/sites/{website_id:str}/settings/transfer",
        transfer_pages.transfer_form,
        SIGNED_IN,
        "admin",
        page=True,
    ),
    Route("POST", "/sites/{website_id:str}/settings/transfer", transfer_pages.transfer, SIGNED_IN, "admin", page=True),
    Route("POST", "/sites/{website_id:str}/restore", website_pages.restore, SIGNED_IN, "admin", page=True),
    Route("GET", "/settings/keys", key_pages.key_list, SIGNED_IN, page=True),
    Route("GET", "/settings/keys/new", key_pages.new_key_form, SIGNED_IN, "member", page=True),
    Route("POST", "/settings/keys/new", key_pages.add_key, SIGNED_IN, "member", page=True),
    Route("GET", "/settings/keys/{key_id:str}", key_pages.edit_key_form, SIGNED_IN, "admin", page=True),
    Route("POST", "/settings/keys/{key_id:str}", key_pages.edit_key, SIGNED_IN, "admin", page=True),
    Route("GET", "/settings/keys/{key_id:str}/{ending:str}", key_pages.confirm, SIGNED_IN, "admin", page=True),
    Route("POST", "/settings/keys/{key_id:str}/{ending:str}", key_pages.end_key, SIGNED_IN, "admin", page=True),
    Route("POST", "/v1/query", query.query, "read:data", anonymous=True, also="read:monitors"),
    Route("POST", "/v1/query/compile", compile_routes.compile_query, "read:data", anonymous=True, also="read:monitors"),
    Route("POST", "/v1/export/data", export_routes.export_data, "read:data"),
    Route("GET", "/v1/query/types", query.types, PUBLIC),
    Route("GET", "/v1/query/websites", query.list_websites, "read:data"),
)

TABLE: tuple[Route, ...] = (
    *PAGES_AND_API,
    *(
        Route("POST", path, line.handler, line.access, line.role, anonymous=line.anonymous, procedure=True)
        for line in PROCEDURES
        for path in line.paths
    ),
)
