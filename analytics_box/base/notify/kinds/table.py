"""All kinds of channels, in the order in which they are offered. A kind's name is also a value of the column `kind`."""

from collections.abc import Mapping
from typing import Final

from analytics_box.base.notify.kinds.chat import DISCORD, GOOGLE_CHAT, MATTERMOST, ROCKET_CHAT, SLACK, TEAMS
from analytics_box.base.notify.kinds.http import HTTP, WEBHOOK
from analytics_box.base.notify.kinds.kind import ChannelKind
from analytics_box.base.notify.kinds.messengers import EMAIL, MATRIX, TELEGRAM, TWILIO
from analytics_box.base.notify.kinds.on_call import OPSGENIE, PAGERDUTY
from analytics_box.base.notify.kinds.push import GOTIFY, NTFY, PUSHBULLET, PUSHOVER

_ALL: Final = (
    EMAIL,
    WEBHOOK,
    SLACK,
    DISCORD,
    TEAMS,
    TELEGRAM,
    GOOGLE_CHAT,
    MATTERMOST,
    ROCKET_CHAT,
    MATRIX,
    NTFY,
    GOTIFY,
    PUSHOVER,
    PUSHBULLET,
    PAGERDUTY,
    OPSGENIE,
    TWILIO,
    HTTP,
)
KINDS: Final[Mapping[str, ChannelKind]] = {kind.name: kind for kind in _ALL}
