"""Parsing and writing of durations such as 90s, 15m, 2h or 3d."""

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def parse(text: str) -> int:
    """Return a duration in seconds."""
    number, unit = text[:-1], text[-1:]
    if unit not in _SECONDS or not number.isdecimal():
        raise ValueError(f"not a duration: {text!r}")
    return int(number) * _SECONDS[unit]


def render(seconds: int) -> str:
    """Write a duration in the largest unit that divides it; parse() reads it back."""
    if seconds < 0:
        raise ValueError("a duration is not negative")
    for unit in ("d", "h", "m"):
        if seconds and seconds % _SECONDS[unit] == 0:
            return f"{seconds // _SECONDS[unit]}{unit}"
    return f"{seconds}s"
