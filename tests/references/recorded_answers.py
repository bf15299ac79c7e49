"""The recorded output of trec_eval 9.0.8 and 10.0."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any

from running import FIXTURES

GOLDEN = FIXTURES / "golden"
VERSIONS = {"v9.0.8": "9", "v10.0": "10"}
CASES: list[dict[str, Any]] = [json.loads(line) for line in (GOLDEN / "cases.jsonl").read_text().splitlines()]
BY_NAME = {case["name"]: case for case in CASES}


@dataclass(frozen=True)
class Expected:
    """The expected output of irevalx, and the expected exit status."""

    stdout: bytes
    status: int

    def replaced(self, *changes: tuple[bytes, bytes]) -> Expected:
        """Return a copy with some lines replaced. Each replaced line must exist."""
        stdout = self.stdout
        for old, new in changes:
            assert old in stdout
            stdout = stdout.replace(old, new)
        return Expected(stdout, self.status)


def recorded(name: str, version: str) -> Expected:
    """Return the output and the exit status of trec_eval for a case."""
    row = BY_NAME[name][version]
    text = base64.b64decode(row["stdout_b64"]) if "stdout_b64" in row else row["stdout"].encode()
    return Expected(text, row["rc"])
