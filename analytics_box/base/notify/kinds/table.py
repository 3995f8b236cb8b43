"""All kinds of channels, in the order in which they are offered. A kind's name is also a value of the column `kind`."""

from collections.abc import Mapping
from typing import Final

from analytics_box.base.notify.kinds.discord import DISCORD
from analytics_box.base.notify.kinds.email import EMAIL
from analytics_box.base.notify.kinds.google_chat import GOOGLE_CHAT
from analytics_box.base.notify.kinds.gotify import GOTIFY
from analytics_box.base.notify.kinds.http import HTTP
from analytics_box.base.notify.kinds.kind import ChannelKind
from analytics_box.base.notify.kinds.matrix import MATRIX
from analytics_box.base.notify.kinds.mattermost import MATTERMOST
from analytics_box.base.notify.kinds.ntfy import NTFY
from analytics_box.base.notify.kinds.opsgenie import OPSGENIE
from analytics_box.base.notify.kinds.pagerduty import PAGERDUTY
from analytics_box.base.notify.kinds.pushbullet import PUSHBULLET
from analytics_box.base.notify.kinds.pushover import PUSHOVER
from analytics_box.base.notify.kinds.rocket_chat import ROCKET_CHAT
from analytics_box.base.notify.kinds.slack import SLACK
from analytics_box.base.notify.kinds.teams import TEAMS
from analytics_box.base.notify.kinds.telegram import TELEGRAM
from analytics_box.base.notify.kinds.twilio import TWILIO
from analytics_box.base.notify.kinds.webhook import WEBHOOK

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
