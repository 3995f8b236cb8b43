"""Languages are written in one way (wire 4.3)."""

from analytics_box.web.recognition.language import language, language_name, preferred_language
from tests.cases import each


@each(
    ("sent", "kept"),
    [
        ("de", "de"),
        ("de-DE", "de-DE"),
        ("DE-de", "de-DE"),
        ("de_AT", "de-AT"),
        ("en-US;q=0.9", "en-US"),
        ("pt_BR.UTF-8", "pt-BR"),
        (" fr ", "fr"),
        ("fil-PH", "fil-PH"),
        ("zh-Hans-CN", "zh-CN"),
        ("zh-Hant", "zh"),
        ("zh-cmn-Hans-CN", "zh-CN"),
        ("ca-ES-valencia", "ca-ES"),
        ("en-US-u-hc-h23", "en-US"),
        ("es-419", "es"),
        ("", ""),
        ("*", ""),
        ("C", ""),
        ("english", ""),
        ("e1-US", ""),
        ("de-", ""),
        ("de\x00-DE", ""),
        ("d\u00e9-FR", ""),
        ("x" * 5_000, ""),
    ],
)
def test_a_tag_is_a_language_and_at_most_a_region(sent: str, kept: str) -> None:
    assert language(sent) == kept


@each(
    ("header", "tag"),
    [
        ("de-DE,de;q=0.9,en;q=0.8", "de-DE"),
        ("de", "de"),
        (" de , en", "de"),
        ("en;q=0.3, de-AT;q=0.9, fr;q=0.8", "de-AT"),
        ("en;q=0.8, de;q=0.8", "en"),
        ("en;q=0.8, de", "de"),
        ("en; Q = 0.8 ,de;q=.9", "en"),
        ("*, de;q=0.5", "de"),
        ("*;q=1", ""),
        ("de;q=0", ""),
        ("de;q=0, en;q=0.1", "en"),
        ("de;level=1, en;q=0.1", "en"),
        ("", ""),
        ("x;q=0.1," * 10_000 + "de", "x"),
    ],
)
def test_preferred_language_is_the_first_with_the_highest_weight(header: str, tag: str) -> None:
    assert preferred_language(header) == tag


@each(
    ("code", "name"),
    [
        ("de", "German"),
        ("de-AT", "German (Austria)"),
        ("pt-BR", "Portuguese (Brazil)"),
        ("fil-PH", "Filipino (Philippines)"),
        ("en-ZZ", "English (ZZ)"),
        ("xqz", "xqz"),
        ("xqz-DE", "xqz-DE"),
        ("", ""),
    ],
)
def test_languages_have_english_names(code: str, name: str) -> None:
    assert language_name(code) == name
