"""Addresses of feature flags, their groups, folders and files."""

from analytics_box.web.route import PUBLIC, SIGNED_IN, Handlers, Route, deleted_routes, form_route, page_route

flag_actions = Handlers("analytics_box.products.flags.console.flag_pages")
flag_code = Handlers("analytics_box.products.flags.console.code_pages")
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
    page_route("/flags", flag_list.flag_list, about="selected"),
    page_route("/flags/new", flag_form.new_form, "member"),
    form_route("/flags/new", flag_form.add, "member", kept=True),
    page_route("/flags/moving", flag_files.moving),
    form_route("/flags/moving/{do:str}", flag_files.import_file, "member"),
    Route("GET", "/flags/export/{form:str}", flag_files.export_file, SIGNED_IN),
    page_route("/flags/folders", flag_folders.folder_list),
    form_route("/flags/folders/rename", flag_folders.rename, "member"),
    page_route("/flags/folders/delete", flag_folders.delete_form, "member"),
    form_route("/flags/folders/delete", flag_folders.delete, "member"),
    page_route("/flags/groups", flag_groups.group_list),
    page_route("/flags/groups/new", flag_groups.new_form, "member"),
    form_route("/flags/groups/new", flag_groups.add, "member", kept=True),
    page_route("/flags/groups/{group_id:str}", flag_groups.edit_form, "member"),
    form_route("/flags/groups/{group_id:str}", flag_groups.save, "member", kept=True),
    page_route("/flags/groups/{group_id:str}/delete", flag_groups.delete_form, "member"),
    form_route("/flags/groups/{group_id:str}/delete", flag_groups.delete, "member"),
    page_route("/flags/{flag_id:str}", flag_actions.flag_page),
    page_route("/flags/{flag_id:str}/results", flag_results.results),
    form_route("/flags/{flag_id:str}/results", flag_results.save_metric, "member", kept=True),
    page_route("/flags/{flag_id:str}/edit", flag_form.edit_form, "member"),
    form_route("/flags/{flag_id:str}/edit", flag_form.save, "member", kept=True),
    form_route("/flags/{flag_id:str}/status", flag_actions.set_status, "member"),
    page_route("/flags/{flag_id:str}/copy", flag_actions.copy_form, "member"),
    form_route("/flags/{flag_id:str}/copy", flag_actions.copy, "member"),
    page_route("/flags/{flag_id:str}/code", flag_code.code),
    page_route("/flags/{flag_id:str}/history", flag_history.history),
    page_route("/flags/{flag_id:str}/restore", flag_history.restore_form, "member"),
    form_route("/flags/{flag_id:str}/restore", flag_history.restore, "member"),
    page_route("/flags/{flag_id:str}/rollout", flag_rollout.rollout),
    form_route("/flags/{flag_id:str}/rollout", flag_rollout.save_share, "member", kept=True),
    form_route("/flags/{flag_id:str}/schedules", flag_rollout.schedule, "member", kept=True),
    form_route("/flags/{flag_id:str}/schedules/cancel", flag_rollout.cancel, "member"),
    page_route("/flags/{flag_id:str}/test", flag_tester.tester),
    *deleted_routes("/flags/{flag_id:str}/delete", flag_actions.within("DELETION"), "member"),
)
