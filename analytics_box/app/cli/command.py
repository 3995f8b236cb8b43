"""Commands that call a procedure: its name, its input as options, the connection to the box, the text of its answer."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import click
import msgspec

from analytics_box.app.admin import channel
from analytics_box.app.cli.options import (
    AS_JSON_OPTION,
    NULL,
    read_settings,
    read_sources,
    report_refusals,
    setting_options,
    show,
)
from analytics_box.base import errors
from analytics_box.base.settings import Settings
from analytics_box.base.store import data_lock, schema
from analytics_box.base.translation import _

# Runs a command of `admin.commands` with its arguments in an organization; its result as plain values.
Ask = Callable[[str, object, str | None], Any]


def check_box(directory: Path) -> None:
    """Raises NotFound for a directory without a box."""
    file = directory / schema.BOX_FILE
    if not file.exists():
        raise errors.NotFound(
            _("There is no Analytics Box data in {directory}. Start one there, or use another --data-dir").format(
                directory=directory
            )
        )


@contextmanager
def open_session(
    settings: Settings,
    sources: Mapping[str, str] | None = None,
    *,
    creates: bool = False,
    seconds: float = channel.ASK_SECONDS,
) -> Iterator[Ask]:
    """A connection for commands, which the running box has `seconds` to answer.

    A missing box is created if `creates`. Raises BoxError, NotAnswering and what opening the files raises.
    """
    if not creates:
        check_box(settings.data_dir)
    with ExitStack() as stack:
        try:
            stack.enter_context(data_lock.lock(settings.data_dir))
        except data_lock.AlreadyRunning:
            yield lambda command, arguments, organization: channel.ask(
                settings.data_dir, command, msgspec.json.encode(arguments), organization=organization, seconds=seconds
            )
            return
        yield stack.enter_context(_open_box(settings, sources))


@contextmanager
def _open_box(settings: Settings, sources: Mapping[str, str] | None) -> Iterator[Ask]:
    """The box itself, which a command with a running box does not load: that would be most of its time."""
    from analytics_box.app.admin import commands  # noqa: PLC0415  1 s that only commands on the files pay
    from analytics_box.app.box import Box, open_box  # noqa: PLC0415

    async def opened() -> Box:
        return open_box(settings, sources=sources)

    with asyncio.Runner() as runner:
        box = runner.run(opened())
        try:
            yield lambda command, arguments, organization: runner.run(
                commands.run_command(box.parts, command, msgspec.json.encode(arguments), organization)
            )
        finally:
            box.close()


# Importing links hashes their passwords, which takes time.
IMPORT_SECONDS: Final = 3_600.0
# Settings of commands whose answers contain public addresses.
LINK_SETTINGS: Final = ("data_dir", "host", "port", "base_url")
_PAGE: Final = 100


class InputOption(click.Option):
    """An option that sets a field of the procedure's input. `path` is empty for an option of fields by their names."""

    path: str = ""


class InputArgument(click.Argument):
    """An argument that sets a field of the procedure's input."""

    path: str = ""


class ProcedureCommand(click.Command):
    """A command over a procedure, or over a function of the same form. `inputs` set fields of its input."""

    procedure: str = ""
    inputs: Sequence[InputOption | InputArgument] = ()


def option(
    path: str, flag: str, help: str, *aliases: str, choices: Sequence[str] | None = None, **more: Any
) -> InputOption:
    """An option for the input field at this path, such as `settings.ignoredIps`."""
    if choices is not None:
        more |= {"type": click.Choice(choices), "show_default": True}
    made = InputOption((flag, *aliases), help=help, **more)
    made.path = path
    return made


def argument(path: str, name: str, **more: Any) -> InputArgument:
    """A required argument for the input field at this path."""
    made = InputArgument((name,), **more)
    made.path = path
    return made


