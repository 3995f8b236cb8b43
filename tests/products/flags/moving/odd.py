"""Odd values of an attribute, and flags of other products that look at it; their engines are asked about both."""
# fmt: off

from itertools import product
from typing import Any, Final

Json = dict[str, Any]

_NUMERALS: Final[list[Any]] = [
    "5", "5.0", "05", "5.", ".5", "+5", "-5", "1e1", "1E1", "1e400", "-1e400", "0x10", "0b1", "0o7", "1_0", "0", "1",
    "Infinity", "-Infinity", "+Infinity", "inf", "nan", "NaN", "\uff15", "\u0665", "6", "5,0", "1,000", "5 5", "--5",
    " 5", "5 ", "5\n", "\t5", "\xa05", "\ufeff5", "\u20285", "\x1c5", "\x855", "\u180e5", "\u200b5", "-0", "-",
    "9007199254740993", "99999999999999999999999", "1e-400", "5e", "e5", "1e+1", "0x", "-0x10", "0X1F",
    "0xfffffffff",
]
_WORDS: Final[list[Any]] = [
    "", " ", "\n", "a", "A", "z", "a\n", "b\na", "a\nb", "\na", "ab", "ba", "a ", " a", "aa", "xay", "AB",
    "[object Object]", "true", "false", "True", "TRUE", "null", "None", "undefined", "k", "K", "\u212a", "s", "S",
    "\u017f", "ss", "SS", "\xdf", "i", "I", "\u0130", "\u0131", "\xe9", "e\u0301", "\xc9", "\U0001f600", "\u1e9e",
    "\u03c3", "\u03c2", "\u03a3", "a,z", ",",
]
_VERSIONS: Final[list[Any]] = [
    "2.0.0", "2.0", "2", "v2.0.0", "V2.0.0", "vv2.0.0", "02.0.0", "2.00.0", " 2.0.0", "2.0.0 ", "2.0.0\n", "2.0.0.0",
    "2.0.0-a", "2.0.0-1", "2.0.0-01", "2.0.0-a.01", "2.0.0-A", "2.0.0--", "2.0.0+b", "2.0.0+b.01", "2.0.0-",
    "2.0.0+", "2.0-a", "2-a", "2.0+b", "2.1", "2.10.0", "2.9.0", "1.9.9", "2.0.1", "3.0.0", "-2.0.0", "2.0.x", "x",
    "2..0", ".2", "2.0.9007199254740991", "2.0.9007199254740992", "2.0.9007199254740993", "2.0.9223372036854775808",
    "2.0.999999999999999999", "2.0.1000000000000000000", "99999999999999999999.0.0", "2.0.18446744073709551616",
    "2.0.0-9007199254740993", "2.0.0-9007199254740992", "2.0.0-99999999999999999999", "2.0.0-100000000000000000000",
    "2.0.0-beta", "2.0.0-beta.2", "2.0.0-beta.11", "2.0.0-rc.1", "2.0.\uff10", "2.0.0-\xe9", "0.0.0", "1.2.3",
    "10.0.0",
]
_TIMES: Final[list[Any]] = [
    "2024-06-01T00:00:00Z", "2024-06-01T00:00:00+02:00", "2024-06-01T00:00:00.123456789Z", "2024-06-01t00:00:00z",
    "2024-06-01", "2024-06-01T00:00:00", "2024-06-01 00:00:00Z", "2024-06-01T00:00Z", "2024-06-01T24:00:00Z",
    "20240601", "2024-06-31T00:00:00Z", "2024-06-01T00:00:60Z", "2024-06-01T00:00:00,5Z", "2024-6-1T00:00:00Z",
    " 2024-06-01T00:00:00Z", "2024-06-01T00:00:00Z\n", "2024-W22-6T00:00:00Z", "2024-06-01T00Z", "20240601T000000Z",
    "2024-06-01T00:00:00-00:00", "2024-06-01T00:00:00+0200", "2024-06-01T00:00:00+02", "2024-06-01T00:00:00+24:00",
    "0001-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "+012024-06-01T00:00:00Z",
    "Sat, 01 Jun 2024 00:00:00 GMT", "1717200000000", "2024-06-01T00:00:00.Z", "2024-06-01T00:00:00.5Z",
    "2024-05-01T00:00:00.0001Z", "2024-05-01T00:00:00Z", "2024-06-01T00:00:00+02:00:30",
]
_ADDRESSES: Final[list[Any]] = [
    "10.1.1.1", "10.01.1.1", "11.1.1.1", "2001:db8::1", "::ffff:10.1.1.1", "::FFFF:a01:101", "10.1.1.1 ",
    "10.1.1.1/32", "2001:DB8::1", "2001:db8::1%eth0", "0:0:0:0:0:ffff:10.1.1.1", "167837953", "10.1", "fe80::1",
    "2001:db8::/32",
]
_NUMBERS: Final[list[Any]] = [
    0, -0.0, 1, 5, 5.0, 5.5, 6, -5, 4, 2, 2.1, 2 ** 53, 10 ** 21, 1e-07, 10 ** 30, 1717200000000, 1e+308,
]
_OTHERS: Final[list[Any]] = [
    True, False, None, {}, {"a": 1}, [], [5], ["5"], [0], [""], [False], [True], [None], [[]], [[5]], [["a"]],
    [["5"]], [5, "a"], ["a", 5], ["a"], ["A"], ["z"], ["a", "z"], ["z", "a"], ["5", "6"], [1, 2], ["a", True],
    [None, "a"], [{}], [6], [4], [4, 6], [6, "x"], ["x", 6], [True, "a"], ["2.0.0"], ["x", "2.0.0"],
    ["2024-06-01T00:00:00Z"], ["b", ["a"]], [[], "a"], [5, [5]], [[[]]], [1], [1.5], ["1"], ["ba"], [5, 5],
    ["a", "a"], [1717200000000], [0, 6], [None],
]
VALUES: Final[list[Json]] = [
    {},
    *({"v": value} for value in [*_NUMERALS, *_WORDS, *_VERSIONS, *_TIMES, *_ADDRESSES, *_NUMBERS, *_OTHERS]),
]

