"""The server of the explorer as browsers and others meet it: who is let in, what is answered, how it ends."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import uvicorn
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tokenfield.benchmarks import explorer as bench
from tokenfield.errors import InvalidInput
from tokenfield.explorer import server as explorer
from tokenfield.explorer.frames import unpack
from tokenfield.explorer.guard import policy
from tokenfield.explorer.scene import LONGEST_MESSAGE

CONFIG = {"geometry": {"dim": 2}, "attention": {"beta": 4.0}, "initial": {"n": 8}, "solve": {"t1": 2.0}}


@contextlib.contextmanager
def serving(token: str | None = None):
    """The port of a server in a thread of this process."""
    listening = explorer.bound_socket("127.0.0.1", 0)
    port = listening.getsockname()[1]
    app = explorer.make_app(port=port, token=token)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="websockets-sansio", ws_max_size=LONGEST_MESSAGE))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join(20)
        listening.close()


@pytest.fixture(scope="module")
def port():
    with serving() as found:
        yield found


def ask(port, path, *, method="GET", body=None, **headers):
    """The answer to a request: status, headers, text."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    data = None if body is None else json.dumps(body)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, data, {"Host": f"127.0.0.1:{port}", "Content-Type": "application/json"} | named)
    answer = connection.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read().decode()
    connection.close()
    return found


def post(port, path, body, **headers):
    status, _, text = ask(port, path, method="POST", body=body, **headers)
    return status, json.loads(text)


def page(port, **options):
    return connect(f"ws://127.0.0.1:{port}/ws", max_size=None, **options)


def told(socket, *kinds):
    """The next message of one of the kinds; frames on the way are acknowledged."""
    while True:
        message = socket.recv(60)
        if isinstance(message, bytes):
            header, arrays = unpack(message)
            socket.send(json.dumps({"type": "ack", "system": header["system"], "index": header["index"]}))
            if "frame" in kinds:
                return header, arrays
        elif (found := json.loads(message))["type"] in kinds:
            return found


def start(socket, **more):
    socket.send(json.dumps({"type": "start", "config": CONFIG, "playing": True, "speed": 0.1} | more))


# --- who is let in --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "", "localhost.:{port}"]
)
def test_other_hosts_are_refused(port, host):
    """A name of somebody else that points to this machine is how DNS rebinding works."""
    status, _, text = ask(port, "/api/health", Host=host.format(port=port))
    assert status in (400, 403) and "version" not in text


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "[::1]:{port}", "LOCALHOST:{port}"])
def test_names_of_this_machine_are_fine(port, host):
    assert ask(port, "/api/health", Host=host.format(port=port))[0] == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1", "file://"]
)
def test_other_pages_are_refused(port, origin):
    origin = origin.format(port=port)
    assert post_status(port, Origin=origin) == 403
    with pytest.raises(InvalidStatus) as caught:
        page(port, origin=origin)
    assert caught.value.response.status_code == 403


def post_status(port, **headers):
    return ask(port, "/api/predict", method="POST", body={"config": CONFIG}, **headers)[0]


def test_its_own_page_and_programs_are_let_in(port):
    assert post_status(port, Origin=f"http://127.0.0.1:{port}") == 200
    assert post_status(port) == 200
    assert post_status(port, Sec_Fetch_Site="cross-site") == 403
    with page(port, origin=f"http://127.0.0.1:{port}") as socket:
        assert told(socket, "hello")["version"]


def test_beyond_loopback_a_token_is_needed():
    with serving(token="s3cret") as port:
        assert ask(port, "/")[0] == 403 and ask(port, "/?token=wrong")[0] == 403
        assert ask(port, "/api/health", Authorization="Bearer s3creT")[0] == 403
        assert ask(port, "/api/health", Cookie=f"tokenfield-{port}=é")[0] == 403
        with pytest.raises(InvalidStatus):
            page(port)
        status, headers, _ = ask(port, "/?token=s3cret&scene=circle")
        cookie = headers["set-cookie"]
        assert status == 303 and headers["location"] == "/?scene=circle"
        assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
        shown = cookie.partition(";")[0]
        assert ask(port, "/", Cookie=shown, Host="machine.example:80")[0] == 200
        assert ask(port, "/api/health", Authorization="Bearer s3cret")[0] == 200
        with page(port, additional_headers={"Cookie": shown}) as socket:
            assert told(socket, "hello")
        with pytest.raises(InvalidStatus):  # another page of the same browser
            page(port, additional_headers={"Cookie": shown}, origin="http://evil.example")


