"""What was answered a moment ago is answered again without evaluating, and never after a change."""

from analytics_box.products.flags.serving.answers import CachedEvaluation, EvaluationCache
from analytics_box.products.flags.serving.asked import asked_of
from tests.products.flags.serving.world import OLD, ON, SHOP, World

BULK = f"bulk?clientId={SHOP}&userId=ada"


def test_the_same_question_is_evaluated_once_until_something_changes(world: World) -> None:
    rules = world.known.usual
    first, second = world.get(BULK), world.get(BULK)
    assert first.body == second.body
    assert first.headers["etag"] == second.headers["etag"]
    assert len(rules.contexts) == 1
    world.known.change()
    rules.known.pop("off")
    third = world.get(BULK)
    assert (third.json["count"], len(rules.contexts)) == (3, 2)
    assert third.headers["etag"] != first.headers["etag"]


def test_answers_are_cached_only_without_a_context(world: World) -> None:
    query = f"clientId={SHOP}&userId=ada&keys=mine&properties=" + '{"a":[' + "{}," * 2_000 + "{}]}"
    assert world.get(f"bulk?{query}").json["count"] == 1
    kept = world.serving.memo.find("bulk", query.encode())
    assert kept is not None
    assert (kept.asked.context.user_id, kept.asked.context.properties) == ("", {})
    world.known.change()
    assert world.get(f"bulk?{query}").json["count"] == 1
    first, second = world.known.usual.contexts
    assert (first, len(second.properties["a"])) == (second, 2_001)


def test_known_etag_is_answered_304_without_evaluation(world: World) -> None:
    tag = world.get(BULK).headers["etag"]
    world.serving.memo = EvaluationCache()  # as after a while
    for sent in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        again = world.get(BULK, if_none_match=sent)
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
        assert again.headers["cache-control"].startswith("public")
        assert again.headers["access-control-allow-origin"] == "*"
    assert len(world.known.usual.contexts) == 1
    world.known.change()
    assert world.get(BULK, if_none_match=tag).status == 200


def test_a_tag_is_good_for_one_question_only(world: World) -> None:
    asked = [
        *(f"bulk?clientId={SHOP}{more}" for more in ("", "&userId=ada", "&userId=bob", "&environment=staging")),
        *(f"evaluate?clientId={SHOP}&key={key}" for key in ("on", "off", "nothing")),
        f"bulk?clientId={OLD}",
        f"bulk?clientId={SHOP}&key=on",
    ]
    tags = {world.get(one).headers["etag"] for one in asked}
    assert len(tags) == len(asked)
    world.known.change()
    assert not tags & {world.get(one).headers["etag"] for one in asked}


def test_the_routes_do_not_share_answers(world: World) -> None:
    query = f"?clientId={SHOP}&key=on"
    assert "flags" in world.get(f"bulk{query}").json
    assert "enabled" in world.get(f"evaluate{query}").json
    assert "flags" in world.get(f"bulk{query}").json


def test_each_answer_is_counted_also_from_memory_and_what_was_unchanged(world: World) -> None:
    before = ON.count
    for _ in range(3):
        tag = world.get(BULK).headers["etag"]
    world.get(f"evaluate?clientId={SHOP}&key=on")
    world.get(BULK, if_none_match=tag)
    world.get(f"bulk?clientId={SHOP}&keys=off")
    assert ON.count == before + 5


def test_deleted_flag_disappears_immediately(world: World) -> None:
    world.get(BULK)
    world.known.client = lambda client_id, now: None  # type: ignore[method-assign]  # it was deleted
    answer = world.get(BULK)
    assert (answer.json, "etag" in answer.headers) == ({"flags": {}, "count": 0}, False)


def test_only_so_many_bytes_are_kept() -> None:
    memo = EvaluationCache(most_bytes=100_000)

    def given(size: int) -> CachedEvaluation:
        return CachedEvaluation(asked_of(b"clientId=client"), b"state", b"tag", b"x" * size, ())

    memo.keep("bulk", b"huge", given(50_000))
    assert memo.find("bulk", b"huge") is None
    for number in range(1_000):
        memo.keep("bulk", b"%d" % number, given(400))
        assert memo.find("bulk", b"0") is not None  # who asks often is remembered
    assert 20 < len(memo) <= 50
    assert memo.find("bulk", b"999") is not None
    assert memo.find("bulk", b"900") is None
