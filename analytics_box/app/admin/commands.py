"""Administration commands, as one literal table of command and function. Each takes effect immediately in the running
box.
"""

from typing import Any, get_type_hints

import msgspec

from analytics_box.base import errors
from analytics_box.web.call import Parts
from analytics_box.web.handlers import Handlers, NamedHandler

backups = Handlers("analytics_box.app.admin.backups")
care = Handlers("analytics_box.app.admin.care")
flags = Handlers("analytics_box.app.admin.flags")
keys = Handlers("analytics_box.app.admin.keys")
links = Handlers("analytics_box.app.admin.links")
monitors = Handlers("analytics_box.app.admin.monitors")
organizations = Handlers("analytics_box.app.admin.organizations")
setup = Handlers("analytics_box.app.admin.setup")
users = Handlers("analytics_box.app.admin.users")
websites = Handlers("analytics_box.app.admin.websites")

COMMANDS: dict[str, NamedHandler] = {
    "setup": setup.set_up,
    "user create": users.user_create,
    "user list": users.user_list,
    "user confirm": users.user_confirm,
    "user reset-password": users.user_reset_password,
    "key create": keys.key_create,
    "key list": keys.key_list,
    "key rotate": keys.key_rotate,
    "key revoke": keys.key_revoke,
    "key delete": keys.key_delete,
    "backup copy": backups.backup_copy,
    "backup note": backups.backup_note,
    "flag list": flags.flag_list,
    "flag export": flags.flag_export,
    "flag import": flags.flag_import,
    "link list": links.link_list,
    "link show": links.link_show,
    "link create": links.link_create,
    "link edit": links.link_edit,
    "link delete": links.link_delete,
    "link import": links.link_import,
    "link export": links.link_export,
    "monitor list": monitors.monitor_list,
    "monitor add": monitors.monitor_add,
    "monitor pause": monitors.monitor_pause,
    "monitor resume": monitors.monitor_resume,
    "monitor export": monitors.monitor_export,
    "monitor import": monitors.monitor_import,
    "organization list": organizations.organization_list,
    "organization edit": organizations.organization_edit,
    "prune": care.prune,
    "vacuum": care.vacuum,
    "retire": care.retire,
    "state": care.state,
    "report": care.report,
    "website list": websites.website_list,
    "website show": websites.website_show,
    "website create": websites.website_create,
    "website edit": websites.website_edit,
    "website delete": websites.website_delete,
    "website restore": websites.website_restore,
}


async def run_command(parts: Parts, command: str, arguments: bytes) -> Any:
    """Carry out a command; its result as plain values. Raises BoxError."""
    if command not in COMMANDS:
        raise errors.BadRequest(f"The running box does not know the command {command}; it may be of another version")
    carry_out = COMMANDS[command].load()
    wanted = get_type_hints(carry_out)["given"]
    try:
        given = msgspec.json.decode(arguments, type=wanted)
    except msgspec.ValidationError as wrong:
        raise errors.BadRequest(str(wrong)) from wrong
    return msgspec.to_builtins(await carry_out(parts, given))