V: Final = {"var": "v"}
_SCALARS: Final = [
    5, 5.5, 0, -1, 1, "5", "5.0", " 5", "0", "1", "a", "A", "", "true", "false", True, False, None, "Infinity",
    "1e1",
]


_INSIDE: Final[list[Any]] = ["a", "A", "", "5", 5, True, None, "\u00e9", "z", []]


def _of_flagd() -> list[Any]:
    found: list[Any] = [{one: [V, value]} for one, value in product(("==", "!=", "===", "!=="), _SCALARS)]
    found += [{one: [value, V]} for one, value in product(("==", "==="), (5, "5", "a", True))]
    found += [
        {one: [V, value]} for one, value in product(("<", "<=", ">", ">="), (5, 0, 1, -1, 5.5, "5", "a", True, None))
    ]
    found += [{one: [value, V]} for one, value in product(("<", ">="), (5, 0, "5"))]
    found += [{one: [low, V, high]} for one, low, high in (("<", 0, 6), ("<=", 0, 5), (">", 6, 0), ("<=", 5, 5))]
    lists: tuple[Any, ...] = (
        [5, "a"], ["5"], ["a", "A"], [True], [False], [1], [0, ""], [], [None], [[5]], ["", "a"], [5.0], ["1", 1],
    )
    found += [{"in": [V, one]} for one in lists]
    found += [{"in": [V, one]} for one in ("abc", "", "5", "true")]
    found += [{"in": [one, V]} for one in _INSIDE]
    found += [{one: [V, text]} for one, text in product(("starts_with", "ends_with"), ("a", "A", "", "5", 5, "\u00e9"))]
    wanted = (
        "2.0.0", "2.0", "2", "v2.0.0", "2.0.0-a", "2.0.0-beta.2", "2.0.0+b", "x", 2, "2.0.9007199254740992",
        "02.0.0",
    )
    found += [{"sem_ver": [V, one, text]} for one, text in product(("=", "!=", "<", ">="), wanted)]
    found += [{"sem_ver": [V, one, text]} for one, text in product(("^", "~", ">", "<="), ("2.0.0", "2", "2.0.0-a"))]
    found += [{"!": [V]}, {"!!": [V]}, {"!": V}, {"!!": V}, V, {"!": [{"==": [V, 5]}]}, {"!!": [{"in": ["a", V]}]}]
    found += [{"missing": ["v"]}, {"!": {"missing": ["v"]}}, {"missing_some": [1, ["v"]]}, {"var": ["v", "a"]}]
    found += [
        {one: [{"var": ["v", default]}, value]}
        for one, default, value in (("==", "a", "a"), ("<", 0, 5), ("in", "a", ["a"]))
    ]
    found += [
        {"and": [V, {"==": [V, "a"]}]}, {"or": [V, {"==": [V, "a"]}]}, {"and": []}, {"or": []},
        {"if": [V, True, False]},
    ]
    found += [
        {"==": [{"cat": [V, "a"]}, "aa"]}, {">": [{"+": [V]}, 4]}, {"in": [{"cat": V}, ["a", "5"]]},
        {"some": [V, {"==": [{"var": ""}, "a"]}]},
    ]
    found += [
        {"==": [{"%": [V, 2]}, 1]}, {"==": [{"substr": [V, 0, 1]}, "a"]}, {"==": [{"var": "v.a"}, 1]},
        {"all": [V, {"==": [{"var": ""}, "a"]}]},
    ]
    return found


