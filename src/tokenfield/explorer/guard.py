"""Who may talk to the server: an ASGI layer in front of it that checks Host, Origin, the token and sizes.

A page of another site can make a browser send requests to 127.0.0.1, and can let its own name point there (DNS
rebinding). The first shows in Origin, the second in Host: both must be those of this server. Beyond loopback a token is
needed besides, which no other page knows.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlencode

from tokenfield.explorer.scene import LONGEST_MESSAGE

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "cache-control": "no-cache",
}


def policy(host: str) -> str:
    """The Content-Security-Policy of pages of this host: its own scripts and styles, no inline ones, no other hosts."""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data: blob:; "
        f"media-src 'self' blob:; worker-src 'self' blob:; connect-src 'self' ws://{host}; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


class Guard:
    """`app` behind checks of who asks.

    Args:
        app: The application.
        port: The port that the server listens on.
        token: What everybody must show, in the address, a cookie or a header; `None` on loopback, where the
            Host is checked.
    """

    def __init__(self, app: App, *, port: int, token: str | None = None):
        self._app, self._token, self._cookie = app, token, f"tokenfield-{port}"
        self._hosts = {f"{name}:{port}" for name in LOOPBACK} | ({*LOOPBACK} if port == 80 else set())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get("host", "")
        reason = self._refused(scope, headers, host)
        if reason:
            await _refuse(scope, receive, send, 403, reason)
        elif _length(headers) > LONGEST_MESSAGE:
            await _refuse(scope, receive, send, 413, f"a request has at most {LONGEST_MESSAGE} bytes")
        elif (place := self._without_token(scope)) is not None:
            await _answer(send, 303, b"", {"location": place, "set-cookie": self._set_cookie()})
        else:
            await self._app(scope, _limited(receive), _with_headers(send, host))

    def _refused(self, scope: Scope, headers: dict[str, str], host: str) -> str:
        """Why a request is refused; empty if it is not."""
        if self._token is None and host.lower() not in self._hosts:
            return "this server answers to 127.0.0.1 and localhost only: open the address that it printed"
        origin = headers.get("origin")
        if origin is not None and origin.lower() != f"http://{host.lower()}":
            return "this server answers to its own page only"
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and scope["path"] != "/":
            return "this server answers to its own page only"
        if self._token is not None and not self._shows_token(scope, headers):
            return "this server needs the token of the address that it printed"
        return ""

    def _shows_token(self, scope: Scope, headers: dict[str, str]) -> bool:
        assert self._token is not None
        shown = [*_query(scope).get("token", []), headers.get("authorization", "").removeprefix("Bearer ")]
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            found = None
        shown += [found.value] if found is not None else []
        # as bytes: texts that are not ASCII cannot be compared in constant time
        return any(hmac.compare_digest(text.encode(), self._token.encode()) for text in shown)

    def _without_token(self, scope: Scope) -> str | None:
        """Where the page is without the token in its address, which then is in a cookie; `None` if it was not there."""
        query = _query(scope)
        if self._token is None or scope["type"] != "http" or scope["path"] != "/" or "token" not in query:
            return None
        rest = {name: values for name, values in query.items() if name != "token"}
        return "/" + (f"?{urlencode(rest, doseq=True)}" if rest else "")

    def _set_cookie(self) -> str:
        return f"{self._cookie}={self._token}; HttpOnly; SameSite=Strict; Path=/"


def _query(scope: Scope) -> dict[str, list[str]]:
    try:
        return parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=16)
    except ValueError:
        return {}


def _length(headers: dict[str, str]) -> int:
    text = headers.get("content-length", "0")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def _limited(receive: Receive) -> Receive:
    """`receive` that ends a body which is longer than it may be, also if it does not say so."""
    total = 0

    async def limited() -> Any:
        nonlocal total
        message = await receive()
        if message["type"] == "http.request":
            total += len(message.get("body", b""))
            if total > LONGEST_MESSAGE:
                return {"type": "http.disconnect"}
        return message

    return limited


def _with_headers(send: Send, host: str) -> Send:
    """`send` that adds the headers of every answer."""

    async def added(message: Any) -> None:
        if message["type"] == "http.response.start":
            known = {name.lower() for name, _ in message["headers"]}
            more = {**HEADERS, "content-security-policy": policy(host)}
            extra = [(n.encode(), v.encode("latin-1")) for n, v in more.items() if n.encode() not in known]
            message = {**message, "headers": [*message["headers"], *extra]}
        await send(message)

    return added


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, reason: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": reason[:120]})
        return
    await _answer(send, status, reason.encode() + b"\n", {"content-type": "text/plain; charset=utf-8"})


async def _answer(send: Send, status: int, body: bytes, headers: dict[str, str]) -> None:
    listed = [(name.encode(), value.encode("latin-1")) for name, value in {**HEADERS, **headers}.items()]
    listed.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": listed})
    await send({"type": "http.response.body", "body": body})
