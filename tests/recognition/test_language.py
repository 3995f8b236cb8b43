"""Languages are written in one way (wire 4.3)."""

from analytics_box.recognition.language import called, language
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
    assert called(code) == name
