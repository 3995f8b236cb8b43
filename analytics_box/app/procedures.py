"""Every procedure of the box on one screen: name, function, and who may call it (wire 10)."""

from analytics_box.base import plain_files
from analytics_box.products.flags.flag import LARGEST_FLAG
from analytics_box.products.flags.moving.wanted import MOST_BYTES as MOST_FLAG_BYTES
from analytics_box.products.links.link import MOST_FILE_BYTES
from analytics_box.products.source_maps.mappings import MOST_MAP_BYTES
from analytics_box.products.status_pages.moving.wanted import MOST_BYTES as MOST_STATUS_BYTES
from analytics_box.products.status_pages.page import LIST_LIMIT, PAGE_LIMIT
from analytics_box.tenants.organizations.rules import MOST_LOGO_BODY
from analytics_box.web.route import PUBLIC, SIGNED_IN, Handlers, Procedure

profile_calls = Handlers("analytics_box.tenants.accounts.preferences")
alert_calls = Handlers("analytics_box.products.alerts.calls")
annotations = Handlers("analytics_box.products.notes.calls")
audit_calls = Handlers("analytics_box.tenants.audit_log.calls")
box_settings = Handlers("analytics_box.app.box_settings.calls")
bot_calls = Handlers("analytics_box.ingest.bots.calls")
configuration_calls = Handlers("analytics_box.tenants.configuration.calls")
channel_calls = Handlers("analytics_box.tenants.configuration.channel_calls")
delivery_calls = Handlers("analytics_box.tenants.configuration.delivery_pages")
domain_calls = Handlers("analytics_box.tenants.configuration.domain_calls")
drop_calls = Handlers("analytics_box.ingest.dropped_events.calls")
flag_calls = Handlers("analytics_box.products.flags.editing.calls")
target_groups = Handlers("analytics_box.products.flags.editing.group_calls")
flag_history = Handlers("analytics_box.products.flags.history.calls")
flag_exports = Handlers("analytics_box.products.flags.moving.calls")
flag_schedules = Handlers("analytics_box.products.flags.schedules.calls")
flag_usage = Handlers("analytics_box.products.flags.usage.calls")
error_groups = Handlers("analytics_box.products.errors.calls")
exports = Handlers("analytics_box.products.exports.calls")
export_people = Handlers("analytics_box.products.exports.people")
imports = Handlers("analytics_box.products.imports.calls")
log_lines = Handlers("analytics_box.products.imports.log_lines")
source_maps = Handlers("analytics_box.products.source_maps.calls")
funnels = Handlers("analytics_box.products.funnels.calls")
revenue = Handlers("analytics_box.products.revenue.calls")
transactions = Handlers("analytics_box.products.revenue.transaction_calls")
shares = Handlers("analytics_box.products.shares.calls")
reports = Handlers("analytics_box.products.reports.calls")
goals = Handlers("analytics_box.products.goals.calls")
key_calls = Handlers("analytics_box.tenants.keys.calls")
link_export = Handlers("analytics_box.products.links.bulk.exports")
link_imports = Handlers("analytics_box.products.links.bulk.imports")
link_domains = Handlers("analytics_box.products.links.domains.calls")
link_calls = Handlers("analytics_box.products.links.editing.calls")
link_folders = Handlers("analytics_box.products.links.folders.calls")
link_lists = Handlers("analytics_box.products.links.listing.calls")
link_qr = Handlers("analytics_box.products.links.qr_routes")
member_calls = Handlers("analytics_box.tenants.members.calls")
monitor_checks = Handlers("analytics_box.products.monitors.calls")
monitors = Handlers("analytics_box.products.monitors.editing.calls")
status_moving = Handlers("analytics_box.products.status_pages.moving.calls")
monitor_export = Handlers("analytics_box.products.monitors.moving.calls")
maintenance = Handlers("analytics_box.products.monitors.windows.calls")
organization_calls = Handlers("analytics_box.tenants.organizations.calls")
autocomplete = Handlers("analytics_box.products.overview.autocomplete")
overview = Handlers("analytics_box.products.overview.calls")
profiles = Handlers("analytics_box.products.people.calls")
questions = Handlers("analytics_box.figures.explorer.calls")
segments = Handlers("analytics_box.products.segments.calls")
status_public = Handlers("analytics_box.products.status_pages.public_calls")
status_pages = Handlers("analytics_box.products.status_pages.editing.calls")
status_components = Handlers("analytics_box.products.status_pages.editing.component_calls")
incidents = Handlers("analytics_box.products.status_pages.incidents.calls")
incident_templates = Handlers("analytics_box.products.status_pages.incidents.template_calls")
subscribers = Handlers("analytics_box.products.status_pages.subscribers.calls")
website_calls = Handlers("analytics_box.tenants.websites.calls")

