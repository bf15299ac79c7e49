"""Settings from keywords of ``irevalx.evaluate``."""

from __future__ import annotations

from typing import Any

from irevalx.settings import Settings


def settings_of(**keywords: Any) -> Settings:
    """Return the settings with these values."""
    return Settings.of(**keywords)
