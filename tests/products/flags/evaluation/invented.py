"""Flags, target groups and contexts at random, few enough different values that much of it matches."""

import random
from typing import Any

from analytics_box.products.flags.evaluation.matching import NEGATIVE
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from analytics_box.products.flags.flag import Algorithm, Flag, Operator, TargetGroup
from tests.products.flags.evaluation.made import flag, group

USERS = ("", "ann", "bob", "5", "Zoë", "annabel")
EMAILS = ("", "ann@example.com", "bob@example.org")
FIELDS = ("plan", "age", "list", "gone")
VALUES: tuple[Any, ...] = ("pro", "5", 5, 5.5, True, False, "", "an", "@example", "ann", "bob")
FOUND: tuple[Any, ...] = (*VALUES, None, ["pro", 5], ["5"], [], {"a": 1}, 5.0, 1)
KEYS = ("a", "b", "c", "d")
GROUPS = ("g", "h", "i")
OF_TEXT: tuple[Operator, ...] = ("equals", "contains", "starts_with", "ends_with", "in", "not_in")
OF_PROPERTY: tuple[Operator, ...] = ("equals", "contains", "in", "not_in", "exists", "not_exists")
EVERY: tuple[Operator, ...] = (*OF_TEXT, "exists", "not_exists", "greater", "less", *NEGATIVE)
ALGORITHMS: tuple[Algorithm, ...] = ("default", "unleash", "growthbook_v1", "growthbook_v2", "flagd", "launchdarkly")


class Chance:
    """One world after another from a seed; `beyond` has what goes beyond the wire, too."""

    def __init__(self, seed: int, *, beyond: bool) -> None:
        self._random = random.Random(seed)
        self._beyond = beyond

    def world(self) -> tuple[list[Flag], list[TargetGroup]]:
        """Flags of four keys, some for a single user, and target groups."""
        flags = [self._flag(key) for key in KEYS if self._one((True, True, True, False))]
        flags += [self._flag(self._one(KEYS), user=user) for user in ("ann", "bob") if self._one((True, False))]
        return flags, [group(id, *self._rules(variants=False)) for id in GROUPS if self._one((True, True, False))]

    def context(self) -> EvaluationContext:
        """Somebody."""
        return EvaluationContext(
            user_id=self._one(USERS),
            email=self._one(EMAILS),
            organization_id=self._one(("", "acme", "umbrella")),
            team_id=self._one(("", "red")),
            properties={name: self._one(FOUND) for name in FIELDS[:3] if self._one((True, True, False))},
        )

    def _one(self, of: Any) -> Any:
        return self._random.choice(of)

    def _some(self, of: tuple[Any, ...], most: int) -> list[Any]:
        return self._random.sample(of, self._random.randint(0, most))

    def _flag(self, key: str, user: str | None = None) -> Flag:
        weights = self._one((None, (20, 30.5, 49.5), (None, 100, None)))
        definition: dict[str, Any] = {
            "type": self._one(("boolean", "rollout", "multivariant")),
            "status": self._one(("active", "active", "active", "inactive")),
            "defaultValue": self._one((True, False)),
            "payload": self._one((None, {"n": 1})),
            "rolloutPercentage": self._one((0, 12.5, 50, 100)),
            "rolloutBy": self._one(("user", "user", "organization", "team")),
            "variants": [
                {"key": name, "value": name * 2, "weight": weights and weights[place]}
                for place, name in enumerate("xyz")
            ],
            "rules": self._rules(variants=self._beyond),
            "targetGroupIds": self._some(GROUPS, 2),
            "dependencies": self._some(KEYS, 1),
        }
        if self._beyond:
            definition["prerequisites"] = [
                {"key": key, "gives": self._some(("true", "false", "x", "y"), 3)} for key in self._some(KEYS, 1)
            ]
            definition["bucketing"] = self._bucketing()
            definition["offValue"] = self._one((None, None, True, False, "xx", "other"))
        return flag(key, user=user, **definition)

    def _bucketing(self) -> dict[str, Any]:
        return {
            "algorithm": self._one(ALGORITHMS),
            "salt": self._one(("", "grain")),
            "attribute": self._one(("", "", "plan", "email")),
        }

    def _rules(self, *, variants: bool) -> list[dict[str, Any]]:
        return [self._rule(variants=variants) for _ in range(self._random.randint(0, 3))]

    def _rule(self, *, variants: bool) -> dict[str, Any]:
        kind = self._one(("user_id", "email", "property", "property"))
        operators = EVERY if self._beyond else OF_PROPERTY if kind == "property" else OF_TEXT
        rule: dict[str, Any] = {
            "type": kind,
            "operator": self._one(operators),
            "field": self._one(FIELDS) if kind == "property" else "",
            "value": self._one(VALUES),
            "values": self._some(VALUES, 3),
            "enabled": self._one((True, True, False)),
        }
        if rule["operator"] in OF_TEXT and self._one((True, False, False)):
            rule |= {"batch": True, "batchValues": [text for text in self._some(VALUES, 3) if isinstance(text, str)]}
        elif kind == "property" and self._one((True, False, False, False)):
            rule |= {"field": "", "value": self._one((0, 20, 50.5, 100))}
        if self._beyond and self._one((True, False)):
            rule |= {"type": "conditions", "conditions": self._node(3)}
        if self._beyond and self._one((True, False, False)):
            rule |= {"percentage": self._one((10, 50, 100)), "percentageFrom": self._one((0, 10))}
            rule |= {"bucketing": self._one((None, self._bucketing()))}
        return rule | ({"variant": self._one(("", "", "x", "never"))} if variants else {})

    def _node(self, depth: int) -> dict[str, Any]:
        form = self._one(("all", "any", "none", "attribute", "attribute", "group") if depth else ("attribute",))
        if form == "group":
            return {"group": self._one(GROUPS)}
        if form != "attribute":
            return {form: [self._node(depth - 1) for _ in range(self._random.randint(0, 2))]}
        name = self._one((*FIELDS, "user_id", "email", "organization_id", "team_id"))
        values = {"value": self._one(VALUES)} if self._one((True, False)) else {"values": self._some(VALUES, 3)}
        return {"attribute": name, "operator": self._one(EVERY), **values}
