"""Addresses of short links, their folders, domains and files."""

from analytics_box.web.route import Handlers, Route, deleted_routes, form_route, page_route

link_imports = Handlers("analytics_box.products.links.bulk.pages")
link_domains = Handlers("analytics_box.products.links.domains.pages")
link_page = Handlers("analytics_box.products.links.figures.pages")
link_folders = Handlers("analytics_box.products.links.folders.pages")
link_form = Handlers("analytics_box.products.links.form.pages")
link_countries = Handlers("analytics_box.products.links.listing.pages")
link_qr = Handlers("analytics_box.products.links.qr_routes")

ADDRESSES: tuple[Route, ...] = (
    Route("GET", "/links/{link_id:str}/qr/{form:str}", link_qr.qr_code, "read:links"),
    Route("GET", "/links/export/{form:str}", link_imports.export, "read:links"),
    page_route("/links", link_countries.link_list, about="selected"),
    page_route("/links/countries", link_countries.clicks_by_country),
    page_route("/links/new", link_form.new_form, "member"),
    form_route("/links/new", link_form.add, "member", kept=True),
    page_route("/links/bulk", link_imports.import_form, "member"),
    form_route("/links/bulk/file", link_imports.import_file, "member"),
    form_route("/links/bulk/text", link_imports.import_text, "member", kept=True),
    page_route("/links/bulk/{job_id:str}", link_imports.import_page, "member"),
    form_route("/links/bulk/{job_id:str}", link_imports.run_import, "member"),
    page_route("/links/folders", link_folders.folders),
    form_route("/links/folders", link_folders.add, "member", kept=True),
    form_route("/links/folders/rename", link_folders.rename, "member", kept=True),
    page_route("/links/folders/delete", link_folders.delete_form, "member"),
    form_route("/links/folders/delete", link_folders.delete, "member"),
    page_route("/links/domains", link_domains.domains),
    form_route("/links/domains", link_domains.add, "admin", kept=True),
    form_route("/links/domains/save", link_domains.save, "admin"),
    page_route("/links/domains/remove", link_domains.remove_form, "admin"),
    form_route("/links/domains/remove", link_domains.remove, "admin"),
    page_route("/links/{link_id:str}", link_page.link_page),
    page_route("/links/{link_id:str}/parts/{name:str}", link_page.link_part),
    page_route("/links/{link_id:str}/details/{name:str}", link_page.link_details),
    page_route("/links/{link_id:str}/details/{name:str}/{form:str}", link_page.link_details_file),
    page_route("/links/{link_id:str}/export/{form:str}", link_page.link_export),
    page_route("/links/{link_id:str}/values", link_page.link_values),
    page_route("/links/{link_id:str}/edit", link_form.edit_form, "member"),
    form_route("/links/{link_id:str}/edit", link_form.save, "member", kept=True),
    *deleted_routes("/links/{link_id:str}/delete", link_countries.within("DELETION"), "member"),
)
