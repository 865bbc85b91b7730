import pytest

from app import duration


@pytest.mark.parametrize("text, seconds", [("90s", 90), ("15m", 900), ("2h", 7200), ("3d", 259200), ("0s", 0)])
def test_parse_and_render(text, seconds):
    assert duration.parse(text) == seconds
    assert duration.render(seconds) == text


@pytest.mark.parametrize("text", ["", "s", "5", "5w", "-5s", "1.5h"])
def test_parse_refuses(text):
    with pytest.raises(ValueError):
        duration.parse(text)


def test_render_refuses_negative():
    with pytest.raises(ValueError):
        duration.render(-1)
