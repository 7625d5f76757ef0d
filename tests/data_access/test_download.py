"""Fetching from a small server on this machine that misbehaves in every way a real one does."""

from __future__ import annotations

import hashlib
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from dpfair_cli import catalog, data_access
from dpfair_cli.contracts.declarations import DataSource, File
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.data_access import fetching

CONTENT = b"one,two\n" * 100
SHA256 = hashlib.sha256(CONTENT).hexdigest()
HTML = b"<html>sign in to continue</html>"


class Handler(BaseHTTPRequestHandler):
    """/good, /html, /wrong, /cut (ends early), /flaky (fails once), anything else: 404."""

    def do_GET(self):
        kind = self.path.split("/")[1]
        self.server.asked.append(kind)
        body = {
            "good": CONTENT,
            "flaky": CONTENT,
            "html": HTML,
            "wrong": CONTENT[::-1],
            "cut": CONTENT[:-9],
            "endless": CONTENT * 100_000,
        }.get(kind)
        if body is None:
            self.send_error(404)
        elif self.server.asked == ["flaky"]:
            self.send_error(503)
        else:
            self.send_response(200)
            self.send_header("Content-Length", str(len(CONTENT) if kind == "cut" else len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Do not wait between retries."""
    monkeypatch.setattr("time.sleep", lambda seconds: None)


@pytest.fixture
def server():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked = []
    server.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def toy(*urls: str) -> DataSource:
    """A data source of one file at the given addresses."""
    return DataSource(load=None, note="", files=(File("toy/toy.csv", SHA256, len(CONTENT), urls),))


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket, "socket", refuse)


def fetch(
    source: DataSource, folder: Path, *, mirror: str | None = None, offline: bool = False
) -> list[Path]:
    return fetching.fetch(source, data_dir=folder, mirror=mirror, offline=offline)


def is_clean(folder: Path) -> bool:
    return not [path for path in folder.rglob("*") if path.is_file()]


def test_a_file_comes_from_its_public_address(server, tmp_path):
    source = toy(f"{server.address}/good")
    (path,) = fetch(source, tmp_path)
    assert path == tmp_path / "toy/toy.csv"
    assert path.read_bytes() == CONTENT
    assert [path] == [found for found in tmp_path.rglob("*") if found.is_file()]


def test_others_may_read_a_fetched_file(server, tmp_path):
    source = toy(f"{server.address}/good")
    assert fetch(source, tmp_path)[0].stat().st_mode & 0o044 == 0o044


def test_a_file_that_is_here_is_not_fetched_again(server, tmp_path):
    source = toy(f"{server.address}/good")
    fetch(source, tmp_path)
    fetch(source, tmp_path)
    assert server.asked == ["good"]


def test_a_damaged_file_is_fetched_again(server, tmp_path):
    source = toy(f"{server.address}/good")
    fetch(source, tmp_path)[0].write_bytes(b"damaged")
    assert fetch(source, tmp_path)[0].read_bytes() == CONTENT


@pytest.mark.parametrize("kind", ["html", "wrong", "cut", "gone"])
def test_a_bad_answer_is_refused_with_one_line_that_says_what_to_do(server, tmp_path, kind):
    source = toy(f"{server.address}/{kind}")
    with pytest.raises(DpfairError) as error:
        fetch(source, tmp_path)
    message = str(error.value)
    assert "\n" not in message
    assert f"copy the file to {tmp_path / 'toy/toy.csv'}; its SHA-256 must be {SHA256}" in message
    assert is_clean(tmp_path)


def test_the_second_address_is_tried_when_the_first_fails(server, tmp_path):
    source = toy(f"{server.address}/html", f"{server.address}/good")
    assert fetch(source, tmp_path)[0].read_bytes() == CONTENT


def test_an_address_that_fails_once_is_tried_again(server, tmp_path):
    source = toy(f"{server.address}/flaky")
    assert fetch(source, tmp_path)[0].read_bytes() == CONTENT
    assert server.asked == ["flaky", "flaky"]


def test_nobody_listening_is_one_line(tmp_path):
    source = toy("http://127.0.0.1:9/toy.csv")
    with pytest.raises(DpfairError, match=r"Connection refused.*copy the file to"):
        fetch(source, tmp_path)


@pytest.mark.parametrize("address", ["good", "good/"])
def test_an_address_can_be_a_mirror_and_comes_first(server, tmp_path, address):
    source = toy(f"{server.address}/html")
    fetch(source, tmp_path, mirror=f"{server.address}/{address}")
    assert server.asked == ["good"]


@pytest.fixture
def mirror(tmp_path) -> Path:
    (tmp_path / "mirror/toy").mkdir(parents=True)
    (tmp_path / "mirror/toy/toy.csv").write_bytes(CONTENT)
    return tmp_path / "mirror"


def test_a_source_that_sends_too_much_is_left_early(server, tmp_path, monkeypatch):
    written, write = [], fetching._Arriving.write

    def counted(self, part):
        written.append(len(part))
        return write(self, part)

    monkeypatch.setattr(fetching._Arriving, "write", counted)
    with pytest.raises(DpfairError, match="could not be fetched"):
        fetch(toy(f"{server.address}/endless"), tmp_path)
    assert sum(written) < len(CONTENT) * 10_000
    assert is_clean(tmp_path)


def test_a_folder_can_be_a_mirror_without_network(tmp_path, mirror, no_network):
    source = toy("http://127.0.0.1:9/toy.csv")
    (path,) = fetch(source, tmp_path / "data", mirror=str(mirror), offline=True)
    assert path.read_bytes() == CONTENT


def test_a_wrong_file_in_the_mirror_falls_back_to_the_public_address(server, tmp_path, mirror):
    source = toy(f"{server.address}/good")
    (mirror / "toy/toy.csv").write_bytes(HTML)
    assert fetch(source, tmp_path / "data", mirror=str(mirror))[0].read_bytes() == CONTENT


def test_a_wrong_file_in_the_mirror_leaves_nothing_behind(tmp_path, mirror, no_network):
    source = toy("http://127.0.0.1:9/toy.csv")
    (mirror / "toy/toy.csv").write_bytes(HTML)
    with pytest.raises(DpfairError, match="another file"):
        fetch(source, tmp_path / "data", mirror=str(mirror), offline=True)
    assert is_clean(tmp_path / "data")


@pytest.mark.parametrize("mirror_address", [None, "http://127.0.0.1:9"])
def test_offline_never_touches_the_network(tmp_path, no_network, mirror_address):
    source = toy("http://127.0.0.1:9/toy.csv")
    with pytest.raises(DpfairError, match=r"offline and without a mirror.*copy the file to"):
        fetch(source, tmp_path, mirror=mirror_address, offline=True)


def test_a_missing_data_set_says_how_to_get_it(tmp_path, no_network):
    with pytest.raises(
        DpfairError,
        match="the data set adult is not in the data folder: run `dpfair fetch-data adult`",
    ):
        data_access.locate(catalog.data_set("adult"), data_dir=tmp_path)