def flagd() -> Json:
    """A file of flagd: a flag for each condition, and some that draw by the attribute."""
    flags: Json = {}
    for number, condition in enumerate(_of_flagd()):
        flags[f"f{number}"] = {"targeting": {"if": [condition, "on", "off"]}}
    by = {"cat": [{"var": "$flagd.flagKey"}, V]}
    guards = ({"!!": [V]}, {"!=": [V, ""]}, {"!==": [V, None]}, {"in": ["a", V]}, {"==": [V, "a"]}, {">": [V, 0]})
    for number, guard in enumerate(guards):
        draw = {"fractional": [by, ["on", 50], ["off", 50]]}
        flags[f"draw{number}"] = {"targeting": {"if": [guard, draw, "off"]}}
    common = {"state": "ENABLED", "variants": {"on": True, "off": False}, "defaultVariant": "off"}
    return {"flags": {key: one | common for key, one in flags.items()}}


def _of_growthbook() -> list[Any]:
    found: list[Any] = list(_SCALARS)
    found += [{one: value} for one, value in product(("$eq", "$ne"), _SCALARS)]
    found += [
        {one: value} for one, value in product(("$gt", "$gte", "$lt", "$lte"), (5, 0, 5.5, "5", "a", True, "", None))
    ]
    lists: tuple[Any, ...] = (
        [5, "a"], ["5"], ["a", "A"], [True], [False], [1], [0, ""], [], [None], [[5]], ["", "a"], ["k", "ss", "i"],
        ["İ"], ["Σ"],
    )
    found += [{one: value} for one, value in product(("$in", "$nin", "$ini", "$nini"), lists)]
    patterns = (
        "a", "^a$", "a$", "^a", "5", "^$", ".", "^.$", "\\d", "^\\d+$", "\\w", "\\s", "\\bz", "k", "K", "[^a]",
        "^[\\s\\S]$", "a|b", "\\u0061", "(?i)a", "a\\Z", "(?=a)", "", "(?m)^a", "\\S",
    )
    found += [{one: value} for one, value in product(("$regex", "$regexi", "$notRegex", "$notRegexi"), patterns)]
    found += [
        {one: value}
        for one, value in product(
            ("$veq", "$vne", "$vgt", "$vgte", "$vlt", "$vlte"), ("2.0.0", "2.0", "v2", "2.0.0-beta.2")
        )
    ]
    found += [{"$exists": one} for one in (True, False, 1, 0, None, "", "a")]
    found += [{"$type": one} for one in ("string", "number", "boolean", "array", "object", "null", "undefined")]
    found += [{"$size": one} for one in (0, 1, 2, {"$gt": 0})]
    found += [{"$elemMatch": one} for one in ({"$eq": "a"}, {"$gt": 4})] + [
        {"$all": one} for one in (["a"], [5], [], ["a", "z"])
    ]
    found += [{"$not": one} for one in ({"$gt": 5}, {"$regex": "a"}, {"$in": ["a"]}, {"$eq": None}, "a", None, {})]
    found += [
        ["a"], [], {"a": 1}, {}, {"$gt": 4, "$lt": 6}, {"$in": "a"}, {"$unknown": 1}, {"$regex": 5},
        {"$inGroup": "g"}, {"$notInGroup": "g"},
    ]
    return found


