"""Code to evaluate a feature flag: a snippet for each SDK."""

from collections.abc import Mapping
from typing import ClassVar


class FlagCode:
    """Words of the page with code. Values stand in braces where the sentence has them."""

    lead = "Paste one of these. The address and the flag's key are filled in; user-42 stands for a user of your app."
    environment_help = "The flag is in the environment {name}, so the code asks for that."
    no_secret = "No API key is needed: what a flag gives is public, its rules are not."
    names: ClassVar[Mapping[str, str]] = {
        "react": "@databuddy/sdk: React",
        "node": "@databuddy/sdk: Node.js",
        "openfeature-web": "OpenFeature: browser",
        "openfeature-server": "OpenFeature: JavaScript on a server",
        "openfeature-python": "OpenFeature: Python",
        "curl": "curl",
    }
    installs: ClassVar[Mapping[str, str]] = {
        "react": "npm install @databuddy/sdk",
        "node": "npm install @databuddy/sdk",
        "openfeature-web": "npm install @openfeature/web-sdk @openfeature/ofrep-web-provider",
        "openfeature-server": "npm install @openfeature/server-sdk @openfeature/ofrep-provider",
        "openfeature-python": "pip install openfeature-sdk openfeature-provider-ofrep",
        "curl": "",
    }
