"""Matrix: an event in a room (client-server API). The id of a delivery makes it one event, however often it is sent."""

from urllib.parse import quote

from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import ChannelField, ChannelKind, Config, Post, SendAttempt, json_post
from analytics_box.base.notify.message import Message
from analytics_box.base.outgoing.target import target


def _matrix_post(config: Config, message: Message, sending: SendAttempt) -> Post:
    room, event = quote(config["room"], safe=""), quote(sending.id, safe="")
    url = f"{config['url']}/_matrix/client/v3/rooms/{room}/send/m.room.message/{event}"
    content = {"msgtype": "m.text", "body": wording.calm(wording.plain(message)), "m.mentions": {}}
    return json_post(url, content, ("Authorization", f"Bearer {config['token']}"), method="PUT")


MATRIX = ChannelKind(
    name="matrix",
    label="Matrix",
    help="A message in a room, from an account of its own.",
    fields=(
        checks.server_url("https://matrix.example.com, the homeserver of the account"),
        ChannelField(
            "token",
            "Access token",
            "Of the account that writes. In Element: All settings, Help & About, Access Token.",
            checks.token,
            secret=True,
            longest=1_000,
        ),
        ChannelField(
            "room",
            "Room",
            "Its id, like !abc:example.com. In Element: Room info, Settings, Advanced. The account has to be in it.",
            checks.form(r"![\x21-\x7e]{1,200}", "This is not a room's id; it begins with !"),
        ),
    ),
    shown=lambda config: f"{config['room']} at {target(config['url']).origin}",
    made=_matrix_post,
)