def growthbook() -> Json:
    """What GrowthBook's SDKs get: a feature for each condition, and some that draw by the attribute."""
    features: Json = {}
    for number, condition in enumerate(_of_growthbook()):
        features[f"f{number}"] = {"rules": [{"condition": {"v": condition}, "force": True}]}
    joined: tuple[Any, ...] = ([{"v": "a"}, {"v": 5}], [], [{"v": {"$gt": 5}}])
    for number, (name, parts) in enumerate(product(("$or", "$and", "$nor"), joined)):
        features[f"joined{number}"] = {"rules": [{"condition": {name: parts}, "force": True}]}
    for version in (1, 2):
        draw = {"force": True, "coverage": 0.5, "hashAttribute": "v", "hashVersion": version}
        features[f"draw{version}"] = {"rules": [draw]}
        experiment = {
            "variations": [False, True],
            "weights": [0.4, 0.6],
            "key": "x",
            "hashAttribute": "v",
            "hashVersion": version,
        }
        features[f"experiment{version}"] = {"rules": [experiment]}
    features = {key: {"defaultValue": False} | one for key, one in features.items()}
    return {"features": features, "savedGroups": {"g": ["a", 5, "5"]}}


def _of_launchdarkly() -> list[Json]:
    found: list[Json] = [{"op": "in", "values": [value]} for value in _SCALARS]
    found += [
        {"op": "in", "values": [5, "a"]}, {"op": "in", "values": []}, {"op": "in", "values": [[5]]},
        {"op": "in", "values": [{"a": 1}]},
    ]
    texts = ("a", "A", "", "5", "\u00e9", 5, True)
    found += [{"op": one, "values": [value]} for one, value in product(("startsWith", "endsWith", "contains"), texts)]
    patterns = (
        "a", "^a$", "a$", "^a", "5", "^$", ".", "^.$", "\\d", "^\\d+$", "\\w", "\\s", "\\bz", "k", "[^a]", "a|b",
        "(?i)a", "a\\Z", "a\\z", "(?=a)", "", "(", "(?m)^a$", "\\pL", 5,
    )
    found += [{"op": "matches", "values": [one]} for one in patterns]
    numbers = ("lessThan", "lessThanOrEqual", "greaterThan", "greaterThanOrEqual")
    found += [{"op": one, "values": [value]} for one, value in product(numbers, (5, 0, 5.5, "5", True, -1))]
    dates = (
        "2024-05-01T00:00:00Z", "2024-05-01T00:00:00.0001Z", "2024-05-01", 1714521600000, "x",
        "2024-05-01T02:00:00+02:00", True, 1714521600000.5,
    )
    found += [{"op": one, "values": [value]} for one, value in product(("before", "after"), dates)]
    wanted = (
        "2.0.0", "2.0", "2", "v2.0.0", "2.0.0-a", "2.0.0-beta.2", "2.0.0+b", "x", 2, "2.0.9007199254740992",
        "02.0.0", " 2.0.0",
    )
    found += [
        {"op": one, "values": [value]}
        for one, value in product(("semVerEqual", "semVerLessThan", "semVerGreaterThan"), wanted)
    ]
    found += [
        {"op": "unknown", "values": ["a"]}, {"op": "segmentMatch", "values": ["s"]},
        {"op": "segmentMatch", "values": ["none"]},
    ]
    found += [{"op": "segmentMatch", "values": [5]}, {"op": "segmentMatch", "values": ["weighted"]}]
    return found + [one | {"negate": True} for one in found[::3]]


def launchdarkly() -> Json:
    """What LaunchDarkly's SDKs get: a flag for each clause, and one that draws by the attribute."""
    common = {"version": 1, "on": True, "variations": [True, False], "offVariation": 1, "salt": "x"}
    flags: Json = {}
    for number, clause in enumerate(_of_launchdarkly()):
        rule = {"clauses": [{"attribute": "v", "contextKind": "user"} | clause], "variation": 0}
        flags[f"f{number}"] = common | {"rules": [rule], "fallthrough": {"variation": 1}}
    for number, weight in enumerate((30_000, 50_000, 70_001)):
        shares = [{"variation": 0, "weight": weight}, {"variation": 1, "weight": 100_000 - weight}]
        flags[f"draw{number}"] = common | {"fallthrough": {"rollout": {"bucketBy": "v", "variations": shares}}}
    clause = {"attribute": "v", "op": "in", "values": ["a", 5], "contextKind": "user"}
    segments = {
        "s": {"key": "s", "version": 1, "rules": [{"clauses": [clause]}]},
        "weighted": {
            "key": "weighted",
            "version": 1,
            "salt": "y",
            "rules": [{"clauses": [], "weight": 50_000, "bucketBy": "v"}],
        },
    }
    return {"flags": {key: {"key": key} | one for key, one in flags.items()}, "segments": segments}


