"""Addresses of the pages on which status pages are edited."""

from analytics_box.web.route import PUBLIC, Handlers, Route, form_route, page_route

status_components = Handlers("analytics_box.products.status_pages.console.component_pages")
status_history = Handlers("analytics_box.products.status_pages.console.history_pages")
status_incidents = Handlers("analytics_box.products.status_pages.console.incident_pages")
status_list = Handlers("analytics_box.products.status_pages.console.list_pages")
status_maintenances = Handlers("analytics_box.products.status_pages.console.maintenance_pages")
status_settings = Handlers("analytics_box.products.status_pages.console.settings_pages")
status_subscribers = Handlers("analytics_box.products.status_pages.console.subscriber_pages")
status_uploads = Handlers("analytics_box.products.status_pages.picture_routes")

ADDRESSES: tuple[Route, ...] = (
    page_route("/status-pages", status_list.page_list, about="selected"),
    page_route("/status-pages/new", status_list.new_form, "member"),
    form_route("/status-pages/new", status_list.add, "member", kept=True),
    page_route("/status-pages/{page_id:str}", status_list.page_now),
    page_route("/status-pages/{page_id:str}/components", status_components.components),
    form_route("/status-pages/{page_id:str}/components", status_components.add, "member", kept=True),
    form_route("/status-pages/{page_id:str}/order", status_components.order, "member"),
    page_route("/status-pages/{page_id:str}/components/{component_id:str}", status_components.edit_form, "member"),
    form_route(
        "/status-pages/{page_id:str}/components/{component_id:str}", status_components.save, "member", kept=True
    ),
    page_route(
        "/status-pages/{page_id:str}/components/{component_id:str}/remove", status_components.remove_form, "member"
    ),
    form_route("/status-pages/{page_id:str}/components/{component_id:str}/remove", status_components.remove, "member"),
    page_route("/status-pages/{page_id:str}/groups/{group_id:str}", status_components.group_form, "member"),
    form_route("/status-pages/{page_id:str}/groups/{group_id:str}", status_components.save_group, "member", kept=True),
    page_route(
        "/status-pages/{page_id:str}/groups/{group_id:str}/remove", status_components.remove_group_form, "member"
    ),
    form_route("/status-pages/{page_id:str}/groups/{group_id:str}/remove", status_components.remove_group, "member"),
    page_route("/status-pages/{page_id:str}/incidents/new", status_incidents.new_form, "member"),
    form_route("/status-pages/{page_id:str}/incidents/new", status_incidents.add, "member", kept=True),
    form_route("/status-pages/{page_id:str}/incidents/told", status_incidents.told_of_new, "member", kept=True),
    page_route("/status-pages/{page_id:str}/incidents/{incident_id:str}", status_incidents.incident_page),
    form_route("/status-pages/{page_id:str}/incidents/{incident_id:str}", status_incidents.update, "member", kept=True),
    form_route(
        "/status-pages/{page_id:str}/incidents/{incident_id:str}/told",
        status_incidents.told_of_update,
        "member",
        kept=True,
    ),
    form_route("/status-pages/{page_id:str}/incidents/{incident_id:str}/publish", status_incidents.publish, "member"),
    form_route("/status-pages/{page_id:str}/incidents/{incident_id:str}/hold", status_incidents.hold, "member"),
    page_route(
        "/status-pages/{page_id:str}/incidents/{incident_id:str}/delete", status_incidents.delete_form, "member"
    ),
    form_route("/status-pages/{page_id:str}/incidents/{incident_id:str}/delete", status_incidents.delete, "member"),
    page_route(
        "/status-pages/{page_id:str}/incidents/{incident_id:str}/updates/{update_id:str}",
        status_incidents.correct_form,
        "member",
    ),
    form_route(
        "/status-pages/{page_id:str}/incidents/{incident_id:str}/updates/{update_id:str}",
        status_incidents.correct,
        "member",
        kept=True,
    ),
    page_route("/status-pages/{page_id:str}/maintenances", status_maintenances.maintenances),
    page_route("/status-pages/{page_id:str}/maintenances/new", status_maintenances.new_form, "member"),
    form_route("/status-pages/{page_id:str}/maintenances/new", status_maintenances.add, "member", kept=True),
    page_route(
        "/status-pages/{page_id:str}/maintenances/{incident_id:str}/edit", status_maintenances.edit_form, "member"
    ),
    form_route(
        "/status-pages/{page_id:str}/maintenances/{incident_id:str}/edit", status_maintenances.save, "member", kept=True
    ),
    page_route(
        "/status-pages/{page_id:str}/maintenances/{incident_id:str}/cancel", status_maintenances.cancel_form, "member"
    ),
    form_route(
        "/status-pages/{page_id:str}/maintenances/{incident_id:str}/cancel", status_maintenances.cancel, "member"
    ),
    page_route("/status-pages/{page_id:str}/history", status_history.history),
    page_route("/status-pages/{page_id:str}/templates", status_history.templates, "member"),
    form_route("/status-pages/{page_id:str}/templates", status_history.add_template, "member", kept=True),
    page_route("/status-pages/{page_id:str}/templates/{template_id:str}", status_history.template_form, "member"),
    form_route(
        "/status-pages/{page_id:str}/templates/{template_id:str}", status_history.save_template, "member", kept=True
    ),
    page_route("/status-pages/{page_id:str}/templates/{template_id:str}/delete", status_history.delete_form, "member"),
    form_route("/status-pages/{page_id:str}/templates/{template_id:str}/delete", status_history.delete, "member"),
    page_route("/status-pages/{page_id:str}/subscribers", status_subscribers.subscribers, "member"),
    form_route("/status-pages/{page_id:str}/subscribers", status_subscribers.add, "member", kept=True),
    form_route("/status-pages/{page_id:str}/subscribers/export", status_subscribers.export, "member"),
    page_route(
        "/status-pages/{page_id:str}/subscribers/{subscriber_id:str}/remove", status_subscribers.remove_form, "member"
    ),
    form_route(
        "/status-pages/{page_id:str}/subscribers/{subscriber_id:str}/remove", status_subscribers.remove, "member"
    ),
    page_route("/status-pages/{page_id:str}/settings", status_settings.settings, "member"),
    form_route("/status-pages/{page_id:str}/settings", status_settings.save, "member", kept=True),
    page_route("/status-pages/{page_id:str}/preview", status_settings.preview, "member"),
    form_route("/status-pages/{page_id:str}/preview", status_settings.preview, "member"),
    page_route("/status-pages/{page_id:str}/files/{kind:str}", status_settings.picture),
    form_route("/status-pages/{page_id:str}/files/{kind:str}", status_settings.upload, "member"),
    form_route("/status-pages/{page_id:str}/files/{kind:str}/remove", status_settings.remove_picture, "member"),
    form_route("/status-pages/{page_id:str}/publish", status_settings.publish, "member"),
    form_route("/status-pages/{page_id:str}/unpublish", status_settings.unpublish, "member"),
    form_route("/status-pages/{page_id:str}/transfer", status_settings.transfer, "member", about="organization"),
    page_route("/status-pages/{page_id:str}/delete", status_settings.delete_form, "member"),
    form_route("/status-pages/{page_id:str}/delete", status_settings.delete, "member"),
    Route("PUT", "/status-pages/uploads/{token:str}", status_uploads.upload, PUBLIC),
)
