"""What documents are held to: the schemas of docs/schemas, without anything that stands not there."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator


def closed(schema: Any) -> Any:
    """Return a schema that allows no field but those that it describes: readers must get along with new ones, tests not."""
    if isinstance(schema, list):
        return [closed(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        result.setdefault("additionalProperties", False)
    return result


def problems(document: Any, schema: Any) -> list[str]:
    """Return what is wrong with a document, with its place."""
    return [f"{error.json_path}: {error.message}" for error in Draft202012Validator(schema).iter_errors(document)]