def _of_unleash() -> list[Json]:
    texts: list[Json] = [
        {"values": list(one)}
        for one in (
            ["a"], ["A"], ["5", "true"], [""], [], ["a", "z"], ["k", "ss", "i"], ["é"], ["Σ"], [" a"], ["5.0"],
            ["a,z"],
        )
    ]
    found: list[Json] = [
        {"operator": one} | values
        for one, values in product(("IN", "NOT_IN", "STR_CONTAINS", "STR_STARTS_WITH", "STR_ENDS_WITH"), texts)
    ]
    found += [one | {"caseInsensitive": True} for one in found]
    numbers = ("5", "0", "5.5", "-1", "05", " 5", "x", "1e1", "Infinity", "")
    found += [
        {"operator": one, "value": value}
        for one, value in product(("NUM_EQ", "NUM_GT", "NUM_GTE", "NUM_LT", "NUM_LTE"), numbers)
    ]
    dates = (
        "2024-05-01T00:00:00Z", "2024-05-01T00:00:00.0001Z", "2024-05-01T02:00:00+02:00", "2024-05-01", "x",
        "2024-05-01T00:00:00",
    )
    found += [{"operator": one, "value": value} for one, value in product(("DATE_AFTER", "DATE_BEFORE"), dates)]
    versions = (
        "2.0.0", "2.0", "v2.0.0", "2.0.0-a", "2.0.0-beta.2", "2.0.0+b", "2.0.9007199254740992", "x",
        "2.0.0-99999999999999999999", "99999999999999999999.0.0",
    )
    found += [
        {"operator": one, "value": value}
        for one, value in product(("SEMVER_EQ", "SEMVER_GT", "SEMVER_LT", "SEMVER_GTE", "SEMVER_LTE"), versions)
    ]
    patterns = (
        "a", "^a$", "a$", "^$", ".", "\\d", "^\\d+$", "\\w", "\\s", "\\bz", "k", "(?=a)", "", "(?m)^a$", "a\\z",
        "\\pL",
    )
    found += [{"operator": "REGEX", "value": one} for one in patterns] + [
        {"operator": "REGEX", "value": one, "caseInsensitive": True} for one in ("a", "k", "ss")
    ]
    networks: tuple[Any, ...] = (
        ["10.0.0.0/8", "2001:db8::/32"], ["10.1.1.1"], ["x", "10.0.0.1/8"], [], ["::ffff:10.0.0.0/104"],
        ["0.0.0.0/0"], ["::/0"],
    )
    found += [{"operator": "IN_CIDR", "values": list(one)} for one in networks]
    found += [{"operator": "UNKNOWN", "values": ["a"]}]
    return found + [one | {"inverted": True} for one in found[::3]]


def unleash() -> Json:
    """What Unleash's clients get: a flag for each constraint, and some that draw by the attribute."""
    features: list[Json] = []
    for number, constraint in enumerate(_of_unleash()):
        strategy = {"name": "default", "parameters": {}, "constraints": [{"contextName": "v"} | constraint]}
        features.append({"name": f"f{number}", "strategies": [strategy]})
    for number in (30, 100):
        parameters = {"rollout": str(number), "stickiness": "v", "groupId": "g"}
        features.append(
            {
                "name": f"draw{number}",
                "strategies": [{"name": "flexibleRollout", "parameters": parameters, "constraints": []}],
            }
        )
    common = {"type": "release", "enabled": True, "variants": []}
    return {"version": 1, "features": [one | common for one in features]}


FILES: Final = {"flagd": flagd, "growthbook": growthbook, "launchdarkly": launchdarkly, "unleash": unleash}
