"""Deliberate breaks in the engine and in the balance of begins and ends: a unit test notices each of them."""

import pathlib
import subprocess
import sys

import pytest

TOOL = pathlib.Path(__file__).resolve().parents[1] / "tools" / "mutate_engine.py"


@pytest.mark.long
def test_each_break_is_noticed(tmp_path):
    done = subprocess.run(
        [sys.executable, "-B", TOOL, "--work", tmp_path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    print(done.stdout)
    assert done.returncode == 0
