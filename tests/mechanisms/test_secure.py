"""The secure generator: the standard's keystream, its secret key, its use as a generator."""

import copy
import os
import pickle
import random
import subprocess
import sys

import numpy as np
import pytest

from dpfair_cli.mechanisms.batches import poisson_batches, shuffled_batches
from dpfair_cli.mechanisms.secure import SecureGenerator


def known(key=0):
    return SecureGenerator._with_key(key)


def test_the_stream_is_chacha20_of_rfc_8439():
    """Section 2.3.2: key 00 01 .. 1f, block counter 1.

    The nonce is 00 00 00 09 00 00 00 4a 00 00 00 00.
    """
    generator = known(int.from_bytes(bytes(range(32)), "little"))
    state = generator.bit_generator.state
    block = int.from_bytes(bytes.fromhex("01000000000000090000004a00000000"), "little")
    words = 16 * block  # randomgen counts words of 32 bits
    state["state"]["ctr"][:] = words % 2**64, words >> 64
    generator.bit_generator.state = state
    stream = generator.bit_generator.random_raw(8).astype("<u8").tobytes()
    assert stream.hex() == (
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
    )


def test_no_two_generators_share_a_stream():
    words = np.array([SecureGenerator().bit_generator.random_raw(4) for _ in range(50)])
    assert len(np.unique(words)) == words.size


def test_every_bit_of_the_key_is_drawn():
    keys = [SecureGenerator().bit_generator.state["state"]["keysetup"] for _ in range(64)]
    assert np.bitwise_or.reduce(keys).tolist() == [2**32 - 1] * 8  # but for one bit in 2^56
    assert np.bitwise_and.reduce(keys).tolist() == [0] * 8


def test_a_secure_generator_takes_no_seed():
    with pytest.raises(TypeError):
        SecureGenerator(0)


def test_a_known_seed_of_numpy_does_not_reach_it():
    np.random.seed(0)  # noqa: NPY002 - what a careless caller may do
    first = SecureGenerator().bit_generator.random_raw(4)
    np.random.seed(0)  # noqa: NPY002
    assert (SecureGenerator().bit_generator.random_raw(4) != first).all()


def test_a_known_seed_of_python_does_not_reach_it():
    state = random.getstate()
    try:
        random.seed(0)
        first = SecureGenerator().bit_generator.random_raw(4)
        random.seed(0)
        assert (SecureGenerator().bit_generator.random_raw(4) != first).all()
    finally:
        random.setstate(state)


def test_a_known_key_repeats_and_another_does_not():
    first, again, other = (known(key).bit_generator.random_raw(100) for key in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert not np.intersect1d(first, other).size


def test_children_are_secure_and_share_no_stream():
    parent = known()
    generators = [*parent.spawn(3), parent, *parent.spawn(2), *parent.spawn(1)[0].spawn(1)]
    assert all(type(generator) is SecureGenerator for generator in generators)
    words = np.array([generator.bit_generator.random_raw(1000) for generator in generators])
    assert len(np.unique(words)) == words.size


def test_every_bit_of_the_keys_of_children_is_drawn():
    children = known().spawn(64)
    keys = [child.bit_generator.state["state"]["keysetup"] for child in children]  # (64, 8)
    assert np.bitwise_or.reduce(keys).tolist() == [2**32 - 1] * 8
    assert np.bitwise_and.reduce(keys).tolist() == [0] * 8
    assert all(len(set(words)) == 64 for words in np.transpose(keys).tolist())


def test_children_repeat_with_the_known_key_of_their_parent():
    first, again = (known(7).spawn(2)[1].bit_generator.random_raw(5) for _ in range(2))
    np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize("take", [copy.copy, copy.deepcopy, pickle.dumps])
@pytest.mark.parametrize("part", ["generator", "stream", "stream of a child"])
def test_a_secure_generator_is_not_copied(take, part):
    rng = SecureGenerator()
    parts = {
        "generator": rng,
        "stream": rng.bit_generator,
        "stream of a child": rng.spawn(1)[0].bit_generator,
    }
    with pytest.raises(TypeError, match=r"^a secure generator cannot be copied .* noise") as no:
        take(parts[part])
    assert "\n" not in str(no.value)


def drawn_after_a_fork(generators):
    """The next 32 bytes of each generator, drawn by a child process."""
    read, write = os.pipe()
    if not os.fork():
        try:
            os.write(write, b"".join(rng.bytes(32) for rng in generators))
        finally:
            os._exit(0)
    os.wait()
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        text = pipe.read()
    return [text[start : start + 32] for start in range(0, len(text), 32)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_no_child_process_repeats_noise():
    """Neither that of its parent nor that of another child process of the parent."""
    first = SecureGenerator()
    first.integers(5)  # a stream that has begun
    generators = [first, *first.spawn(2), SecureGenerator()]
    drawn = [*drawn_after_a_fork(generators), *drawn_after_a_fork(generators)]
    drawn += [rng.bytes(32) for rng in generators]
    assert len(set(drawn)) == 3 * len(generators)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_parent_process_goes_on_with_its_stream():
    rng = known(3)
    drawn_after_a_fork([rng])
    assert rng.bytes(32) == known(3).bytes(32)


def test_it_serves_wherever_a_generator_does():
    rng = known()
    assert sorted(rng.permutation(10)) == list(range(10))
    assert len(set(rng.choice(100, 20, replace=False).tolist())) == 20
    assert 0 <= rng.integers(5) < 5
    assert abs(rng.binomial(1000, 0.3, size=400).mean() - 300) < 4 * np.sqrt(210 / 400)
    assert all(
        len(batch.rows) < 40 for batch in poisson_batches(100, sampling_rate=0.1, steps=5, rng=rng)
    )
    rows = np.concatenate(
        [batch.rows for batch in shuffled_batches(10, batch_size=5, steps=2, rng=rng)]
    )
    assert sorted(rows) == list(range(10))


def test_a_state_can_be_gone_on_from_as_private_training_does():
    rng = known()
    state = rng.bit_generator.state
    first = rng.bit_generator.random_raw(5)
    rng.bit_generator.state = state
    np.testing.assert_array_equal(rng.bit_generator.random_raw(5), first)


def test_its_library_is_imported_when_the_first_generator_is_made():
    code = (
        "import sys, dpfair_cli.mechanisms.laplace as m; "
        "from dpfair_cli.mechanisms.secure import SecureGenerator; "
        "print('randomgen' in sys.modules); SecureGenerator(); print('randomgen' in sys.modules)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.split() == ["False", "True"]