def test_addresses_and_ports():
    assert explorer.is_loopback("127.0.0.1") and explorer.is_loopback("::1") and explorer.is_loopback("localhost")
    assert not explorer.is_loopback("0.0.0.0") and not explorer.is_loopback("example.org")
    taken = contextlib.closing(explorer.bound_socket("127.0.0.1", 0))
    with taken as found, pytest.raises(InvalidInput, match="--port 0 takes a free one"):
        explorer.bound_socket("127.0.0.1", found.getsockname()[1])
    with pytest.raises(InvalidInput, match="ports are numbers"):
        explorer.bound_socket("127.0.0.1", 70_000)


# --- what is answered -----------------------------------------------------------------------------------------------


def test_every_answer_has_a_strict_policy(port):
    for path in ("/", "/api/health", "/api/docs", "/nothing"):
        _, headers, _ = ask(port, path)
        found = headers["content-security-policy"]
        assert found == policy(f"127.0.0.1:{port}") and "unsafe" not in found and "default-src 'none'" in found
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("path", ["/../server.py", "/%2e%2e/server.py", "/assets/../../server.py", "//etc/passwd"])
def test_no_path_leaves_the_page(port, path):
    status, _, text = ask(port, path)
    assert status == 404 and "import" not in text


def test_the_http_interface(port):
    assert json.loads(ask(port, "/api/health")[2])["status"] == "ok"
    models = json.loads(ask(port, "/api/models")[2])
    assert {"softmax", "sinkhorn"} <= {kind["name"] for kind in models["kinds"]["attention"]}
    status, found = post(port, "/api/predict", {"config": CONFIG})
    assert status == 200 and found["predictions"] and found["refused"]
    status, run = post(port, "/api/simulate", {"config": CONFIG})
    assert status == 200 and run["result"] == "finished at t = 2" and len(run["times"]) == 101
    assert len(run["states"]["points"]) == 101 and len(run["states"]["points"][0]) == 8
    for body, status, words in (
        ({"config": {"initial": {"n": 10**9}}}, 413, "at most 20000"),
        ({"config": {**CONFIG, "initial": {"n": 5000}}}, 413, "too much for one answer"),
        ({"config": {"attention": {"V": "/etc/passwd"}}}, 400, "file"),
        ({"config": 3}, 422, "dictionary"),
        ({}, 422, "config"),
    ):
        got, answer = post(port, "/api/simulate", body)
        assert got == status and words in answer["error"] and "\n" not in answer["error"]
    status, answer = post(port, "/api/sentence", {"text": "hello", "model": "../../secret"})
    assert status == 400 and "there is no model" in answer["error"]
    assert ask(port, "/api/predict", method="POST", body={"config": {"x": "y" * LONGEST_MESSAGE}})[0] == 413


def test_the_page_of_the_interface_needs_no_network(port):
    status, _, text = ask(port, "/api/docs")
    assert status == 200 and "/api/predict" in text and "POST" in text
    assert not re.search(r"<script|<style|https?://", text)
    assert re.findall(r"<link[^>]*href=([^ >]*)", text) == ["/assets/explorer.css"]
    paths = json.loads(ask(port, "/api/openapi.json")[2])["paths"]
    assert set(paths) == {"/api/health", "/api/models", "/api/predict", "/api/simulate", "/api/sentence"}


def test_who_waits_while_the_server_ends_is_told():
    async def cancelled():
        task = asyncio.create_task(explorer._answer(asyncio.sleep(60)))
        await asyncio.sleep(0)
        task.cancel()
        return await task

    answer = asyncio.run(cancelled())
    assert answer.status_code == 503 and json.loads(answer.body)["error"] == "the server has been closed"


