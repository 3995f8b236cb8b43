"""Addresses of feature flags, their groups, folders and files."""

from analytics_box.web.handlers import Handlers
from analytics_box.web.permission import PUBLIC, SIGNED_IN
from analytics_box.web.route import Route, posted, shown

flag_actions = Handlers("analytics_box.products.flags.console.action_pages")
flag_code = Handlers("analytics_box.products.flags.console.code_pages")
flag_page = Handlers("analytics_box.products.flags.console.flag_pages")
flag_folders = Handlers("analytics_box.products.flags.console.folder_pages")
flag_form = Handlers("analytics_box.products.flags.console.form_pages")
flag_groups = Handlers("analytics_box.products.flags.console.group_pages")
flag_history = Handlers("analytics_box.products.flags.console.history_pages")
flag_list = Handlers("analytics_box.products.flags.console.list_pages")
flag_files = Handlers("analytics_box.products.flags.console.moving_pages")
flag_rollout = Handlers("analytics_box.products.flags.console.rollout_pages")
flag_tester = Handlers("analytics_box.products.flags.console.tester_pages")
flag_results = Handlers("analytics_box.products.flags.figures.pages")
flag_routes = Handlers("analytics_box.products.flags.serving.routes")

ADDRESSES: tuple[Route, ...] = (
    Route("GET", "/public/v1/flags/definitions", flag_routes.definitions, PUBLIC, by_key="manage:flags"),
    Route("POST", "/public/v1/flags", flag_routes.create, PUBLIC, by_key="manage:flags"),
    Route("PATCH", "/public/v1/flags/{flag_id:str}", flag_routes.update, PUBLIC, by_key="manage:flags"),
    Route("DELETE", "/public/v1/flags/{flag_id:str}", flag_routes.delete, PUBLIC, by_key="manage:flags"),
    shown("/flags", flag_list.flag_list),
    shown("/flags/new", flag_form.new_form, "member"),
    posted("/flags/new", flag_form.add, "member", kept=True),
    shown("/flags/moving", flag_files.moving),
    posted("/flags/moving/{do:str}", flag_files.import_file, "member"),
    Route("GET", "/flags/export/{form:str}", flag_files.export_file, SIGNED_IN),
    shown("/flags/folders", flag_folders.folder_list),
    posted("/flags/folders/rename", flag_folders.rename, "member"),
    shown("/flags/folders/delete", flag_folders.delete_form, "member"),
    posted("/flags/folders/delete", flag_folders.delete, "member"),
    shown("/flags/groups", flag_groups.group_list),
    shown("/flags/groups/new", flag_groups.new_form, "member"),
    posted("/flags/groups/new", flag_groups.add, "member", kept=True),
    shown("/flags/groups/{group_id:str}", flag_groups.edit_form, "member"),
    posted("/flags/groups/{group_id:str}", flag_groups.save, "member", kept=True),
    shown("/flags/groups/{group_id:str}/delete", flag_groups.delete_form, "member"),
    posted("/flags/groups/{group_id:str}/delete", flag_groups.delete, "member"),
    shown("/flags/{flag_id:str}", flag_page.flag_page),
    shown("/flags/{flag_id:str}/results", flag_results.results),
    shown("/flags/{flag_id:str}/edit", flag_form.edit_form, "member"),
    posted("/flags/{flag_id:str}/edit", flag_form.save, "member", kept=True),
    posted("/flags/{flag_id:str}/status", flag_actions.set_status, "member"),
    shown("/flags/{flag_id:str}/copy", flag_actions.copy_form, "member"),
    posted("/flags/{flag_id:str}/copy", flag_actions.copy, "member"),
    shown("/flags/{flag_id:str}/code", flag_code.code),
    shown("/flags/{flag_id:str}/history", flag_history.history),
    shown("/flags/{flag_id:str}/restore", flag_history.restore_form, "member"),
    posted("/flags/{flag_id:str}/restore", flag_history.restore, "member"),
    shown("/flags/{flag_id:str}/rollout", flag_rollout.rollout),
    posted("/flags/{flag_id:str}/rollout", flag_rollout.save_share, "member", kept=True),
    posted("/flags/{flag_id:str}/schedules", flag_rollout.schedule, "member", kept=True),
    posted("/flags/{flag_id:str}/schedules/cancel", flag_rollout.cancel, "member"),
    shown("/flags/{flag_id:str}/test", flag_tester.tester),
    shown("/flags/{flag_id:str}/delete", flag_actions.delete_form, "member"),
    posted("/flags/{flag_id:str}/delete", flag_actions.delete, "member"),
)
