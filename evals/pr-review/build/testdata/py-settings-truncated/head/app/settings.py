"""Settings that survive a restart."""

import json
from datetime import datetime
from pathlib import Path


def _encode(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be kept in settings")


class SettingsStore:
    """Keeps one JSON object in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> dict:
        try:
            return json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}

    def save(self, settings: dict) -> None:
        with open(self._path, "w", encoding="utf-8") as out:
            json.dump(settings, out, indent=2, sort_keys=True, default=_encode)
