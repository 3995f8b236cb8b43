"""Addresses of short links, their folders, domains and files."""

from analytics_box.web.handlers import Handlers
from analytics_box.web.route import Route, posted, shown

link_imports = Handlers("analytics_box.products.links.bulk.pages")
link_files = Handlers("analytics_box.products.links.bulk.routes")
link_domains = Handlers("analytics_box.products.links.domains.pages")
link_page = Handlers("analytics_box.products.links.figures.pages")
link_folders = Handlers("analytics_box.products.links.folders.pages")
link_form = Handlers("analytics_box.products.links.form.pages")
link_pages = Handlers("analytics_box.products.links.listing.pages")
link_qr = Handlers("analytics_box.products.links.qr.routes")

ADDRESSES: tuple[Route, ...] = (
    Route("GET", "/links/{link_id:str}/qr/{form:str}", link_qr.qr_code, "read:links"),
    Route("GET", "/links/export/{form:str}", link_files.export, "read:links"),
    shown("/links", link_pages.link_list),
    shown("/links/new", link_form.new_form, "member"),
    posted("/links/new", link_form.add, "member", kept=True),
    shown("/links/bulk", link_imports.import_form, "member"),
    posted("/links/bulk/file", link_imports.import_file, "member"),
    posted("/links/bulk/text", link_imports.import_text, "member", kept=True),
    shown("/links/bulk/{job_id:str}", link_imports.import_page, "member"),
    posted("/links/bulk/{job_id:str}", link_imports.run_import, "member"),
    shown("/links/folders", link_folders.folders),
    posted("/links/folders", link_folders.add, "member", kept=True),
    posted("/links/folders/rename", link_folders.rename, "member"),
    shown("/links/folders/delete", link_folders.delete_form, "member"),
    posted("/links/folders/delete", link_folders.delete, "member"),
    shown("/links/domains", link_domains.domains),
    posted("/links/domains", link_domains.add, "admin", kept=True),
    posted("/links/domains/save", link_domains.save, "admin"),
    shown("/links/domains/remove", link_domains.remove_form, "admin"),
    posted("/links/domains/remove", link_domains.remove, "admin"),
    shown("/links/{link_id:str}", link_page.link_page),
    shown("/links/{link_id:str}/parts/{name:str}", link_page.link_part),
    shown("/links/{link_id:str}/details/{name:str}", link_page.link_details),
    shown("/links/{link_id:str}/details/{name:str}/{form:str}", link_page.link_details_file),
    shown("/links/{link_id:str}/export/{form:str}", link_page.link_export),
    shown("/links/{link_id:str}/values", link_page.link_values),
    shown("/links/{link_id:str}/edit", link_form.edit_form, "member"),
    posted("/links/{link_id:str}/edit", link_form.save, "member", kept=True),
    shown("/links/{link_id:str}/delete", link_pages.delete_form, "member"),
    posted("/links/{link_id:str}/delete", link_pages.delete, "member"),
)
