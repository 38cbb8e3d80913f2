"""Servers of models on this machine: found where they are what they say, and nothing else is taken for one."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lango_nb.config.settings import ModelSettings
from lango_nb.lab import Lab
from lango_nb.models import local_servers as local_servers_module
from lango_nb.models.keys import Keys
from lango_nb.models.local_servers import LocalServer, local_servers, looked_note
from lango_nb.models.usable import usable_models
from lango_nb.models.vendors import VENDORS
from tests.providers_server import ProviderServer, Say


@pytest.fixture(autouse=True)
def _there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no busy machine decide what is found."""
    monkeypatch.setattr(local_servers_module, "TIME_S", 30.0)


LOCAL = {vendor.name: vendor for vendor in VENDORS if vendor.start}
"""Providers whose servers are looked for."""
Talk = Callable[[socket.socket], None]
OPENAI = {"object": "list", "data": [{"id": "org/m-1", "object": "model"}, {"id": "m2"}]}
OLLAMA = {"models": [{"name": "llama3:latest", "size": 3}, {"name": "qwen3"}]}


@contextmanager
def listening(talk: Talk, host: str = "127.0.0.1", heard: list[bytes] | None = None) -> Iterator[int]:
    """Let somebody listen on a free port, who reads a request and says something; yields the port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                    with connection:
                        request = connection.recv(4096)
                        if heard is not None:
                            heard.append(request.split(b"\r\n")[0])
                        talk(connection)
                except OSError:
                    if server.fileno() < 0:
                        return

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def saying(body: object, status: str = "200 OK", *headers: str) -> Talk:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = "\r\n".join((f"HTTP/1.1 {status}", f"Content-Length: {len(raw)}", *headers, "", ""))
    return lambda connection: connection.sendall(head.encode() + raw)


def keys_for(**addresses: str) -> Keys:
    """Return keys whose variables name an address for every provider: that of nobody where none is given."""
    nobody = f"http://127.0.0.1:{free_port()}"
    return Keys(environ={vendor.url_variable: addresses.get(name, nobody) for name, vendor in LOCAL.items()})


def found(keys: Keys) -> dict[str, tuple[str, ...] | None]:
    return {server.vendor.name: server.models for server in local_servers(keys)}


def models_of(talk: Talk, provider: str = "vllm") -> tuple[str, ...] | None:
    with listening(talk) as port:
        return found(keys_for(**{provider: f"http://127.0.0.1:{port}"}))[provider]


def test_four_kinds_of_servers_are_looked_for_at_their_own_ports() -> None:
    ports = {name: vendor.url for name, vendor in LOCAL.items()}
    assert ports == {
        "ollama": "http://127.0.0.1:11434",
        "lmstudio": "http://127.0.0.1:1234",
        "llamacpp": "http://127.0.0.1:8080",
        "vllm": "http://127.0.0.1:8000",
    }


@pytest.mark.parametrize("provider", LOCAL)
def test_a_server_that_is_what_it_says_lists_its_models(provider: str) -> None:
    own, other = (OLLAMA, OPENAI) if provider == "ollama" else (OPENAI, OLLAMA)
    names = ("llama3:latest", "qwen3") if provider == "ollama" else ("org/m-1", "m2")
    assert models_of(saying(own), provider) == names
    assert models_of(saying(other), provider) is None


def test_each_is_asked_where_it_lists_them_and_only_there() -> None:
    heard: list[bytes] = []
    for provider in LOCAL:
        with listening(saying(b"", "404 Not Found"), heard=heard) as port:
            assert found(keys_for(**{provider: f"http://localhost:{port}/v1/"}))[provider] is None
    assert heard == [b"GET /api/tags HTTP/1.1", *[b"GET /v1/models HTTP/1.1"] * 3]


def test_chunks_and_another_loopback_address_are_understood() -> None:
    raw = json.dumps(OPENAI).encode()
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunked = head + b"%x\r\n%s\r\n0\r\n\r\n" % (len(raw), raw)
    with listening(lambda connection: connection.sendall(chunked), "::1") as port:
        assert found(keys_for(lmstudio=f"http://[::1]:{port}"))["lmstudio"] == ("org/m-1", "m2")


def silence(connection: socket.socket) -> None:
    connection.recv(1)


def trickle(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"H")
        threading.Event().wait(0.02)


DEEP = b'{"data": ' + b"[" * 100_000
STRANGE: dict[str, Talk] = {
    "a page": saying(b"<!DOCTYPE html><html>Welcome</html>", "200 OK", "Content-Type: text/html"),
    "a page that is missing": saying(OPENAI, "404 Not Found"),
    "a request for a password": saying(OPENAI, "401 Unauthorized"),
    "the end at once": lambda connection: None,
    "no end": lambda connection: connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 4_000_000),
    "a list that is too long": saying({"data": [{"id": f"model-{number}"} for number in range(50_000)]}),
    "headers without end": lambda connection: connection.sendall(b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 500 + b"\r\n"),
    "no HTTP": lambda connection: connection.sendall(b"SSH-2.0-OpenSSH_9.6\r\n"),
    "half of it": lambda connection: connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{}"),
    "no JSON": saying(b'{"data": ['),
    "no text": saying(b"\xff\xfe\x00"),
    "JSON without a bottom": saying(DEEP),
    "a list": saying([{"id": "m"}]),
    "a word": saying({"data": "models"}),
    "words": saying({"data": ["m"]}),
    "nothing": saying({"data": None}),
    "a number for a name": saying({"data": [{"id": 7}]}),
    "a name that steers a terminal": saying({"data": [{"id": "m\x1b[2J"}]}),
    "a name on two lines": saying({"data": [{"id": "m\nn"}]}),
    "a name that turns round": saying({"data": [{"id": "m\u202egpj"}]}),
    "half a letter": saying(b'{"data": [{"id": "m\\ud800"}]}'),
    "a name that is a tag": saying({"data": [{"id": "fine"}, {"id": "<img src=x onerror=alert(1)>"}]}),
    "an empty name": saying({"data": [{"id": " "}]}),
    "a name as long as a page": saying({"data": [{"id": "m" * 5_000}]}),
}


@pytest.mark.parametrize("talk", STRANGE.values(), ids=STRANGE)
def test_whatever_else_answers_is_no_server_of_models(talk: Talk) -> None:
    assert models_of(talk) is None


@pytest.mark.parametrize("talk", [silence, trickle])
def test_who_does_not_come_to_an_end_is_not_waited_for(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_servers_module, "TIME_S", 0.1)
    assert models_of(talk) is None


def test_nobody_is_led_elsewhere() -> None:
    with ProviderServer(lambda _request: Say("?")) as server:
        server.models = ("m",)
        moved = saying(b"", "302 Found", f"Location: {server.url}/v1/models")
        assert models_of(moved) is None


def test_who_says_nothing_keeps_nobody_from_being_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_servers_module, "TIME_S", 1.0)
    with listening(silence) as first, listening(saying(OPENAI)) as second:
        keys = keys_for(ollama=f"http://127.0.0.1:{first}", vllm=f"http://127.0.0.1:{second}")
        assert found(keys) == {"ollama": None, "lmstudio": None, "llamacpp": None, "vllm": ("org/m-1", "m2")}


@pytest.mark.parametrize(
    "address",
    ["http://192.0.2.1:11434", "http://example.com", "https://127.0.0.1:1", "http://127.0.0.1:99999", "ollama", "//[x"],
)
def test_nothing_but_this_machine_is_ever_asked(address: str) -> None:
    assert "ollama" not in found(keys_for(ollama=address))


def test_the_address_of_a_setting_is_not_looked_at() -> None:
    with ProviderServer(lambda _request: Say("?")) as server:
        server.models = ("m",)
        settings = ModelSettings(base_url=server.url)
        rows = usable_models(settings, Keys(environ={}), local_servers(keys_for()))
    assert not any(row.example.endswith(":m") for row in rows)


def test_models_are_rows_ready_to_use_and_a_server_without_one_says_so() -> None:
    vllm, ollama = (LocalServer(LOCAL[name], "127.0.0.1", 1, "/", models) for name, models in (
        ("vllm", ("org/a", "b")), ("ollama", ())))  # fmt: skip
    rows = usable_models(ModelSettings(), Keys(environ={}), (vllm, ollama))
    assert [(row.example, row.missing) for row in rows if row.provider == "vllm"] == [
        ("vllm:org/a", ""),
        ("vllm:b", ""),
    ]
    (empty,) = [row for row in rows if row.provider == "ollama"]
    assert (empty.state, empty.missing) == ("needs a model", "its server runs here at port 1 and has no model yet")
    off = usable_models(ModelSettings(allow_network=False), Keys(environ={}), (vllm,))
    assert {row.state for row in off} == {"usable", "network off"}


def test_where_nobody_answers_one_line_says_where_it_was_looked() -> None:
    keys = keys_for()
    servers = local_servers(keys)
    ports = ", ".join(str(server.port) for server in servers)
    assert looked_note(servers) == (
        f"no model server answers on this machine at ports {ports}; for another address set OLLAMA_BASE_URL or "
        "LMSTUDIO_BASE_URL or LLAMACPP_BASE_URL or VLLM_BASE_URL"
    )
    assert looked_note(()) == "", "nobody was looked for"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderServer]:
    """A server of models where vLLM's is looked for, and nobody else."""
    with ProviderServer(lambda request: Say(f"This is {request.body['model']}.")) as server:
        server.models = ("org/small-1", "tiny")
        addresses = dict.fromkeys(LOCAL, f"http://127.0.0.1:{free_port()}") | {"vllm": server.url}
        for name, address in addresses.items():
            monkeypatch.setenv(LOCAL[name].url_variable, address)
        monkeypatch.setenv("LANGO_MODELS_ALLOW_NETWORK", "true")
        for vendor in VENDORS:
            for names in vendor.secrets:
                for variable in names:
                    monkeypatch.delenv(variable, raising=False)
        yield server
        assert server.problems == []


