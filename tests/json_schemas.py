"""Validation of JSON documents by the schemas of docs/schemas, without additional fields."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator


def closed(schema: Any) -> Any:
    """Return a schema that allows only the fields that it describes; readers must ignore new fields, but tests must not."""
    if isinstance(schema, list):
        return [closed(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        result.setdefault("additionalProperties", False)
    return result


def problems(document: Any, schema: Any) -> list[str]:
    """Return the errors of a document, each with its location."""
    return [f"{error.json_path}: {error.message}" for error in Draft202012Validator(schema).iter_errors(document)]
