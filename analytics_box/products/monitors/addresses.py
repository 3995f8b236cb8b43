"""Addresses of monitors and of maintenance."""

from analytics_box.web.route import (
    PUBLIC,
    SIGNED_IN,
    Handlers,
    Route,
    deleted_routes,
    edited_routes,
    form_route,
    page_route,
)

push_routes = Handlers("analytics_box.products.monitors.push_routes")
monitor_figures = Handlers("analytics_box.products.monitors.figures.pages")
monitor_form = Handlers("analytics_box.products.monitors.form.pages")
monitor_list = Handlers("analytics_box.products.monitors.listing.pages")
monitor_files = Handlers("analytics_box.products.monitors.moving.pages")
maintenance_pages = Handlers("analytics_box.products.monitors.windows.pages")

ADDRESSES: tuple[Route, ...] = (
    page_route("/monitors", monitor_list.monitor_list, about="selected"),
    page_route("/monitors/new", monitor_form.new_form, "member"),
    form_route("/monitors/new", monitor_form.add, "member", kept=True),
    page_route("/monitors/maintenance", maintenance_pages.maintenance_list),
    *edited_routes("/monitors/maintenance", "maintenance_id", maintenance_pages.within("WINDOW"), "member"),
    form_route("/monitors/maintenance/{maintenance_id:str}/end", maintenance_pages.end, "member"),
    page_route("/monitors/moving", monitor_files.moving),
    form_route("/monitors/moving/{do:str}", monitor_files.import_file, "member"),
    Route("GET", "/monitors/export/{form:str}", monitor_files.export_file, SIGNED_IN),
    page_route("/monitors/{monitor_id:str}", monitor_figures.monitor_page),
    page_route("/monitors/{monitor_id:str}/parts/{name:str}", monitor_figures.monitor_part),
    page_route("/monitors/{monitor_id:str}/details/{name:str}", monitor_figures.monitor_details),
    page_route("/monitors/{monitor_id:str}/details/{name:str}/{form:str}", monitor_figures.monitor_details_file),
    page_route("/monitors/{monitor_id:str}/export/{form:str}", monitor_figures.monitor_export),
    page_route("/monitors/{monitor_id:str}/edit", monitor_form.edit_form, "member"),
    form_route("/monitors/{monitor_id:str}/edit", monitor_form.save, "member", kept=True),
    *deleted_routes("/monitors/{monitor_id:str}/delete", monitor_figures.within("DELETION"), "member"),
    form_route("/monitors/{monitor_id:str}/{action:str}", monitor_figures.act, "member"),
    form_route("/sites/{website_id:str}/monitor", monitor_form.of_website, "member"),
    Route("GET", "/push/{token:str}", push_routes.push, PUBLIC),
    Route("POST", "/push/{token:str}", push_routes.push, PUBLIC),
)
