"""Settings that survive a restart."""

import json
import os
import tempfile
from pathlib import Path


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
        handle, name = tempfile.mkstemp(dir=self._path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            json.dump(settings, out, indent=2, sort_keys=True)
            out.flush()
            os.fsync(out.fileno())
        os.replace(name, self._path)
