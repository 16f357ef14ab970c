"""Programs whose device waits for its data, on the fake driver: the screen at their end names what they wait for."""
import re

import pytest

from support import fake_cuda
from support.fake_cuda import environment

pytestmark = pytest.mark.timed


@pytest.mark.parametrize("how, said", [
    ("turn", r"in load_batch \([^()]*fake_starved\.py:14, in time\.sleep\)"),
    ("thread", r"waiting for a lock in from_a_thread \([^()]*fake_starved\.py:27, in Queue\.get\), "
     r"while others are in load_batch \([^()]*fake_starved\.py:14, in time\.sleep\)"),
    ("process", r"in from_a_process \([^()]*fake_starved\.py:35, in Queue\.get\), "
     r"while others are in load_batch \([^()]*fake_starved\.py:14, in time\.sleep\)")])
def test_starved(run_traced, newest, tmp_path, how, said):
    fake_cuda.available()
    result = run_traced(newest, "fake_starved", arguments=(how,), env=environment(tmp_path))
    screen = re.sub(r"\s+", " ", result.stderr)
    found = re.search(r" GPU 0 idle (\S+) % of \S+ m?s: (?:once [^;]*; again and again, )?(\S+) % " + said, screen)
    assert found, result.stderr
    assert float(found.group(1)) >= float(found.group(2)) > 20