def test_who_asks_too_much_by_http_is_told(port, monkeypatch):
    monkeypatch.setattr(explorer, "MOST_ASKED", 1)
    monkeypatch.setattr(explorer, "_simulate", lambda config: time.sleep(0.5) or {})
    answers: list[int] = []
    asking = [
        threading.Thread(target=lambda: answers.append(post(port, "/api/simulate", {"config": {}})[0])) for _ in "abc"
    ]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert sorted(answers) == [200, 503, 503]


def test_a_page_plays(port):
    with page(port) as socket:
        hello = told(socket, "hello")
        assert hello["limits"]["n"] == 20_000 and hello["gallery"] and len(hello["tour"]) == 7
        start(socket)
        assert told(socket, "status")["state"] == "compiling" and told(socket, "ready")["n"] == 8
        times = [told(socket, "frame")[0]["t"] for _ in range(5)]
        assert times == sorted(times) and times[-1] > 0
        assert told(socket, "predictions")["predictions"]


def test_a_message_that_is_too_long_closes_the_socket(port):
    with page(port) as socket, pytest.raises(ConnectionClosed):
        told(socket, "hello")
        socket.send("x" * (LONGEST_MESSAGE + 1))
        told(socket, "nothing")
    assert ask(port, "/api/health")[0] == 200


def test_pages_that_vanish_in_the_middle_leave_nothing_behind(port):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(page(port)) for _ in range(3)]
        for socket_ in sockets:
            start(socket_, config={**CONFIG, "solve": {"t1": 1e5}})
            told(socket_, "frame")
        for socket_ in sockets:
            socket_.socket.shutdown(socket.SHUT_RDWR)  # as if the machine of the page were gone
    began = time.perf_counter()
    while json.loads(ask(port, "/api/health")[2])["pages"]:
        assert time.perf_counter() - began < 5  # a second on a machine that does nothing else
        time.sleep(0.02)


# --- the command ----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def commanded(cache: Path):
    """The process of `tokenfield explore` and its port."""
    command = [sys.executable, "-m", "tokenfield", "explore", "--no-browser"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        address = process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/", address)
        assert found, address + process.stderr.read()
        yield process, int(found[1])
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_the_command_prints_its_address_and_ends_at_once(tmp_path):
    with commanded(tmp_path) as (process, port):
        with page(port) as socket:
            start(socket, config={**CONFIG, "solve": {"t1": 1e5}})
            told(socket, "frame")
            began = time.perf_counter()
            process.send_signal(signal.SIGINT)
            assert process.wait(20) in (0, 130)
            assert time.perf_counter() - began < 10
        assert "Traceback" not in process.stderr.read()


@pytest.mark.slow
def test_fifty_pages_at_once_with_bounded_memory(tmp_path):
    """Fifty pages that play and change beta all get frames, and the memory settles.

    The server is a process of its own: in that of the tests, what others have compiled and what the fifty clients here
    receive would be counted with it.
    """
    config = {**CONFIG, "solve": {"t1": 1e5}}
    with commanded(tmp_path) as (process, port), contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(page(port)) for _ in range(50)]
        for socket_ in sockets:
            start(socket_, config=config)
        sizes, began = [], time.perf_counter()
        # pages grow while they begin (700 MiB in all after 10 s on two cores); then nothing does, for as long as one
        # looks. Rounds that follow each other take 0.2 s; a leak of 0.1 MiB a frame would be 100 MiB in 20 of them
        while len(sizes) <= 20 or sizes[-1] > sizes[-20] + 10:
            for socket_ in sockets:
                told(socket_, "frame")
            changed = {**config, "attention": {"beta": 1.0 + len(sizes) % 7}}
            sockets[len(sizes) % 50].send(json.dumps({"type": "change", "config": changed}))
            sizes.append(_resident_mib(process.pid))
            assert time.perf_counter() - began < 60, sizes
        assert sizes[-1] < 1500, sizes  # MiB


def _resident_mib(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.mark.slow
def test_the_benchmark_runs():
    watched, first, drawn = bench.run(n=50, frames=20, watched_s=1.0)
    assert watched.rows[0]["measured"] == "frames per second" and watched.rows[0]["value"] > 0
    assert [row["programs"] for row in first.rows] == ["nothing compiled", "compiled before"]
    rates = {row["measured"]: row["value"] for row in drawn.rows}
    if rates:  # there is a browser
        assert rates["frames received per second"] >= rates["frames drawn per second"] > 0
