"""Fetching from a small server on this machine that misbehaves in every way a real one does."""

from __future__ import annotations

import hashlib
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from dpfair_cli import catalog
from dpfair_cli.commands.fetch_data import command
from dpfair_cli.contracts.declarations import File
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.data_access import download

CONTENT = b"one,two\n" * 100
SHA256 = hashlib.sha256(CONTENT).hexdigest()
HTML = b"<html>sign in to continue</html>"


class Handler(BaseHTTPRequestHandler):
    """/good, /html, /wrong, /cut (ends early), /flaky (fails once), anything else: 404."""

    def do_GET(self):
        kind = self.path.split("/")[1]
        self.server.asked.append(kind)
        body = {"good": CONTENT, "flaky": CONTENT, "html": HTML, "wrong": CONTENT[::-1], "cut": CONTENT[:-9]}.get(kind)
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


@pytest.fixture
def publish(monkeypatch):
    """Make `toy` a data set of one file at the given addresses."""

    def publish(*urls: str) -> None:
        toy = SimpleNamespace(FILES=(File("toy/toy.csv", SHA256, len(CONTENT), urls),))
        monkeypatch.setattr(catalog, "find", lambda kind, name: toy)
        monkeypatch.setattr(catalog, "parameters", lambda kind, name: {})

    return publish


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket, "socket", refuse)


def fetch(folder: Path, mirror: str | None = None, offline: bool = False) -> list[Path]:
    return download.fetch("toy", data_dir=folder, mirror=mirror, offline=offline)


def is_clean(folder: Path) -> bool:
    return not [path for path in folder.rglob("*") if path.is_file()]


def test_a_file_comes_from_its_public_address(server, publish, tmp_path):
    publish(f"{server.address}/good")
    (path,) = fetch(tmp_path)
    assert path == tmp_path / "toy/toy.csv"
    assert path.read_bytes() == CONTENT
    assert [path] == [found for found in tmp_path.rglob("*") if found.is_file()]


def test_others_may_read_a_fetched_file(server, publish, tmp_path):
    publish(f"{server.address}/good")
    assert fetch(tmp_path)[0].stat().st_mode & 0o044 == 0o044


def test_a_file_that_is_here_is_not_fetched_again(server, publish, tmp_path):
    publish(f"{server.address}/good")
    fetch(tmp_path)
    fetch(tmp_path)
    assert server.asked == ["good"]


def test_a_damaged_file_is_fetched_again(server, publish, tmp_path):
    publish(f"{server.address}/good")
    fetch(tmp_path)[0].write_bytes(b"damaged")
    assert fetch(tmp_path)[0].read_bytes() == CONTENT


@pytest.mark.parametrize("kind", ["html", "wrong", "cut", "gone"])
def test_a_bad_answer_is_refused_with_one_line_that_says_what_to_do(server, publish, tmp_path, kind):
    publish(f"{server.address}/{kind}")
    with pytest.raises(DpfairError) as error:
        fetch(tmp_path)
    message = str(error.value)
    assert "\n" not in message
    assert f"put it by hand at {tmp_path / 'toy/toy.csv'}, SHA-256 {SHA256}" in message
    assert is_clean(tmp_path)


def test_the_second_address_is_tried_when_the_first_fails(server, publish, tmp_path):
    publish(f"{server.address}/html", f"{server.address}/good")
    assert fetch(tmp_path)[0].read_bytes() == CONTENT


def test_an_address_that_fails_once_is_tried_again(server, publish, tmp_path):
    publish(f"{server.address}/flaky")
    assert fetch(tmp_path)[0].read_bytes() == CONTENT
    assert server.asked == ["flaky", "flaky"]


def test_nobody_listening_is_one_line(publish, tmp_path):
    publish("http://127.0.0.1:9/toy.csv")
    with pytest.raises(DpfairError, match=r"ConnectionError.*put it by hand"):
        fetch(tmp_path)


@pytest.mark.parametrize("address", ["good", "good/"])
def test_an_address_can_be_a_mirror_and_comes_first(server, publish, tmp_path, address):
    publish(f"{server.address}/html")
    fetch(tmp_path, mirror=f"{server.address}/{address}")
    assert server.asked == ["good"]


