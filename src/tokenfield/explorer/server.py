"""The server of the explorer: the page, one WebSocket for each tab, and a small HTTP API.

Files of the page are read once, when the server starts: no path ever comes from a request. fastapi and uvicorn are
imported here only; `serve` says how to install them where they are missing.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import mimetypes
import secrets
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tokenfield import __version__
from tokenfield._runtime.cores import cores
from tokenfield._runtime.json import jsonable, to_json
from tokenfield.errors import InvalidInput, MissingPackage, TokenfieldError

try:
    from fastapi import Body, FastAPI, Request, Response, WebSocket, WebSocketDisconnect
    from fastapi.exceptions import RequestValidationError
    from fastapi.responses import JSONResponse
except ImportError as error:  # pragma: no cover - the tests have it
    raise MissingPackage("the explorer needs fastapi and uvicorn: pip install 'tokenfield[explore]'") from error

from tokenfield.explorer import gallery, scene, sentence
from tokenfield.explorer.guard import Guard
from tokenfield.explorer.session import Session

STATIC = Path(__file__).parent / "static"
SWITCH_S = 5e-4
MOST_SESSIONS = 64  # tabs at a time: each may hold two systems
MOST_ASKED = 16  # requests to the HTTP API that compute or wait
NO_PAGE = b"<!doctype html><title>tokenfield</title><p>The page was not built: run make explorer.</p>"
TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".html": "text/html",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
}


def static_files() -> dict[str, tuple[bytes, str]]:
    """The files of the page as {path: (bytes, type)}."""
    found = {}
    for path in sorted(STATIC.rglob("*")):
        if path.is_file():
            kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
            kind = f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
            found["/" + path.relative_to(STATIC).as_posix()] = (path.read_bytes(), kind)
    found.setdefault("/index.html", (NO_PAGE, TYPES[".html"]))
    found["/"] = found["/index.html"]
    return found


def hello() -> dict[str, Any]:
    """The first message to a page: what it may ask for and what there is to see."""
    return {
        "type": "hello",
        "version": __version__,
        "limits": scene.limits(),
        "catalog": scene.kinds(),
        "gallery": gallery.listed(),
        "tour": gallery.tour(),
        "sentences": {"models": sentence.models()},
    }


def make_app(*, port: int, token: str | None = None) -> Guard:
    """The application, behind its checks.

    Args:
        port: The port that it is reached at.
        token: What everybody must show; `None` on loopback.

    Returns:
        An ASGI application.
    """
    pool = ThreadPoolExecutor(cores() + 2, thread_name_prefix="explorer")  # one more than compile at a time
    aside = ThreadPoolExecutor(1, thread_name_prefix="predictions")
    asked = ThreadPoolExecutor(1, thread_name_prefix="asked")  # pages do not wait for who asks by HTTP
    sessions: set[Session] = set()

    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        yield
        await asyncio.gather(*(session.close() for session in sessions), return_exceptions=True)
        for threads in (pool, aside, asked):
            threads.shutdown(wait=False, cancel_futures=True)

    app = FastAPI(
        title="tokenfield explorer",
        version=__version__,
        description="Predict and simulate small systems of tokens. Configs are the tables of a TOML config, as JSON.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=life,
    )
    app.add_exception_handler(TokenfieldError, _refuse)
    app.add_exception_handler(RequestValidationError, _refuse_request)

    @app.websocket("/ws")
    async def _socket(socket: WebSocket) -> None:
        await _serve_socket(socket, pool, aside, sessions)

    _add_api(app, _bounded(asked), sessions)
    _add_page(app)
    return Guard(app, port=port, token=token)


async def _serve_socket(
    socket: WebSocket, pool: ThreadPoolExecutor, aside: ThreadPoolExecutor, sessions: set[Session]
) -> None:
    if len(sessions) >= MOST_SESSIONS:
        await socket.close(1013, f"{MOST_SESSIONS} pages are open already: close one")
        return
    session = Session(socket.send_text, socket.send_bytes, pool, aside)
    sessions.add(session)
    try:
        await socket.accept()
        await socket.send_text(to_json(await _in_pool(pool, hello)))
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                break
            text = message.get("text")
            await session.hear(text if text is not None else message.get("bytes", b""))
    except (WebSocketDisconnect, RuntimeError, OSError):  # the page is gone, in the middle of whatever it was
        pass
    finally:
        sessions.discard(session)
        await session.close()


async def _in_pool(pool: ThreadPoolExecutor, function: Callable[..., Any], *arguments: Any) -> Any:
    return await asyncio.get_running_loop().run_in_executor(pool, function, *arguments)


class _Busy(TokenfieldError):
    """More was asked than is computed in a reasonable time."""


def _bounded(pool: ThreadPoolExecutor) -> Callable[..., Awaitable[Any]]:
    """Calls in the pool, of which no more wait than `MOST_ASKED`."""
    waiting = 0

    async def compute(function: Callable[..., Any], *arguments: Any) -> Any:
        nonlocal waiting
        if waiting >= MOST_ASKED:
            raise _Busy(f"{MOST_ASKED} requests wait already: ask again later")
        waiting += 1
        try:
            return await _in_pool(pool, function, *arguments)
        finally:
            waiting -= 1

    return compute


# --- HTTP -------------------------------------------------------------------------------------------------------------


def _add_api(app: FastAPI, compute: Callable[..., Any], sessions: set[Session]) -> None:
    config_body = Body(..., embed=True, description="The tables of a config.", examples=[{"attention": {"beta": 4}}])

    @app.get("/api/health", summary="Whether the server lives, and how many pages are open")
    async def health() -> dict[str, Any]:
        return {"status": "ok", "version": __version__, "pages": len(sessions)}

    @app.get("/api/models", summary="The kinds of attention and so on, and the real models")
    async def models() -> dict[str, Any]:
        return {**scene.kinds(), "pretrained": sentence.models(), "limits": scene.limits()}

    @app.post("/api/predict", summary="What theory says about a config, and why the rest does not apply")
    async def predict(config: dict[str, Any] = config_body) -> Response:
        return await _answer(compute(_predict, config))

    @app.post("/api/simulate", summary="Runs a small config: times, tokens and numbers")
    async def simulate(config: dict[str, Any] = config_body) -> Response:
        return await _answer(compute(_simulate, config))

    @app.post("/api/sentence", summary="A text through a real model, layer by layer")
    async def of_sentence(
        text: str = Body(..., embed=True, max_length=sentence.LONGEST_TEXT), model: str = Body(..., embed=True)
    ) -> Response:
        return await _answer(compute(sentence.through, text, model))

    @app.get("/api/docs", include_in_schema=False)
    async def docs() -> Response:
        from tokenfield.explorer.api_page import page

        return Response(page(app.openapi()), media_type="text/html")


def _json(value: Any, status: int = 200) -> Response:
    return Response(to_json(value), status, media_type="application/json")


async def _answer(work: Awaitable[Any]) -> Response:
    try:
        return _json(await work)
    except asyncio.CancelledError:  # the server ends while somebody waits
        return _json({"error": "the server has been closed"}, 503)


def _predict(config: dict[str, Any]) -> dict[str, Any]:
    from tokenfield.theory.predict import predict

    return predict(*scene.Scene.of(config).config.build()).to_dict()


def _simulate(config: dict[str, Any]) -> dict[str, Any]:
    from tokenfield.explorer.small import simulate

    return simulate(config)


def _add_page(app: FastAPI) -> None:
    files = static_files()

    @app.get("/{path:path}", include_in_schema=False)
    async def page(path: str) -> Response:
        found = files.get(f"/{path}")
        if found is None:
            return Response("there is no such page\n", 404, media_type="text/plain")
        return Response(found[0], media_type=found[1])


async def _refuse(request: Request, error: Exception) -> Response:
    status = 413 if isinstance(error, MemoryError) else 503 if isinstance(error, _Busy) else 400
    return JSONResponse({"error": str(error)}, status)


async def _refuse_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = error.errors()[0]
    where = ".".join(str(part) for part in found["loc"])
    return JSONResponse(jsonable({"error": f"{where}: {found['msg']}"}), 422)


# --- running it -------------------------------------------------------------------------------------------------------


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine can reach a server that listens on `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket that listens on `host` and `port`, or on a free port for 0.

    Args:
        host: The address to listen on.
        port: The port.

    Returns:
        The socket.

    Raises:
        InvalidInput: If that cannot be had; the message says why.
    """
    if not 0 <= port <= 65_535:
        raise InvalidInput(f"ports are numbers from 0 to 65535, got {port}")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(family, kind, protocol)
    except OSError as error:
        raise InvalidInput(f"cannot listen on {host}: {error.strerror or error}") from error
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen(128)
    except OSError as error:
        found.close()
        raise InvalidInput(
            f"cannot listen on {host}, port {port}: {error.strerror}; --port 0 takes a free one"
        ) from error
    return found


