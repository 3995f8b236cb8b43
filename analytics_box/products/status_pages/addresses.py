"""Addresses of the pages on which status pages are edited."""

from analytics_box.web.route import PUBLIC, Handlers, Route, deleted_routes, form_route, form_routes, page_route

status_components = Handlers("analytics_box.products.status_pages.console.component_pages")
status_history = Handlers("analytics_box.products.status_pages.console.history_pages")
status_incidents = Handlers("analytics_box.products.status_pages.console.incident_pages")
status_list = Handlers("analytics_box.products.status_pages.console.list_pages")
status_maintenances = Handlers("analytics_box.products.status_pages.console.maintenance_pages")
status_moving = Handlers("analytics_box.products.status_pages.console.moving_pages")
status_settings = Handlers("analytics_box.products.status_pages.console.settings_pages")
status_subscribers = Handlers("analytics_box.products.status_pages.console.subscriber_pages")
status_uploads = Handlers("analytics_box.products.status_pages.picture_routes")

_PAGE = "/status-pages/{page_id:str}"
_COMPONENT = f"{_PAGE}/components/{{component_id:str}}"
_GROUP = f"{_PAGE}/groups/{{group_id:str}}"
_INCIDENT = f"{_PAGE}/incidents/{{incident_id:str}}"
_MAINTENANCE = f"{_PAGE}/maintenances/{{incident_id:str}}"
_TEMPLATE = f"{_PAGE}/templates/{{template_id:str}}"

ADDRESSES: tuple[Route, ...] = (
    page_route("/status-pages", status_list.page_list, about="selected"),
    page_route("/status-pages/new", status_list.new_form, "member"),
    form_route("/status-pages/new", status_list.add, "member", kept=True),
    page_route("/status-pages/moving", status_moving.moving, "member", about="organization"),
    form_route("/status-pages/moving/{do:str}", status_moving.import_file, "member", about="organization"),
    page_route("/status-pages/{page_id:str}/moving", status_moving.subscribers, "member"),
    form_route("/status-pages/{page_id:str}/moving/try", status_moving.try_subscribers, "member"),
    form_route("/status-pages/{page_id:str}/moving/ask", status_moving.ask_subscribers, "member"),
    page_route("/status-pages/{page_id:str}", status_list.page_now),
    page_route("/status-pages/{page_id:str}/components", status_components.components),
    form_route("/status-pages/{page_id:str}/components", status_components.add, "member", kept=True),
    form_route("/status-pages/{page_id:str}/order", status_components.order, "member"),
    *form_routes(_COMPONENT, status_components.within("COMPONENT"), "member"),
    *deleted_routes(f"{_COMPONENT}/remove", status_components.within("COMPONENT.deletion"), "member"),
    *form_routes(_GROUP, status_components.within("GROUP"), "member"),
    *deleted_routes(f"{_GROUP}/remove", status_components.within("GROUP.deletion"), "member"),
    page_route("/status-pages/{page_id:str}/incidents/new", status_incidents.new_form, "member"),
    form_route("/status-pages/{page_id:str}/incidents/new", status_incidents.add, "member", kept=True),
    form_route("/status-pages/{page_id:str}/incidents/told", status_incidents.told_of_new, "member", kept=True),
    page_route(_INCIDENT, status_incidents.within("UPDATE").show_form),
    form_route(_INCIDENT, status_incidents.within("UPDATE").submit_form, "member", kept=True),
    form_route(
        "/status-pages/{page_id:str}/incidents/{incident_id:str}/told",
        status_incidents.told_of_update,
        "member",
        kept=True,
    ),
    form_route("/status-pages/{page_id:str}/incidents/{incident_id:str}/publish", status_incidents.publish, "member"),
    form_route("/status-pages/{page_id:str}/incidents/{incident_id:str}/hold", status_incidents.hold, "member"),
    *deleted_routes(f"{_INCIDENT}/delete", status_incidents.within("UPDATE.deletion"), "member"),
    *form_routes(f"{_INCIDENT}/updates/{{update_id:str}}", status_incidents.within("CORRECTION"), "member"),
    page_route("/status-pages/{page_id:str}/maintenances", status_maintenances.maintenances),
    *form_routes(f"{_PAGE}/maintenances/new", status_maintenances.within("MAINTENANCE"), "member"),
    *form_routes(f"{_MAINTENANCE}/edit", status_maintenances.within("MAINTENANCE"), "member"),
    *deleted_routes(f"{_MAINTENANCE}/cancel", status_maintenances.within("CANCELATION"), "member"),
    page_route("/status-pages/{page_id:str}/history", status_history.history),
    *form_routes(f"{_PAGE}/templates", status_history.within("TEMPLATE"), "member"),
    *form_routes(_TEMPLATE, status_history.within("TEMPLATE"), "member"),
    *deleted_routes(f"{_TEMPLATE}/delete", status_history.within("TEMPLATE.deletion"), "member"),
    page_route("/status-pages/{page_id:str}/subscribers", status_subscribers.subscribers, "member"),
    form_route("/status-pages/{page_id:str}/subscribers", status_subscribers.add, "member", kept=True),
    form_route("/status-pages/{page_id:str}/subscribers/export", status_subscribers.export, "member"),
    *deleted_routes(
        f"{_PAGE}/subscribers/{{subscriber_id:str}}/remove", status_subscribers.within("REMOVAL"), "member"
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
    *deleted_routes(f"{_PAGE}/delete", status_settings.within("DELETION"), "member"),
    Route("PUT", "/status-pages/uploads/{token:str}", status_uploads.upload, PUBLIC),
)