@pytest.fixture
def mirror(tmp_path) -> Path:
    (tmp_path / "mirror/toy").mkdir(parents=True)
    (tmp_path / "mirror/toy/toy.csv").write_bytes(CONTENT)
    return tmp_path / "mirror"


def test_a_folder_can_be_a_mirror_without_network(publish, tmp_path, mirror, no_network):
    publish("http://127.0.0.1:9/toy.csv")
    (path,) = fetch(tmp_path / "data", mirror=str(mirror), offline=True)
    assert path.read_bytes() == CONTENT


def test_a_wrong_file_in_the_mirror_falls_back_to_the_public_address(server, publish, tmp_path, mirror):
    publish(f"{server.address}/good")
    (mirror / "toy/toy.csv").write_bytes(HTML)
    assert fetch(tmp_path / "data", mirror=str(mirror))[0].read_bytes() == CONTENT


def test_a_wrong_file_in_the_mirror_leaves_nothing_behind(publish, tmp_path, mirror, no_network):
    publish("http://127.0.0.1:9/toy.csv")
    (mirror / "toy/toy.csv").write_bytes(HTML)
    with pytest.raises(DpfairError, match="another file"):
        fetch(tmp_path / "data", mirror=str(mirror), offline=True)
    assert is_clean(tmp_path / "data")


@pytest.mark.parametrize("mirror_address", [None, "http://127.0.0.1:9"])
def test_offline_never_touches_the_network(publish, tmp_path, no_network, mirror_address):
    publish("http://127.0.0.1:9/toy.csv")
    with pytest.raises(DpfairError, match=r"offline and without a mirror.*put it by hand"):
        fetch(tmp_path, mirror=mirror_address, offline=True)


def test_a_missing_data_set_says_how_to_get_it(tmp_path, no_network):
    with pytest.raises(DpfairError, match="adult is not here: run `dpfair fetch-data adult`"):
        download.locate("adult", {}, data_dir=tmp_path)


def test_a_flipped_byte_is_noticed_before_use(tmp_path, real_data):
    (path,) = download.fetch("dutch", data_dir=tmp_path, mirror=str(real_data), offline=True)
    path.chmod(0o644)
    content = bytearray(path.read_bytes())
    content[1000] ^= 1
    path.write_bytes(content)
    with pytest.raises(DpfairError, match="is damaged"):
        download.load(download.locate("dutch", {}, data_dir=tmp_path), {})


def test_a_change_in_the_reader_is_noticed(monkeypatch, real_data):
    module = catalog.find("datasets", "dutch")
    read = module.read
    monkeypatch.setattr(module, "read", lambda folder: read(folder).iloc[1:])
    with pytest.raises(DpfairError, match=r"dutch was read wrongly: .*60419"):
        download.load(download.locate("dutch", {}, data_dir=real_data), {})


def test_the_identity_is_of_the_bytes_and_not_of_the_folder(tmp_path, real_data):
    for folder in (tmp_path / "a", tmp_path / "b"):
        download.fetch("dutch", data_dir=folder, mirror=str(real_data), offline=True)
    a, b = (download.locate("dutch", {}, data_dir=tmp_path / folder) for folder in "ab")
    assert a.sha256 == b.sha256
    assert len(a.sha256) == 16
    assert not a.replica


@pytest.fixture
def own(tmp_path) -> dict[str, str]:
    (tmp_path / "own.csv").write_text("age,sex,income\n1,a,0\n2,b,1\n")
    (tmp_path / "domain.yaml").write_text("age: {low: 0, high: 9}\nsex: {levels: [a, b]}\n")
    return {"file": str(tmp_path / "own.csv"), "label": "income", "protected": "sex"}


def test_the_identity_of_an_own_file_is_its_hash(tmp_path, own):
    located = download.locate("csv", own, data_dir=tmp_path)
    assert located.sha256 == hashlib.sha256(Path(own["file"]).read_bytes()).hexdigest()[:16]