def test_a_turn_runs_with_a_model_that_was_found_and_without_a_key(server: ProviderServer, tmp_path: Path) -> None:
    lab = Lab("solo", home=tmp_path)
    names = [row.example for row in lab.models.record if row.state == "usable"]
    assert names == ["offline", "vllm:org/small-1", "vllm:tiny"]
    assert "no model server" not in lab.models.text
    assert "vllm:tiny" in lab.models.html
    lab.model = names[1]
    turn = lab.ask("hello")
    assert (turn.answer, turn.outcome) == ("This is org/small-1.", "success")
    assert {request.headers["authorization"] for request in server.requests} == {"Bearer no-key"}


def test_servers_are_looked_for_when_models_are_listed_and_at_no_other_time(
    server: ProviderServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[Keys] = []

    def look(keys: Keys) -> tuple[LocalServer, ...]:
        looked.append(keys)
        return ()

    monkeypatch.setattr("lango_nb.models.local_servers.local_servers", look)
    lab = Lab("solo", model="vllm:tiny", home=tmp_path)
    lab.ask("hello")
    repr(lab)
    assert not looked
    assert lab.models.record
    assert len(looked) == 1
    assert Lab("solo", home=tmp_path, allow_network=False).models.record
    assert len(looked) == 1, "not where the network is off"
