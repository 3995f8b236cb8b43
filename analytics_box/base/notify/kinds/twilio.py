"""SMS by Twilio: a text of at most 1,600 characters, kept to 300 because each part of it costs."""

import base64
from typing import Final
from urllib.parse import urlencode

from analytics_box.base.notify import checks, wording
from analytics_box.base.notify.kinds.kind import FORM, ChannelField, ChannelKind, Config, Post, SendAttempt
from analytics_box.base.notify.message import Message

API: Final = "https://api.twilio.com/2010-04-01/Accounts"
LONGEST: Final = 300


def _twilio_post(config: Config, message: Message, _: SendAttempt) -> Post:
    sender = "MessagingServiceSid" if config["from"].startswith("MG") and len(config["from"]) == 34 else "From"
    text = f"{wording.title(message, 120)}\n{wording.body(message, LONGEST)}"
    fields = {"To": config["to"], sender: config["from"], "Body": wording.within(text, LONGEST)}
    proof = base64.b64encode(f"{config['accountSid']}:{config['authToken']}".encode()).decode()
    url = f"{API}/{config['accountSid']}/Messages.json"
    return Post(url, (FORM, ("Authorization", f"Basic {proof}")), urlencode(fields).encode())


_NUMBER = r"\+[1-9]\d{6,14}"

TWILIO = ChannelKind(
    name="twilio",
    label="SMS (Twilio)",
    help="A text message to a phone, by your account at Twilio.",
    fields=(
        ChannelField(
            "accountSid",
            "Account SID",
            "On the console's first page. It begins with AC.",
            checks.form(r"AC[0-9a-fA-F]{32}", "An account SID is AC and 32 digits from 0 to 9 and a to f"),
        ),
        ChannelField(
            "authToken", "Auth token", "On the console's first page, below the SID.", checks.token, secret=True
        ),
        ChannelField(
            "from",
            "Sender",
            "A number of yours like +14155550100, a sender's name, or the SID of a messaging service (MG…).",
            checks.form(
                rf"{_NUMBER}|MG[0-9a-fA-F]{{32}}|\d{{3,8}}|(?=.*[A-Za-z])[A-Za-z0-9 ]{{1,11}}",
                "Write a number like +14155550100, a name of at most 11 letters, or a messaging service's SID",
            ),
        ),
        ChannelField(
            "to",
            "Phone number",
            "With the country's code, like +14155550100.",
            checks.form(_NUMBER, "Write the number with + and the country's code, like +14155550100"),
            type="tel",
        ),
    ),
    shown=lambda config: f"{config['from']} → {config['to'][:4]}…{config['to'][-2:]}",
    made=_twilio_post,
)
