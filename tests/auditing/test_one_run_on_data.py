"""One training on records of a data set: too little noise is noticed, and time is limited."""

import numpy as np
import pytest
from click.testing import CliRunner

from dpfair_cli import catalog
from dpfair_cli.auditing.one_run import _canaries, one_run_on_data
from dpfair_cli.commands.audit import command
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.datasets import mnist
from dpfair_cli.mechanisms import gaussian
from dpfair_cli.mechanisms.noise import Noisy, add_normal

SEPARATE = _canaries(np.arange(400) % 3 == 0)  # each record has features that no other has


@pytest.fixture
def hardly_any_noise(monkeypatch):
    """Draw a thousandth of it, and state all of it."""

    def add(values, sigma, l2_sensitivity, source):
        return Noisy(add_normal(values, sigma / 1000, l2_sensitivity, source).values, sigma)

    monkeypatch.setattr(gaussian, "add_normal", add)


def trained(data=SEPARATE, method="dpsgd", canaries=300, seconds=60, **given):
    params = catalog.algorithm(method).complete({"epsilon": 1.0} | given)
    return one_run_on_data(method, data, params=params, canaries=canaries, seconds=seconds)


def test_a_sound_training_on_records_holds():
    found = trained()
    assert found.holds
    assert (found.epochs, found.planned_epochs) == (20, 20)
    assert (found.by, found.shown.trials) == ("scores", 300)
    assert 80 < found.guesses <= 90


@pytest.mark.usefixtures("hardly_any_noise")
def test_hardly_any_noise_is_caught_by_losses():
    found = trained()
    assert found.shown.epsilon > 1
    assert not found.holds


def test_out_of_time_the_first_epoch_is_the_last():
    found = trained(seconds=0)
    assert (found.epochs, found.planned_epochs) == (1, 20)
    assert found.holds


@pytest.mark.parametrize("method", ["output_perturbation", "dpsgd_adam", "dpsgd_with_flips"])
def test_what_is_not_trained_by_private_descent_is_refused(method):
    with pytest.raises(DpfairError, match="it is not trained by private gradient descent"):
        trained(method=method)


def test_more_canaries_than_records_are_refused():
    with pytest.raises(DpfairError, match="--trials must be at most 400"):
        trained(canaries=401)


def test_the_command_names_the_data_and_the_epochs(tmp_path):
    arguments = ["dpsgd", "adult", "--one-run", "--trials", "60", "--data-dir", str(tmp_path)]
    answer = CliRunner().invoke(command, [*arguments, "--set", "epochs=3", "--seconds", "30"])
    assert answer.exit_code == 0, answer.output
    assert "stopped at the end of the epoch after 30 seconds" in answer.output
    assert "data        adult, a synthetic replica" in answer.output
    assert "training    3 of 3 epochs" in answer.output
    assert "shown       epsilon " in answer.output
    assert "power       epsilon below " in answer.output


def test_many_canaries_are_judged_by_guesses():
    found = trained(SEPARATE, canaries=400, delta=1e-4)
    assert (found.by, found.guesses) == ("guesses", 80)
    assert found.least_found > 1


@pytest.mark.deep
class TestNetwork:
    """The convolutional network, on the replica of MNIST."""

    @pytest.fixture(autouse=True)
    def torch(self):
        pytest.importorskip("torch", reason="torch is not here: pip install torch")

    @pytest.fixture
    def images(self, tmp_path):
        return mnist.load_replica(mnist.replica_path(tmp_path))

    @pytest.mark.parametrize("method", ["dpsgd", "dpsgd_f", "dpsgd_global_adapt", "naive_dpsgd"])
    def test_a_sound_training_of_a_network_holds(self, images, method):
        found = trained(images, method, canaries=100, epochs=4)
        assert found.holds
        assert found.epochs == 4

    @pytest.mark.usefixtures("hardly_any_noise")
    def test_hardly_any_noise_of_a_network_is_caught(self, images):
        found = trained(images, canaries=200, learning_rate=2.0)
        assert found.shown.epsilon > 1
        assert not found.holds
