"""AI agents: crawlers and assistants by what they call themselves, with their product, operator and purpose.

The table is `data/ai_agents.json`. A product has the name that the source of its visitors has, so that both can be
compared. Verification compares the sender's address with address ranges that the operator publishes.
"""

import ipaddress
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

Purpose = Literal["training", "search_index", "on_demand"]
PURPOSES: tuple[Purpose, ...] = ("training", "search_index", "on_demand")

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_MOST_CHARACTERS = 512
_MOST_RANGE_BYTES = 1 << 20


class AiAgent(Struct, frozen=True):
    """An agent. `token` is its name in the User-Agent, `signature` the host in its Signature-Agent header, `about` its
    documentation, `ranges` where its address ranges are published and `rdns` the domain of its host names; the last
    three are empty if there are none."""

    id: str
    token: str
    product: str
    operator: str
    purpose: Purpose
    about: str
    signature: str = ""
    rdns: str = ""
    ranges: str = ""


@lru_cache(maxsize=1)
def agents() -> Mapping[str, AiAgent]:
    """All agents by their ids; read with the first bot."""
    text = resources.files("analytics_box.web.recognition").joinpath("data/ai_agents.json").read_bytes()
    return {agent.id: agent for agent in msgspec.json.decode(text, type=tuple[AiAgent, ...])}


@lru_cache(maxsize=1)
def _names() -> tuple[re.Pattern[str], Mapping[str, AiAgent], Mapping[str, AiAgent]]:
    """The pattern of all tokens, the agents by their tokens in lower case, and those by their signatures."""
    known = {agent.token.lower(): agent for agent in agents().values()}
    either = "|".join(re.escape(token) for token in sorted(known, key=len, reverse=True))
    signed = {agent.signature: agent for agent in agents().values() if agent.signature}
    return re.compile(rf"(?<![\w-])(?:{either})(?!\w)", re.ASCII), known, signed


@lru_cache(maxsize=2_000)
def find_agent(user_agent: str, signature: str = "") -> AiAgent | None:
    """The AI agent that sent this User-Agent, or whose host is in its Signature-Agent header; None if it is none."""
    pattern, known, signed = _names()
    match = pattern.search(user_agent[:_MOST_CHARACTERS].lower())
    return known[match[0]] if match else signed.get(signature_host(signature))


def signature_host(signature: str) -> str:
    """The host in a Signature-Agent header, which is an address in quotes."""
    address = signature.strip().strip('"').removeprefix("https://")
    return address.split("/", 1)[0].lower()[:253]


class AddressRanges:
    """The address ranges that operators publish, by agent, from files that an administrator has put into a directory.

    A file is named after the agent's id, such as `gptbot.json`, and has the format in which OpenAI, Google, Apple and
    others publish theirs: {"prefixes": [{"ipv4Prefix": "192.0.2.0/24"}]}.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._known: dict[str, tuple[tuple[int, int], tuple[Network, ...]]] = {}

    def verify(self, agent: AiAgent, address: str) -> int | None:
        """1 if the address is in the agent's ranges, 0 if it is not; None if the agent has none or the address is
        none."""
        networks = self._networks(agent.id)
        if not networks:
            return None
        try:
            given = ipaddress.ip_address(address)
        except ValueError:
            return None
        given = getattr(given, "ipv4_mapped", None) or given
        return int(any(given in network for network in networks if network.version == given.version))

    def _networks(self, agent_id: str) -> tuple[Network, ...]:
        path = self._directory / f"{agent_id}.json"
        try:
            status = path.stat()
        except OSError:
            return ()
        stamp = (status.st_mtime_ns, status.st_size)
        known = self._known.get(agent_id)
        if known is None or known[0] != stamp:
            known = self._known[agent_id] = (stamp, tuple(_read(path)))
        return known[1]


def _read(path: Path) -> Iterator[Network]:
    """The networks in a file; lines that are none are passed over."""
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(_MOST_RANGE_BYTES))
    except (OSError, ValueError, RecursionError):
        return
    for text in _prefixes(found):
        try:
            yield ipaddress.ip_network(text, strict=False)
        except ValueError:
            continue


def _prefixes(found: Any) -> Iterable[str]:
    listed = found.get("prefixes", ()) if isinstance(found, dict) else found
    for entry in listed if isinstance(listed, list) else ():
        values = entry.values() if isinstance(entry, dict) else (entry,)
        yield from (value for value in values if isinstance(value, str))
