import pytest

from app import duration


@pytest.mark.parametrize("text, seconds", [("90s", 90), ("15m", 900), ("2h", 7200)])
def test_parse(text, seconds):
    assert duration.parse(text) == seconds
