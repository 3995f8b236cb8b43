"""Who asks for flags, as far as flags may look."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct


class Context(Struct, frozen=True):
    """Somebody whom flags are evaluated for. What is empty is as if it were not given.

    `user_id` is OFREP's targetingKey, too. `properties` is JSON as it came: values of any type.
    """

    user_id: str = ""
    email: str = ""
    organization_id: str = ""
    team_id: str = ""
    properties: Mapping[str, Any] = {}