# 500 lines of a log, each byte of which JSON may write as six.
MOST_LOG_BYTES = 2_000_000

PROCEDURES: tuple[Procedure, ...] = (
    Procedure("boxSettings.get", box_settings.get, SIGNED_IN, about="own"),
    Procedure("boxSettings.update", box_settings.update, SIGNED_IN, about="own"),
    Procedure("boxSettings.testEmail", box_settings.test_email, SIGNED_IN, about="own"),
    Procedure("boxSettings.backUp", box_settings.back_up, SIGNED_IN, about="own"),
    Procedure("apikeys.getMyRole", key_calls.get_my_role, SIGNED_IN, about="own"),
    Procedure("apikeys.list", key_calls.list_keys, SIGNED_IN),
    Procedure("apikeys.getById", key_calls.get_by_id, SIGNED_IN),
    Procedure("apikeys.create", key_calls.create, SIGNED_IN, "member"),
    Procedure("apikeys.update", key_calls.update, SIGNED_IN, "member"),
    Procedure("apikeys.revoke", key_calls.revoke, SIGNED_IN, "admin"),
    Procedure("apikeys.rotate", key_calls.rotate, SIGNED_IN, "admin"),
    Procedure("apikeys.delete", key_calls.delete, SIGNED_IN, "admin"),
    Procedure("apikeys.verify", key_calls.verify, PUBLIC),
    Procedure("preferences.getUserPreferences", profile_calls.get_user_preferences, SIGNED_IN, about="own"),
    Procedure("preferences.updateUserPreferences", profile_calls.update_user_preferences, SIGNED_IN, about="own"),
    Procedure("profiles.list", profiles.list_profiles, "read:data", "member"),
    Procedure("profiles.getById", profiles.get_by_id, "read:data", "member"),
    Procedure("profiles.export", profiles.export, "read:data", "member"),
    Procedure("profiles.delete", profiles.delete, "manage:websites", "admin"),
    Procedure("errorGroups.list", error_groups.list_groups, "read:data"),
    Procedure("errorGroups.update", error_groups.update, "manage:websites", "member"),
    Procedure("imports.providers", imports.providers, "manage:websites", about="own"),
    Procedure("imports.list", imports.list_imports, "manage:websites", "member"),
    Procedure("imports.createUpload", imports.create_upload, "manage:websites", "admin"),
    Procedure("imports.start", imports.start, "manage:websites", "admin"),
    Procedure("imports.status", imports.status, "manage:websites", "member"),
    Procedure("imports.undo", imports.undo, "manage:websites", "admin"),
    Procedure(
        "imports.addLogLines", log_lines.add_lines, "track:events", "admin", most_bytes=MOST_LOG_BYTES, limit=2_000
    ),
    Procedure("sourceMaps.list", source_maps.list_maps, "read:data"),
    Procedure("sourceMaps.upload", source_maps.upload, "manage:websites", "member", most_bytes=MOST_MAP_BYTES),
    Procedure("sourceMaps.delete", source_maps.delete, "manage:websites", "member"),
    Procedure("sourceMaps.deleteRelease", source_maps.delete_release, "manage:websites", "member"),
    Procedure("exports.listParts", exports.list_parts, "read:data", "member"),
    Procedure("exports.getRows", exports.get_rows, "read:data", "member"),
    Procedure("exports.getTotals", exports.get_totals, "read:data", "member"),
    Procedure("exports.getPeople", export_people.read, "read:data", "member"),
    Procedure("funnels.list", funnels.list_funnels, "read:data"),
    Procedure("funnels.getById", funnels.get_by_id, "read:data"),
    Procedure("funnels.create", funnels.create, "manage:websites", "member"),
    Procedure("funnels.update", funnels.update, "manage:websites", "member"),
    Procedure("funnels.delete", funnels.delete, "manage:websites", "member"),
    Procedure("funnels.getAnalytics", funnels.get_analytics, "read:data"),
    Procedure("funnels.getAnalyticsByReferrer", funnels.get_analytics_by_referrer, "read:data"),
    Procedure("shares.list", shares.list_shares, "manage:websites", "admin"),
    Procedure("shares.create", shares.create, "manage:websites", "admin"),
    Procedure("shares.update", shares.update, "manage:websites", "admin"),
    Procedure("shares.updateLogo", shares.update_logo, "manage:websites", "admin", most_bytes=MOST_LOGO_BODY),
    Procedure("shares.delete", shares.delete, "manage:websites", "admin"),
    Procedure("reports.list", reports.list_reports, "manage:websites", "admin"),
    Procedure("reports.getById", reports.get_by_id, "manage:websites", "admin"),
    Procedure("reports.create", reports.create, "manage:websites", "admin"),
    Procedure("reports.update", reports.update, "manage:websites", "admin"),
    Procedure("reports.delete", reports.delete, "manage:websites", "admin"),
    Procedure("reports.preview", reports.preview, "manage:websites", "admin"),
    Procedure("reports.sendNow", reports.send_now, "manage:websites", "admin"),
    Procedure("reports.deliveries", reports.deliveries, "manage:websites", "admin"),
    Procedure("revenue.listTransactions", transactions.list_transactions, "read:data"),
    Procedure("revenue.recordTransaction", transactions.record_transaction, "track:events", "admin"),
    Procedure("revenue.listProviders", revenue.list_providers, "read:data", "admin"),
    Procedure("revenue.createProvider", revenue.create_provider, "manage:websites", "admin"),
    Procedure("revenue.rotateProvider", revenue.rotate_provider, "manage:websites", "admin"),
    Procedure("revenue.deleteProvider", revenue.delete_provider, "manage:websites", "admin"),
    Procedure("revenue.listRates", revenue.list_rates, "read:data", "admin", about="organization"),
    Procedure(
        "revenue.setRates", revenue.set_rates, "manage:websites", "admin", about="organization", most_bytes=200_000
    ),
    Procedure("revenue.deleteRate", revenue.delete_rate, "manage:websites", "admin", about="organization"),
    Procedure("goals.list", goals.list_goals, "read:data"),
    Procedure("goals.getById", goals.get_by_id, "read:data"),
    Procedure("goals.create", goals.create, "manage:websites", "member"),
    Procedure("goals.update", goals.update, "manage:websites", "member"),
    Procedure("goals.delete", goals.delete, "manage:websites", "member"),
    Procedure("goals.getAnalytics", goals.get_analytics, "read:data"),
    Procedure("goals.bulkAnalytics", goals.bulk_analytics, "read:data"),
    Procedure("organizations.list", organization_calls.list_organizations, "manage:config", about="own"),
    Procedure("organizations.getById", organization_calls.get_by_id, "manage:config"),
    Procedure("organizations.create", organization_calls.create, SIGNED_IN, about="own"),
    Procedure("organizations.update", organization_calls.update, "manage:config"),
    Procedure("organizations.getMyRole", organization_calls.get_my_role, SIGNED_IN, about="own"),
    Procedure("organizations.setActive", organization_calls.set_active, SIGNED_IN, about="own"),
    Procedure("organizations.uploadLogo", organization_calls.upload_logo, "manage:config", most_bytes=MOST_LOGO_BODY),
    Procedure("organizations.deleteLogo", organization_calls.delete_logo, "manage:config"),
    Procedure("organizations.delete", organization_calls.delete_organization, SIGNED_IN),
    Procedure("organizations.restore", organization_calls.restore, SIGNED_IN, about="own"),
    Procedure("organizations.listDeleted", organization_calls.list_deleted, SIGNED_IN, about="own"),
    Procedure("organizations.listMembers", member_calls.list_members, SIGNED_IN),
    Procedure("organizations.updateMemberRole", member_calls.update_member_role, SIGNED_IN),
    Procedure("organizations.updateMemberAccess", member_calls.update_member_access, SIGNED_IN),
    Procedure("organizations.removeMember", member_calls.remove_member, SIGNED_IN),
    Procedure("organizations.leave", member_calls.leave, SIGNED_IN, about="own"),
    Procedure("organizations.transferOwnership", member_calls.transfer_ownership, SIGNED_IN),
    Procedure("organizations.createInvitation", member_calls.create_invitation, SIGNED_IN),
    Procedure("organizations.getPendingInvitations", member_calls.get_pending_invitations, SIGNED_IN),
    Procedure("organizations.revokeInvitation", member_calls.revoke_invitation, SIGNED_IN),
    Procedure("organizations.acceptInvitation", member_calls.accept_invitation, SIGNED_IN, about="own"),
    Procedure("config.get", configuration_calls.get, "manage:config"),
    Procedure("config.update", configuration_calls.update, "manage:config"),
    Procedure("config.testEmail", configuration_calls.test_email, "manage:config"),
    Procedure("config.listChannels", channel_calls.list_channels, "manage:config"),
    Procedure("config.createChannel", channel_calls.create_channel, "manage:config"),
    Procedure("config.updateChannel", channel_calls.update_channel, "manage:config"),
    Procedure("config.rotateChannelSecret", channel_calls.rotate_channel_secret, "manage:config"),
    Procedure("config.deleteChannel", channel_calls.delete_channel, "manage:config"),
    Procedure("config.testChannel", channel_calls.test_channel, "manage:config"),
    Procedure("config.listDeliveries", delivery_calls.list_deliveries, "manage:config"),
    Procedure("config.retryDelivery", delivery_calls.retry_delivery, "manage:config"),
    Procedure("config.listDomains", domain_calls.list_domains, "manage:config"),
    Procedure("config.addDomain", domain_calls.add_domain, "manage:config"),
    Procedure("config.verifyDomain", domain_calls.verify_domain, "manage:config"),
    Procedure("config.removeDomain", domain_calls.remove_domain, "manage:config"),
    Procedure("alarms.list", alert_calls.list_rules, "read:monitors"),
    Procedure("alarms.create", alert_calls.create, "manage:config", "admin"),
    Procedure("alarms.update", alert_calls.update, "manage:config", "admin"),
    Procedure("alarms.delete", alert_calls.delete, "manage:config", "admin"),
    Procedure("alarms.test", alert_calls.test, "manage:config", "admin"),
    Procedure("alarms.acknowledge", alert_calls.acknowledge, "write:monitors", "member"),
    Procedure("links.list", link_lists.list_links, "read:links", about="selected"),
    Procedure("links.paginated", link_lists.list_page, "read:links", about="selected"),
    Procedure("links.get", link_calls.get, "read:links"),
    Procedure("links.create", link_calls.create, "write:links", "member"),
    Procedure("links.update", link_calls.update, "write:links", "member"),
    Procedure("links.upsert", link_calls.upsert, "write:links", "member"),
    Procedure("links.delete", link_calls.delete, "write:links", "member"),
    Procedure("links.listDomains", link_domains.list_domains, "read:links"),
    Procedure("links.addDomain", link_domains.add_domain, "write:links", "admin"),
    Procedure("links.updateDomain", link_domains.update_domain, "write:links", "admin"),
    Procedure("links.removeDomain", link_domains.remove_domain, "write:links", "admin"),
    Procedure("links.listTags", link_lists.list_tags, "read:links"),
    Procedure("links.preview", link_calls.preview, "read:links"),
    Procedure("links.getQr", link_qr.get_qr, "read:links"),
    Procedure("links.listOrphans", link_domains.list_orphans, "read:links"),
    Procedure("links.export", link_export.export, "read:links"),
    Procedure("links.import", link_imports.import_links, "write:links", "member", most_bytes=MOST_FILE_BYTES),
    Procedure("linkFolders.list", link_folders.list_folders, "read:links"),
    Procedure("linkFolders.create", link_folders.create, "write:links", "member"),
    Procedure("linkFolders.update", link_folders.update, "write:links", "member"),
    Procedure("linkFolders.delete", link_folders.delete, "write:links", "member"),
    Procedure("statusPage.createIncident", incidents.create_incident, "write:status_pages", "member"),
    Procedure("statusPage.updateIncident", incidents.update_incident, "write:status_pages", "member"),
    Procedure("statusPage.deleteIncident", incidents.delete_incident, "write:status_pages", "member"),
    Procedure("statusPage.listIncidents", incidents.list_incidents, "read:status_pages"),
    Procedure("statusPage.getIncident", incidents.get_incident, "read:status_pages"),
    Procedure("statusPage.editIncidentUpdate", incidents.edit_incident_update, "write:status_pages", "member"),
    Procedure("statusPage.publishIncident", incidents.publish_incident, "write:status_pages", "member"),
    Procedure("statusPage.holdIncident", incidents.hold_incident, "write:status_pages", "member"),
    Procedure("statusPage.listMaintenances", incidents.list_maintenances, "read:status_pages"),
    Procedure("statusPage.createMaintenance", incidents.create_maintenance, "write:status_pages", "member"),
    Procedure("statusPage.updateMaintenance", incidents.update_maintenance, "write:status_pages", "member"),
    Procedure("statusPage.cancelMaintenance", incidents.cancel_maintenance, "write:status_pages", "member"),
    Procedure("statusPage.listTemplates", incident_templates.list_templates, "read:status_pages"),
    Procedure("statusPage.saveTemplate", incident_templates.save_template, "write:status_pages", "member"),
    Procedure("statusPage.deleteTemplate", incident_templates.delete_template, "write:status_pages", "member"),
    Procedure("uptime.listSchedules", monitor_checks.list_schedules, "read:monitors", about="selected"),
    Procedure("uptime.paginated", monitor_checks.list_page, "read:monitors", about="selected"),
    Procedure("uptime.listTags", monitor_checks.list_tags, "read:monitors", about="selected"),
    Procedure("uptime.getSchedule", monitors.get_schedule, "read:monitors"),
    Procedure("uptime.getScheduleByWebsiteId", monitors.get_schedule_by_website_id, "read:monitors"),
    Procedure("uptime.createSchedule", monitors.create_schedule, "write:monitors", "member"),
    Procedure("uptime.updateSchedule", monitors.update_schedule, "write:monitors", "member"),
    Procedure("uptime.deleteSchedule", monitors.delete_schedule, "write:monitors", "member"),
    Procedure("uptime.pauseSchedule", monitors.pause_schedule, "write:monitors", "member"),
    Procedure("uptime.resumeSchedule", monitors.resume_schedule, "write:monitors", "member"),
    Procedure("uptime.togglePause", monitors.toggle_pause, "write:monitors", "member"),
    Procedure("uptime.transfer", monitors.transfer, "write:monitors", "member", about="organization"),
    Procedure("uptime.rotatePushUrl", monitors.rotate_push_url, "write:monitors", "member"),
    Procedure("uptime.bulk", monitors.bulk, "write:monitors", "member"),
    Procedure("uptime.manualCheck", monitor_checks.manual_check, "write:monitors", "member"),
    Procedure("uptime.tryCheck", monitor_checks.try_check, "write:monitors", "member"),
    Procedure("uptime.export", monitor_export.export, "read:monitors"),
    Procedure(
        "uptime.import",
        monitor_export.import_monitors,
        "write:monitors",
        "member",
        most_bytes=plain_files.MOST_BYTES,
    ),
    Procedure("uptime.listMaintenances", maintenance.list_maintenances, "read:monitors"),
    Procedure(
        "uptime.createMaintenance", maintenance.create_maintenance, "write:monitors", "member", about="organization"
    ),
    Procedure("uptime.updateMaintenance", maintenance.update_maintenance, "write:monitors", "member"),
    Procedure("uptime.endMaintenance", maintenance.end_maintenance, "write:monitors", "member"),
    Procedure("uptime.deleteMaintenance", maintenance.delete_maintenance, "write:monitors", "member"),
    Procedure("statusPage.listPublic", status_public.list_public, PUBLIC, limit=LIST_LIMIT),
    Procedure("statusPage.getBySlug", status_public.get_by_slug, PUBLIC, limit=PAGE_LIMIT),
    Procedure("statusPage.list", status_pages.list_pages, "read:status_pages", about="selected"),
    Procedure("statusPage.get", status_pages.get, "read:status_pages"),
    Procedure("statusPage.create", status_pages.create, "write:status_pages", "member", about="organization"),
    Procedure("statusPage.update", status_pages.update, "write:status_pages", "member"),
    Procedure("statusPage.delete", status_pages.delete, "write:status_pages", "member"),
    Procedure("statusPage.transfer", status_pages.transfer, "write:status_pages", "member", about="organization"),
    Procedure("statusPage.createAssetUploadUrl", status_pages.create_asset_upload_url, "write:status_pages", "member"),
    Procedure("statusPage.addMonitor", status_components.add_monitor, "write:status_pages", "member"),
    Procedure("statusPage.removeMonitor", status_components.remove_monitor, "write:status_pages", "member"),
    Procedure(
        "statusPage.updateMonitorSettings", status_components.update_monitor_settings, "write:status_pages", "member"
    ),
    Procedure("statusPage.addComponent", status_components.add_component, "write:status_pages", "member"),
    Procedure("statusPage.updateComponent", status_components.update_component, "write:status_pages", "member"),
    Procedure("statusPage.removeComponent", status_components.remove_component, "write:status_pages", "member"),
    Procedure("statusPage.addGroup", status_components.add_group, "write:status_pages", "member"),
    Procedure("statusPage.updateGroup", status_components.update_group, "write:status_pages", "member"),
    Procedure("statusPage.removeGroup", status_components.remove_group, "write:status_pages", "member"),
    Procedure("statusPage.reorder", status_components.reorder, "write:status_pages", "member"),
    Procedure("statusPage.listSubscribers", subscribers.list_subscribers, "write:status_pages", "member"),
    Procedure("statusPage.addSubscriber", subscribers.add_subscriber, "write:status_pages", "member"),
    Procedure("statusPage.removeSubscriber", subscribers.remove_subscriber, "write:status_pages", "member"),
    Procedure("statusPage.exportSubscribers", subscribers.export_subscribers, "write:status_pages", "member"),
    Procedure(
        "statusPage.import",
        status_moving.import_status_pages,
        "write:status_pages",
        "member",
        about="organization",
        most_bytes=MOST_STATUS_BYTES,
    ),
    Procedure(
        "statusPage.importSubscribers",
        status_moving.import_subscribers,
        "write:status_pages",
        "member",
        most_bytes=MOST_STATUS_BYTES,
    ),
    Procedure("flags.list", flag_calls.list_flags, "manage:flags", about="selected"),
    Procedure("flags.getById", flag_calls.get_by_id, "manage:flags"),
    Procedure("flags.getByKey", flag_calls.get_by_key, "manage:flags"),
    Procedure("flags.environments", flag_calls.environments, "manage:flags"),
    Procedure("flags.create", flag_calls.create, "manage:flags", "member", most_bytes=2 * LARGEST_FLAG),
    Procedure("flags.update", flag_calls.update, "manage:flags", "member", most_bytes=2 * LARGEST_FLAG),
    Procedure("flags.copy", flag_calls.copy, "manage:flags", "member"),
    Procedure("flags.activate", flag_calls.activate, "manage:flags", "member"),
    Procedure("flags.deactivate", flag_calls.deactivate, "manage:flags", "member"),
    Procedure("flags.archive", flag_calls.archive, "manage:flags", "member"),
    Procedure("flags.delete", flag_calls.delete, "manage:flags", "member"),
    Procedure("flags.listDeleted", flag_calls.list_deleted, "manage:flags"),
    Procedure("flags.undelete", flag_calls.undelete, "manage:flags", "member"),
    Procedure("flags.listFolders", flag_calls.list_folders, "manage:flags"),
    Procedure("flags.renameFolder", flag_calls.rename_folder, "manage:flags", "member"),
    Procedure("flags.deleteFolder", flag_calls.delete_folder, "manage:flags", "member"),
    Procedure("flags.export", flag_exports.export, "manage:flags"),
    Procedure("flags.import", flag_exports.import_flags, "manage:flags", "member", most_bytes=MOST_FLAG_BYTES),
    Procedure("flags.usage", flag_usage.get_usage, "manage:flags"),
    Procedure("flags.history", flag_history.get_history, "manage:flags"),
    Procedure("flags.version", flag_history.get_version, "manage:flags"),
    Procedure("flags.diff", flag_history.diff, "manage:flags"),
    Procedure("flags.restore", flag_history.restore, "manage:flags", "member"),
    Procedure("flagSchedules.create", flag_schedules.create, "manage:flags", "member"),
    Procedure("flagSchedules.list", flag_schedules.list_schedules, "manage:flags"),
    Procedure("flagSchedules.delete", flag_schedules.delete, "manage:flags", "member"),
    Procedure("targetGroups.list", target_groups.list_groups, "manage:flags"),
    Procedure("targetGroups.getById", target_groups.get_by_id, "manage:flags"),
    Procedure("targetGroups.create", target_groups.create, "manage:flags", "member", most_bytes=2 * LARGEST_FLAG),
    Procedure("targetGroups.update", target_groups.update, "manage:flags", "member", most_bytes=2 * LARGEST_FLAG),
    Procedure("targetGroups.delete", target_groups.delete, "manage:flags", "member"),
    Procedure("audit.list", audit_calls.list_entries, SIGNED_IN, "admin"),
    Procedure("autocomplete.get", autocomplete.get, "read:data"),
    Procedure("questions.list", questions.list_questions, "read:data"),
    Procedure("questions.getById", questions.get_by_id, "read:data"),
    Procedure("questions.create", questions.create, "manage:websites", "member"),
    Procedure("questions.update", questions.update, "manage:websites", "member"),
    Procedure("questions.delete", questions.delete, "manage:websites", "member"),
    Procedure("segments.list", segments.list_segments, "read:data"),
    Procedure("segments.getById", segments.get_by_id, "read:data"),
    Procedure("segments.create", segments.create, "manage:websites", "member"),
    Procedure("segments.update", segments.update, "manage:websites", "member"),
    Procedure("segments.delete", segments.delete, "manage:websites", "member"),
    Procedure("annotations.list", annotations.list_annotations, "read:data", anonymous=True),
    Procedure("annotations.getById", annotations.get_by_id, "read:data", anonymous=True),
    Procedure("annotations.create", annotations.create, "manage:websites", "member"),
    Procedure("annotations.update", annotations.update, "manage:websites", "member"),
    Procedure("annotations.delete", annotations.delete, "manage:websites", "member"),
    Procedure("websites.list", website_calls.list_websites, "read:data", about="selected"),
    Procedure("websites.listWithCharts", overview.list_with_charts, "read:data", about="selected"),
    Procedure("websites.getById", website_calls.get_by_id, "read:data", anonymous=True),
    Procedure("websites.getPublicSummary", website_calls.get_public_summary, PUBLIC),
    Procedure("websites.create", website_calls.create, "manage:websites", "admin"),
    Procedure("websites.update", website_calls.update, "manage:websites", "admin"),
    Procedure("websites.togglePublic", website_calls.toggle_public, "manage:websites", "admin"),
    Procedure("websites.updateSettings", website_calls.update_settings, "manage:websites", "member"),
    Procedure("websites.rotateTracking", website_calls.rotate_tracking, "manage:websites", "member"),
    Procedure("websites.delete", website_calls.delete, "manage:websites", "admin"),
    Procedure("websites.listDeleted", website_calls.list_deleted, "manage:websites", "admin"),
    Procedure("websites.restore", website_calls.restore, "manage:websites", "admin"),
    Procedure("websites.transfer", website_calls.transfer, SIGNED_IN, "admin"),
    Procedure("websites.transferToOrganization", website_calls.transfer, SIGNED_IN, "admin"),
    Procedure("websites.listDropped", drop_calls.list_dropped, "read:data"),
    Procedure("websites.listBots", bot_calls.list_bots, "read:data"),
    Procedure("websites.allowBot", bot_calls.allow_bot, "manage:websites", "member"),
    Procedure("websites.refuseBot", bot_calls.refuse_bot, "manage:websites", "member"),
    Procedure("websites.updateBotOptions", bot_calls.update_bot_options, "manage:websites", "member"),
    Procedure("websites.isTrackingSetup", overview.is_tracking_setup, "read:data"),
)
