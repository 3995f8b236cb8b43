"""The table of AI agents."""

import pytest

from analytics_box.web.recognition import agent
from analytics_box.web.recognition.ai_agents import PURPOSES, agents, find_agent
from tests.cases import each


def test_table_has_the_agents_of_today_and_says_of_each_what_it_is() -> None:
    assert len(agents()) >= 50
    assert len({known.token.lower() for known in agents().values()}) == len(agents())
    for known in agents().values():
        assert known.product
        assert known.operator
        assert known.purpose in PURPOSES
        assert known.about.startswith("https://")
        assert known.ranges.startswith(("https://", "")[not known.ranges])


@pytest.mark.parametrize("agent_id", sorted(agents()))
def test_agent_is_found_by_its_token_and_is_a_bot(agent_id: str) -> None:
    token = agents()[agent_id].token
    for user_agent in (f"{token}/1.0", f"Mozilla/5.0 (compatible; {token}/1.2; +https://bots.example)", token.lower()):
        found = find_agent(user_agent)
        assert found is not None
        assert found.id == agent_id
    assert agent.parse(f"Mozilla/5.0 (compatible; {token}/1.2; +https://bots.example)").bot


@each(
    ("user_agent", "expected"),
    (
        ("Mozilla/5.0 (compatible; Ai2Bot-Dolma (+https://www.allenai.org/crawler)", "ai2bot-dolma"),
        ("GoogleOther-Image/1.0", "googleother-image"),
        (
            "meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)",
            "meta-externalagent",
        ),
        (
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot",
            "chatgpt-user",
        ),
        ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", None),
        ("Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)", None),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 14_0) Chrome/142.0 Safari/537.36", None),
        ("NotGPTBot2", None),
        ("", None),
    ),
)
def test_agents_are_told_from_other_bots_and_people(user_agent: str, expected: str | None) -> None:
    found = find_agent(user_agent)
    assert (found.id if found else None) == expected
