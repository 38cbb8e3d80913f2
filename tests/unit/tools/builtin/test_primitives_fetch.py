"""``fetch``: only where it is switched on, only to public addresses, and never more or longer than allowed."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.errors import ToolError
from lango_nb.core.masking import mask_arguments
from lango_nb.engine import Engine
from lango_nb.lab import Lab
from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest
from lango_nb.tools.builtin import primitive_tools
from lango_nb.tools.builtin.network import Network
from lango_nb.tools.builtin.web import OUTSIDE, is_public
from lango_nb.tools.context import ToolContext
from lango_nb.tools.tool import ToolResult
from tests.cast import Cast

HERE = Network((), reaches_private=True, timeout_s=10.0, most_bytes=2000)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.seen.append((self.command, self.path, dict(self.headers), body))  # type: ignore[attr-defined]
        path = self.path.partition("?")[0]
        if path.startswith("/to/"):
            self.say(302, "", ("Location", path.removeprefix("/to/") or "/"))
        elif path == "/loop":
            self.say(301, "", ("Location", "/loop"))
        elif path == "/gone":
            self.say(404, "it is <b>gone</b>")
        elif path == "/latin":
            self.say(200, "größe".encode("latin-1"), ("Content-Type", "text/plain; charset=ISO-8859-1"))
        elif path == "/image":
            self.say(200, b"\x89PNG\0", ("Content-Type", "image/png"))
        elif path == "/large":
            self.say(200, "ä" * 5000)
        elif path == "/slow-codec":
            self.say(200, "a-" * 500, ("Content-Type", "text/plain; charset=punycode"))
        else:
            self.say(200, "hello")

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = answer  # noqa: N815 - the names the base class asks for

    def say(self, status: int, body: str | bytes, *headers: tuple[str, str]) -> None:
        data = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        for name, value in headers or (("Content-Type", "text/plain"),):
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[tuple[str, str, dict[str, str], bytes]] = []
        self.url = f"http://127.0.0.1:{self.server_port}"


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def says() -> Iterator[Callable[..., str]]:
    """Serve bytes as they are, without closing the connection, and slowly where that is wished."""
    sockets: list[socket.socket] = []

    def serve(answer: bytes, pause_s: float = 0.0, *, closes: bool = False) -> str:
        listening = socket.create_server(("127.0.0.1", 0))
        sockets.append(listening)

        def run() -> None:
            peer, _ = listening.accept()
            sockets.append(peer)
            peer.recv(65536)
            try:
                for place in range(0, len(answer), 1 if pause_s else max(len(answer), 1)):
                    peer.sendall(answer[place : place + 1] if pause_s else answer)
                    time.sleep(pause_s)
            except OSError:  # the client has had enough
                return
            if closes:
                peer.close()

        threading.Thread(target=run, daemon=True).start()
        return f"http://127.0.0.1:{listening.getsockname()[1]}/"

    yield serve
    for one in sockets:
        one.close()


def call(url: str, network: Network | None = HERE, **arguments: Any) -> ToolResult:
    services: dict[type, object] = {} if network is None else {Network: network}
    context = ToolContext(Path("/nowhere"), services=services)
    return asyncio.run(primitive_tools()["fetch"].call({"url": url, **arguments}, context))


def failed(url: str, network: Network | None = HERE, **arguments: Any) -> tuple[str, str]:
    result = call(url, network, **arguments)
    assert result.is_error, result.content
    assert "\n" not in result.content
    return result.code, result.content


class TestSwitches:
    def test_it_is_off_unless_something_switches_it_on(self, server: Server) -> None:
        told = "fetch is switched off: set tools.fetch.enabled to true to let agents use the network"
        assert failed(server.url, None) == ("network_off", told)
        assert server.seen == []

    @pytest.mark.parametrize(
        ("settings", "allow_network", "off"),
        [
            ({}, None, ("tools.fetch.enabled",)),
            ({"tools": {"fetch": {"enabled": True}}}, None, ()),
            ({"tools": {"fetch": {"enabled": True}}}, False, ("models.allowNetwork",)),
            ({"models": {"allowNetwork": False}}, None, ("tools.fetch.enabled", "models.allowNetwork")),
        ],
    )
    def test_the_settings_of_an_engine_decide(
        self, settings: dict[str, Any], allow_network: bool | None, off: tuple[str, ...]
    ) -> None:
        engine = Engine(settings=Settings.model_validate(settings), allow_network=allow_network)
        network = engine.services[Network]
        assert network == Network(off, reaches_private=False, timeout_s=30.0, most_bytes=1024 * 1024)

    @pytest.mark.parametrize(
        "host", ["127.0.0.1", "localhost", "[::1]", "127.1", "2130706433", "0.0.0.0", "[::ffff:127.0.0.1]"]
    )
    def test_this_machine_is_out_of_reach(self, server: Server, host: str) -> None:
        code, told = failed(f"http://{host}:{server.server_port}/", Network(()))
        assert code in {"private_address", "no_answer"}, told  # not every system reads every spelling
        assert server.seen == []
        if code == "private_address":
            assert "set tools.fetch.privateAddresses to true" in told

    def test_a_name_is_judged_by_its_addresses(self, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", server.server_port))]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
        assert failed(f"http://example.org:{server.server_port}/", Network(()))[0] == "private_address"
        assert not call(f"http://example.org:{server.server_port}/").is_error
        assert server.seen[0][2]["Host"] == f"example.org:{server.server_port}"

    @pytest.mark.parametrize(
        ("place", "is_open"),
        [
            ("93.184.215.14", True),
            ("2606:2800:220:1::1", True),
            *((place, False) for place in ("10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1")),
            *(
                (place, False)
                for place in ("0.0.0.0", "224.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fd00::1")
            ),
            *(
                (place, False)
                for place in ("::ffff:169.254.169.254", "64:ff9b::a00:1", "2002:7f00:1::", "::7f00:1", "ff02::1")
            ),
            ("64:ff9b::5db8:d70e", True),
        ],
    )
    def test_addresses(self, place: str, is_open: bool) -> None:
        assert is_public(place) == is_open


class TestAnswers:
    def test_status_kind_size_and_a_body_that_is_told_to_be_from_outside(self, server: Server) -> None:
        result = call(f"{server.url}/a?b=ü#frag")
        assert result.content == f"200 OK, text/plain, 5 bytes\n{OUTSIDE}\nhello"
        assert not result.is_error
        method, path, headers, body = server.seen[0]
        assert (method, path, body) == ("GET", "/a?b=%C3%BC", b"")
        assert headers["Host"] == server.url.removeprefix("http://")

    def test_what_is_sent(self, server: Server) -> None:
        headers = {"Content-Type": "application/json", "X-Name": "Ada"}
        call(server.url, method="post", headers=headers, body='{"größe": 1}')
        method, path, seen, body = server.seen[0]
        assert (method, path, body) == ("POST", "/", '{"größe": 1}'.encode())
        assert (seen["Content-Type"], seen["X-Name"]) == ("application/json", "Ada")

    def test_another_status_is_an_error_with_its_body(self, server: Server) -> None:
        result = call(f"{server.url}/gone")
        assert (result.is_error, result.code) == (True, "http_404")
        assert result.content == f"404 Not Found, text/plain, 17 bytes\n{OUTSIDE}\nit is <b>gone</b>"

    def test_encodings_and_what_is_no_text(self, server: Server) -> None:
        assert call(f"{server.url}/latin").content.endswith("größe")
        assert call(f"{server.url}/image").content == "200 OK, image/png, 5 bytes\n[a binary body, no text]"
        assert call(f"{server.url}/slow-codec").content.endswith("[a binary body, no text]")
        assert call(server.url, method="HEAD").content == "200 OK, text/plain, 0 bytes"

    def test_a_large_body_is_cut_between_characters(self, server: Server) -> None:
        network = Network((), reaches_private=True, most_bytes=1001)
        first, _, body, last = call(f"{server.url}/large", network).content.splitlines()
        assert (first, body, last) == ("200 OK, text/plain, 1,001 bytes", "ä" * 500, "[cut after 1,001 bytes]")

    def test_secrets_in_headers_are_not_recorded(self) -> None:
        given: Any = {"url": "https://x.org/?api_key=abc", "headers": {"Authorization": "Basic QWRh", "X-Api-Key": "k"}}
        recorded = str(mask_arguments(given))
        assert not any(secret in recorded for secret in ("abc", "QWRh", "'k'"))


class TestThePreview:
    def test_it_says_where_a_request_would_go_and_sends_none(self, server: Server) -> None:
        previewer = primitive_tools()["fetch"].preview
        assert previewer is not None
        on, off = (ToolContext(Path("/nowhere"), services={Network: network}) for network in (HERE, Network()))
        given: dict[str, Any] = {"url": f"{server.url}/a", "method": "post", "body": "größe"}
        assert previewer(given, on) == f"sends POST with 7 bytes to {server.url.removeprefix('http://')}"
        assert previewer({"url": "https://x.org/a?b"}, on) == "sends GET to x.org"
        with pytest.raises(ToolError, match="fetch is switched off"):
            previewer(given, off)
        with pytest.raises(ToolError, match="is no address of the web"):
            previewer({"url": "file:///etc/passwd"}, on)
        assert server.seen == []

    @pytest.mark.parametrize("is_on", [True, False])
    def test_a_person_is_told_before_the_question(self, server: Server, tmp_path: Path, is_on: bool) -> None:
        asked: list[ApprovalRequest] = []

        class Person:
            async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
                asked.append(request)
                return ApprovalAnswer(False, "person", "no")

        cast = Cast({"lango-agent": [("fetch", {"url": server.url}), "Done."]})
        where: dict[str, Any] = {"workspace": tmp_path, "home": tmp_path / "home", "store": "memory"}
        switch = {"tools.fetch.enabled": is_on}
        tools = [primitive_tools()["fetch"]]
        Lab("solo", tools, model=cast, approver=Person(), settings=switch, allow_network=True, **where).ask("Go")
        (request,) = asked
        assert request.preview is not None
        assert request.preview.summary.startswith(
            "sends GET to 127.0.0.1:" if is_on else "would fail: fetch is switched"
        )
        assert server.seen == []


class TestRedirects:
    def test_the_same_host_is_followed_with_headers_another_one_without(self, server: Server) -> None:
        with Server() as other:
            threading.Thread(target=other.serve_forever, args=(0.01,), daemon=True).start()
            secret = {"Authorization": "Bearer x"}
            result = call(f"{server.url}/to//to/{other.url}/end", headers=secret)
            assert result.content.startswith(f"200 OK, text/plain, 5 bytes, from {other.url}/end\n")
            assert [seen[2].get("Authorization") for seen in server.seen] == ["Bearer x"] * 2
            assert [seen[2].get("Authorization") for seen in other.seen] == [None]
            other.shutdown()

    def test_every_step_is_checked(self, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("lango_nb.tools.builtin.web.is_public", lambda place: place == "127.0.0.1")
        public = Network(())
        assert not call(f"{server.url}/to/{server.url}/x", public).is_error
        assert failed(f"{server.url}/to/http://127.0.0.2:{server.server_port}/x", public)[0] == "private_address"
        assert failed(f"{server.url}/to/file:///etc/passwd", public)[0] == "bad_argument"
        assert failed(f"{server.url}/to/http://a:b@127.0.0.1/", public)[0] == "bad_argument"

    def test_a_circle_ends(self, server: Server) -> None:
        assert failed(f"{server.url}/loop")[0] == "too_many_redirects"
        assert len(server.seen) == 6

    def test_what_was_sent_is_not_sent_elsewhere(self, server: Server) -> None:
        result = call(f"{server.url}/to//x", method="POST", body="secret")
        assert (result.is_error, len(server.seen)) == (True, 1)
        assert result.content == f"302 Found, 0 bytes, leads to {server.url}/x"


class TestHostile:
    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            ({"url": "file:///etc/passwd"}, "it begins with http:// or https://"),
            ({"url": "ftp://x.org/"}, "it begins with http:// or https://"),
            ({"url": "/etc/passwd"}, "it begins with http:// or https://"),
            ({"url": ""}, "it begins with http:// or https://"),
            ({"url": "http://"}, "it begins with http:// or https://"),
            ({"url": "http://x.org/a b"}, "holds a space"),
            ({"url": "http://x.org/\r\nX: y"}, "holds a space"),
            ({"url": "http://x.org\0/"}, "holds a space"),
            ({"url": "http://x.org/" + "x" * 4000}, "is too long"),
            ({"url": "http://x.org:99999/"}, "is no address of the web"),
            ({"url": "http://[x/"}, "is no address of the web"),
            ({"url": "http://" + "ä" * 99 + "/"}, "is no address of the web"),
            ({"url": "http://ada:secret@x.org/"}, "send them as a header"),
            ({"method": "CONNECT"}, "method 'CONNECT' is none of"),
            ({"method": "GET / HTTP/1.1\r\nX"}, "is none of"),
            ({"headers": {"X": "a\r\nY: b"}}, "holds what no header can hold"),
            ({"headers": {"X: y\r\nZ": "a"}}, "holds what no header can hold"),
            ({"headers": {"X": "\u2028"}}, "holds what no header can hold"),
            ({"headers": {"Host": "x.org"}}, "is set by fetch itself"),
            ({"headers": {"transfer-encoding": "chunked"}}, "is set by fetch itself"),
            ({"body": "x"}, "a GET request has no body"),
            ({"body": "\ud800", "method": "POST"}, "half a character"),
        ],
    )
    def test_requests_that_are_none(self, server: Server, arguments: dict[str, Any], told: str) -> None:
        code, content = failed(**{"url": server.url, **arguments})
        assert (code, told in content) == ("bad_argument", True), content
        assert "secret" not in content
        assert server.seen == []

    @pytest.mark.parametrize(
        "answer", [b"", b"\0" * 99, b"HTTP/1.1 abc\r\n\r\n", b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 500 + b"\r\n"]
    )
    def test_answers_that_are_none(self, says: Callable[..., str], answer: bytes) -> None:
        code, told = failed(says(answer, closes=True))
        assert code == "no_answer"
        assert "gave no answer" in told

    def test_an_answer_that_breaks_off_is_told_to_be_cut(self, says: Callable[..., str]) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"
        assert call(says(head + b"part", closes=True)).content.endswith("\npart\n[cut after 4 bytes]")
        chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n"
        assert call(says(chunks, closes=True)).content.endswith("\npart\n[cut after 4 bytes]")

    @pytest.mark.parametrize(
        "answer", [b"H", b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 90, b"HTTP/1.1 200 OK\r\n\r\nbody"]
    )
    def test_a_server_that_never_ends(self, says: Callable[..., str], answer: bytes) -> None:
        network = Network((), reaches_private=True, timeout_s=0.5)
        began = time.monotonic()
        code, told = failed(says(answer, 0.05), network)
        assert (code, time.monotonic() - began < 10) == ("timeout", True)
        assert told.endswith("gave no whole answer within 0.5 s")

    def test_a_body_without_end_is_cut(self, says: Callable[..., str]) -> None:
        result = call(says(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 5_000_000))
        assert result.content.endswith("[cut after 2,000 bytes]")
        assert len(result.content) < 2500

    def test_a_server_without_a_secure_connection(self, server: Server) -> None:
        code, told = failed(server.url.replace("http:", "https:"))
        assert code == "no_answer"
        assert "gave no answer: no secure connection, " in told
        assert server.seen == []

    def test_nobody_there(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
        code, told = failed(f"http://127.0.0.1:{port}/")
        assert (code, told) == ("no_answer", f"http://127.0.0.1:{port} gave no answer: connection refused")
        assert failed("http://nobody.invalid/")[1] == "there is no host 'nobody.invalid'"