def test_an_own_file_is_loaded(tmp_path, own):
    options = own | {"domain": str(tmp_path / "domain.yaml")}
    records = download.load(download.locate("csv", options, data_dir=tmp_path), options)
    assert records.domain.bounds == "public"
    assert records.y.tolist() == [0, 1]


def test_the_domain_file_is_part_of_the_identity(tmp_path, own):
    options = own | {"domain": str(tmp_path / "domain.yaml")}
    first = download.locate("csv", options, data_dir=tmp_path)
    assert first.sha256 != download.locate("csv", own, data_dir=tmp_path).sha256
    (tmp_path / "domain.yaml").write_text("age: {low: 0, high: 10}\nsex: {levels: [a, b]}\n")
    assert first.sha256 != download.locate("csv", options, data_dir=tmp_path).sha256


def test_an_own_file_that_changed_since_is_refused(tmp_path, own):
    located = download.locate("csv", own, data_dir=tmp_path)
    Path(own["file"]).write_text("age,sex,income\n1,a,1\n2,b,0\n")
    with pytest.raises(DpfairError, match="changed"):
        download.load(located, own)


def test_an_own_file_must_be_named_and_be_there(tmp_path, own):
    with pytest.raises(DpfairError, match="file=PATH"):
        download.locate("csv", {}, data_dir=tmp_path)
    with pytest.raises(DpfairError, match="nowhere is not there"):
        download.locate("csv", own | {"file": "nowhere"}, data_dir=tmp_path)
    with pytest.raises(DpfairError, match="file=PATH"):
        download.fetch("us_ipums", data_dir=tmp_path, mirror=None, offline=True)


def run(*arguments, **environment):
    return CliRunner().invoke(command, [str(argument) for argument in arguments], env=environment)


def test_fetch_data_puts_the_result_on_stdout_and_paths_on_stderr(tmp_path, real_data):
    result = run("dutch", "--offline", DPFAIR_MIRROR=str(real_data), DPFAIR_DATA=str(tmp_path))
    assert result.exit_code == 0
    assert result.stdout == "dutch is here\n"
    assert result.stderr == f"{tmp_path / 'dutch/dutch.csv'}\n"


def test_fetch_data_all_fetches_everything_that_can_be(tmp_path, real_data):
    result = run("--all", "--offline", "--mirror", real_data, "--data-dir", tmp_path)
    names = [name for name in catalog.names("datasets") if catalog.find("datasets", name).FILES]
    assert result.stdout == "".join(f"{name} is here\n" for name in names)
    assert run("--list", "--data-dir", tmp_path).stdout.count(" here ") == len(names)


def test_a_data_set_that_cannot_be_had_does_not_keep_the_others_away(tmp_path, real_data):
    mirror = tmp_path / "mirror"
    (mirror / "dutch").mkdir(parents=True)
    (mirror / "dutch" / "dutch.csv").symlink_to(real_data / "dutch" / "dutch.csv")
    result = run("--all", "--offline", "--mirror", mirror, "--data-dir", tmp_path / "data")
    assert result.stdout == "dutch is here\ndutch_unbalanced is here\n"  # two samples of one file
    assert isinstance(result.exception, DpfairError)
    assert "cannot get adult/adult.data" in str(result.exception)
    assert "cannot get celeba/list_attr_celeba.txt.gz" in str(result.exception)


def test_fetch_data_lists_what_is_not_here(tmp_path):
    result = run("--list", "--data-dir", tmp_path)
    assert result.stdout.count("not here") == sum(
        bool(catalog.find("datasets", n).FILES) for n in catalog.names("datasets")
    )
    assert "SUBSTITUTE" in result.stdout
    assert "45,222" in result.stdout


def test_fetch_data_without_a_name_is_wrong_usage():
    assert run().exit_code == 2


def test_fetch_data_of_an_unknown_name_proposes_the_nearest(tmp_path):
    result = run("adlt", "--data-dir", tmp_path)
    assert isinstance(result.exception, DpfairError)
    assert "did you mean 'adult'" in str(result.exception)
