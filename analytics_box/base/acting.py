"""The actor of a change and its time, which every operation receives and the audit log records."""

from typing import Final

from msgspec import Struct

THE_BOX: Final = "the box"  # the actor of what happens on its own
COMMAND_LINE: Final = "command line"


class By(Struct, frozen=True):
    """The actor of a change, as the audit log names them, and the time (UTC ms).

    `actor` is `user:<id>`, `apikey:<id>`, or a name such as "command line". `user_id` is a signed-in person's; None for
    an API key, which acts as an admin within its scope. `tool` is the MCP tool that an API key made the change with.
    """

    actor: str
    now: int
    user_id: str | None = None
    tool: str = ""