class Request:
    """A command in progress: its option values, the input of its procedure, and the box that answers."""

    def __init__(self, procedure: str, values: dict[str, Any], given: dict[str, Any], ask: Ask) -> None:
        self.procedure = procedure
        self.values = values
        self.input = given
        self.organization: str | None = None
        self._ask = ask

    def call(self, procedure: str = "", given: dict[str, Any] | None = None) -> Any:
        """The answer of a procedure, by default of the command's own with its input."""
        return self._ask(procedure or self.procedure, self.input if given is None else given, self.organization)

    def find(self, kind: str, name: str) -> str:
        """The id of a resource by a name that an operator entered."""
        return str(self.call("find", {"kind": kind, "name": name})["id"])

    def in_each_organization(self) -> list[Any]:
        """The rows of a list of the named organization, or of all."""
        names = [self.organization] if self.organization else [one["id"] for one in self.call("organization list", {})]
        return [row for name in names for row in self._ask(self.procedure, self.input, name)]

    def pages(self, limit: int) -> list[Any]:
        """Up to `limit` rows of a list with pages."""
        rows: list[Any] = []
        while len(rows) < limit:
            page = self.call(given=self.input | {"limit": min(_PAGE, limit - len(rows)), "offset": len(rows)})
            rows += page["items"]
            if not page["hasMore"]:
                break
        return rows


class Target(NamedTuple):
    """The organization or resource that a command is about: the parameters that name it, and how they are applied."""

    params: tuple[click.Parameter, ...]
    apply: Callable[[Request], None]


def resource(kind: str, path: str, name: str = "") -> Target:
    """A resource that an argument names. Its id becomes the input field at this path."""
    metavar = name or kind

    def apply(request: Request) -> None:
        location = request.call("find", {"kind": kind, "name": request.values[metavar]})
        request.input[path] = location["id"]
        request.organization = location["organizationId"]

    return Target((click.Argument((metavar,)),), apply)


def _apply_owner(request: Request) -> None:
    if request.values["website"] is not None:
        resource("website", "websiteId").apply(request)


_ORGANIZATION_OPTION: Final = click.Option(
    ("--organization",), help="Organization slug or ID. Optional if there is only one."
)
BOX: Final = Target((), lambda request: None)
ORGANIZATION: Final = BOX._replace(params=(_ORGANIZATION_OPTION,))
OWNER: Final = Target(
    (
        click.Option(("--website",), help="Website ID or domain. [default: flags of the organization]"),
        _ORGANIZATION_OPTION,
    ),
    _apply_owner,
)


def command(
    name: str,
    procedure: str,
    help: str,
    *params: click.Parameter,
    target: Target = ORGANIZATION,
    text: Callable[[Any], Iterable[str]],
    run: Callable[[Request], Any] = Request.call,
    failed: Callable[[Any], bool] = lambda answer: False,
    settings: tuple[str, ...] = ("data_dir",),
    seconds: float = channel.ASK_SECONDS,
) -> ProcedureCommand:
    """A command that calls a procedure, prints its answer as text or JSON, and ends with 1 if the answer `failed`."""

    def carry_out(values: dict[str, Any]) -> None:
        given = dict(_input_of(made.inputs, values))
        named = {one.name: values[one.name] for one in all_settings if one.name}
        with open_session(
            read_settings(named), read_sources(named), creates=procedure == "setup", seconds=seconds
        ) as ask:
            request = Request(procedure, values, _nest(given), ask)
            if _ORGANIZATION_OPTION in target.params:
                request.organization = values["organization"]
            target.apply(request)
            answer = run(request)
        if answer is not None:
            show(answer, list(text(answer)), as_json=values["as_json"])
        if failed(answer):
            raise SystemExit(1)

    all_settings = setting_options(*settings)
    all_params: list[click.Parameter] = [*target.params, *params, AS_JSON_OPTION, *all_settings]
    made = ProcedureCommand(name, params=all_params, help=help)
    made.callback = lambda **values: report_refusals(lambda: carry_out(values))
    made.procedure = procedure
    made.inputs = [param for param in all_params if isinstance(param, InputOption | InputArgument)]
    return made


def sequence(*procedures: str, answer: int = -1) -> Callable[[Request], Any]:
    """Call procedures with the same input; the answer of the last one, or of another one."""
    return lambda request: [request.call(name) for name in procedures][answer]


def _input_of(params: Iterable[InputOption | InputArgument], values: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for param in params:
        value = values[param.name or ""]
        if value is None or value == ():
            continue
        if not param.path:
            yield from value
        elif param.multiple if isinstance(param, InputOption) else False:
            yield param.path, [one for one in value if one != ""]
        else:
            yield param.path, None if value is NULL else value


def _nest(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields by their paths as an object."""
    result: dict[str, Any] = {}
    for path, value in fields.items():
        *outer, name = path.split(".")
        within = result
        for one in outer:
            within = within.setdefault(one, {})
        within[name] = value
    return result
