"""The evaluation context: the user attributes that flags can use."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct


class EvaluationContext(Struct, frozen=True):
    """The user that flags are evaluated for. An empty field counts as absent.

    `user_id` is also OFREP's targetingKey. `properties` is JSON as it was received: values of any type.
    """

    user_id: str = ""
    email: str = ""
    organization_id: str = ""
    team_id: str = ""
    properties: Mapping[str, Any] = {}
