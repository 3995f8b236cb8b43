"""The values of a link's rules in its form."""

from hypothesis import given
from hypothesis import strategies as st

from analytics_box.products.links.form.fields import _condition as shown
from analytics_box.products.links.form.fields import values_of
from analytics_box.products.links.form.pages import _condition as posted
from analytics_box.products.links.targeting.rules import TargetCondition
from tests.cases import each
from tests.examples import examples

ODD = [',"', "a;b", "a,b", "a, b; c", ";", ",", '"', '"a"', '"a";', " a ", "a\nb", "\\", '\\"', "a", "é", '"a","b"']
VALUES = st.sampled_from(ODD) | st.text('a;, "\\\n', min_size=1, max_size=6)
CONDITIONS = st.builds(
    TargetCondition, st.just("path"), st.sampled_from(["equals", "contains", "starts_with"]), VALUES
) | (
    st.builds(
        TargetCondition,
        st.just("path"),
        st.sampled_from(["in", "not_in"]),
        values=st.lists(VALUES, min_size=1, max_size=4).map(tuple),
    )
)


@examples(400)
@given(CONDITIONS)
def test_condition_survives_an_unchanged_form(condition: TargetCondition) -> None:
    fields = shown(condition)
    assert "\n" not in fields.value  # which a browser would leave out
    empty = {"value": "", "values": []}
    stored = {"property": condition.property, "operator": condition.operator, "value": condition.value}
    assert empty | posted(fields) == empty | stored | {"values": list(condition.values)}


@each(
    ("typed", "values"),
    [
        ("a, b", ("a", "b")),
        ("a, b; c", ("a, b", "c")),
        ('"a;b", c', ("a;b", "c")),
        ('"a;b"; "c,d"', ("a;b", "c,d")),
        ('say "a, b"', ('say "a', 'b"')),
        ('"no \\x JSON"', ('"no \\x JSON"',)),
        (" , ;", (",",)),
    ],
)
def test_values_in_quotes_keep_their_separators(typed: str, values: tuple[str, ...]) -> None:
    assert values_of(typed) == values
