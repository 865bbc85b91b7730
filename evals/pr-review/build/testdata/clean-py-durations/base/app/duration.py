"""Parsing of durations such as 90s, 15m or 2h."""

_SECONDS = {"s": 1, "m": 60, "h": 3600}


def parse(text: str) -> int:
    """Return a duration in seconds."""
    number, unit = text[:-1], text[-1:]
    if unit not in _SECONDS or not number.isdecimal():
        raise ValueError(f"not a duration: {text!r}")
    return int(number) * _SECONDS[unit]
