"""The OpenAPI description as a page that needs no script and no network; its style is that of the explorer."""

from __future__ import annotations

import html
import json
from typing import Any


def page(description: dict[str, Any]) -> str:
    """The page: each path with what it does, what it takes and what it answers."""
    info = description["info"]
    parts = [
        "<!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport content='width=device-width'>",
        "<link rel=stylesheet href=/assets/explorer.css>",
        f"<title>{_text(info['title'])}: HTTP API</title></head>",
        f"<body><main class=api><h1>{_text(info['title'])} {_text(info['version'])}: HTTP API</h1>",
        f"<p>{_text(info['description'])}</p>",
        "<p>The same for programs: <a href=/api/openapi.json>/api/openapi.json</a></p>",
    ]
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            parts.append(f"<h2><code>{_text(method.upper())} {_text(path)}</code></h2>")
            parts.append(f"<p>{_text(operation.get('summary', ''))}</p>")
            parts += [_body(operation, description)] if "requestBody" in operation else []
            answers = ", ".join(operation.get("responses", {}))
            parts.append(f"<p>Answers: {_text(answers)}; an error is an object with the text <code>error</code>.</p>")
    return "\n".join([*parts, "</main></body></html>"])


def _body(operation: dict[str, Any], description: dict[str, Any]) -> str:
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    name = schema.get("$ref", "").rpartition("/")[2]
    schema = description.get("components", {}).get("schemas", {}).get(name, schema)
    return f"<p>Takes JSON:</p><pre tabindex=0>{_text(json.dumps(schema.get('properties', schema), indent=2))}</pre>"


def _text(value: Any) -> str:
    return html.escape(str(value))
