"""Dependencies between flags that can be checked without a user. Pure."""

from collections.abc import Iterable, Mapping

from analytics_box.products.flags.flag import Flag

DEEPEST_PREREQUISITES = 10  # The longest chain of required flags.


def unsound(flags: Iterable[Flag]) -> frozenset[str]:
    """Keys of flags that need each other in a circle, or through too many others: they are not satisfied."""
    needs: dict[str, set[str]] = {}
    for flag in flags:
        needs.setdefault(flag.key, set()).update(one.key for one in flag.definition.prerequisites)
    depths = depths_of(needs)
    return frozenset(key for key, needed in needs.items() if needed and depths.get(key, 99) > DEEPEST_PREREQUISITES)


def depths_of(needs: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """The longest chain of dependencies below each flag; flags in a circle, or that need one in a
    circle, are left out."""
    wanted_by: dict[str, list[str]] = {}
    left: dict[str, int] = {}
    for key, needed in needs.items():
        inside = {one for one in needed if one in needs}
        left[key] = len(inside)
        for one in inside:
            wanted_by.setdefault(one, []).append(key)
    ready = [key for key, number in left.items() if number == 0]
    depths = dict.fromkeys(ready, 0)
    while ready:
        done = ready.pop()
        for key in wanted_by.get(done, ()):
            depths[key] = max(depths.get(key, 0), depths[done] + 1)
            left[key] -= 1
            if left[key] == 0:
                ready.append(key)
    return {key: depth for key, depth in depths.items() if left[key] == 0}


def circle(key: str, needs: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """A path from a flag over its dependencies back to it, with it at both ends; empty if there is none."""
    came_from: dict[str, str] = {}
    left = [key]
    while left:
        here = left.pop()
        for needed in sorted(needs.get(here, ())):
            if needed == key:
                way = [key]
                while here != key:
                    way.append(here)
                    here = came_from[here]
                return (key, *way[:0:-1], key)
            if needed not in came_from:
                came_from[needed] = here
                left.append(needed)
    return ()
