"""Commands of the command line: the procedures of the API, and what only the operator of the box does.

Each takes effect immediately in a running box.
"""

from collections.abc import Callable
from typing import Any, Final

from analytics_box.app.admin.lookup import organization_of
from analytics_box.app.procedures import PROCEDURES
from analytics_box.base import errors
from analytics_box.base.identity import Identity, Operator
from analytics_box.base.translation import _
from analytics_box.web.call import Parts
from analytics_box.web.route import Handlers, NamedHandler
from analytics_box.web.rpc import decode_input, plain_output, run_handler

accounts = Handlers("analytics_box.app.admin.accounts")
care = Handlers("analytics_box.app.admin.care")
box_settings = Handlers("analytics_box.app.box_settings.calls")
lookup = Handlers("analytics_box.app.admin.lookup")
loading = Handlers("analytics_box.products.exports.loading")
people = Handlers("analytics_box.products.exports.people")
histories = Handlers("analytics_box.products.exports.histories")
imports = Handlers("analytics_box.products.imports.calls")
link_exports = Handlers("analytics_box.products.links.bulk.exports")

# Functions with the signature of a procedure, which only the command line can call. They act on the whole box.
BOX_COMMANDS: Final[dict[str, NamedHandler]] = {
    "find": lookup.find,
    "setup": accounts.set_up,
    "user create": accounts.user_create,
    "user list": accounts.user_list,
    "user confirm": accounts.user_confirm,
    "user reset-password": accounts.user_reset_password,
    "organization list": accounts.organization_list,
    "organization edit": accounts.organization_edit,
    "backup copy": care.backup_copy,
    "backup note": care.backup_note,
    "prune": care.prune,
    "vacuum": care.vacuum,
    "retire": care.retire,
    "settings": box_settings.show_all,
    "settings edit": box_settings.update,
    "state": care.state,
    "report": care.report,
}
# Further ones, which act in an organization as procedures do.
ORGANIZATION_COMMANDS: Final[dict[str, NamedHandler]] = {
    "link export": link_exports.export_piece,
    "import place": imports.place,
    "import attach": imports.attach,
    "import wait": imports.wait,
    "load state": loading.state,
    "load rows": loading.rows,
    "load people": people.load,
    "history read": histories.read,
    "history state": histories.state,
    "history load": histories.load,
}
_PROCEDURES: Final = {line.name: line for line in PROCEDURES}


async def run_command(parts: Parts, command: str, arguments: bytes, organization: str | None = None) -> Any:
    """Run a command in an organization, which procedures need unless there is only one; its result as plain values.

    Raises BoxError.
    """
    handler = handler_of(command)
    is_optional = command in BOX_COMMANDS and organization is None
    organization_id = "" if is_optional else organization_of(parts, organization).id
    call = parts.by(Identity(address="", operator=Operator(organization_id)))
    return plain_output(await run_handler(handler, call, decode_input(handler, arguments)))


def handler_of(command: str) -> Callable[..., Any]:
    """The function of a command. Raises BadRequest for an unknown one."""
    if (own := BOX_COMMANDS.get(command) or ORGANIZATION_COMMANDS.get(command)) is not None:
        return own.load()
    if command not in _PROCEDURES:
        raise errors.BadRequest(
            _("The running server does not support the command {command}. It may run another version").format(
                command=command
            )
        )
    return _PROCEDURES[command].handler