def serve(
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    token: str | None = None,
    ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serves the explorer until it is interrupted.

    Args:
        host: The address to listen on, by default this machine alone. Beyond it a token is needed.
        port: The port, by default a free one.
        token: What everybody must show; by default none on loopback, and a random one beyond it.
        ready: Is called with the address of the page when the server listens.

    Raises:
        InvalidInput: If the port cannot be had.
    """
    import uvicorn

    if token is None and not is_loopback(host):
        token = secrets.token_urlsafe(24)
    listening = bound_socket(host, port)
    port = listening.getsockname()[1]
    shown = "127.0.0.1" if is_loopback(host) else socket.gethostname() if host in ("0.0.0.0", "::") else host
    shown = f"[{shown}]" if ":" in shown else shown
    address = f"http://{shown}:{port}/" + (f"?token={token}" if token else "")
    config = uvicorn.Config(
        make_app(port=port, token=token),
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="websockets-sansio",
        ws_max_size=scene.LONGEST_MESSAGE,
        ws_per_message_deflate=False,  # floats do not shrink, and 2 ms of a frame are much
        timeout_graceful_shutdown=1,
        limit_concurrency=4 * MOST_SESSIONS,
    )
    server = uvicorn.Server(config)
    # Threads that compute frames let go of the interpreter many times each; while another one traces predictions they
    # would wait 5 ms each time to have it back
    sys.setswitchinterval(SWITCH_S)

    async def run() -> None:
        task = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started and not task.done():
            await asyncio.sleep(0.01)
        if server.started:
            ready(address)
        await task

    with contextlib.closing(listening):
        asyncio.run(run())
