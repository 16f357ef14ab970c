"""Deliberate breaks in the engine and in the balance of begins and ends: a unit test notices each of them."""

import importlib.util
import pathlib
import subprocess
import sys

import pytest

TOOL = pathlib.Path(__file__).resolve().parents[1] / "tools" / "mutate_engine.py"


def test_each_break_is_still_to_be_had():
    """What a break replaces stands in its file once: a change of that file is noticed without a build."""
    spec = importlib.util.spec_from_file_location("mutate_engine", TOOL)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    counts = {what: (tool.REPOSITORY / path).read_text(encoding="utf-8").count(old)
              for what, path, old, new in tool.BREAKS}
    assert len(counts) >= 30 and counts == dict.fromkeys(counts, 1)


@pytest.mark.long
def test_each_break_is_noticed(tmp_path):
    done = subprocess.run(
        [sys.executable, "-B", TOOL, "--work", tmp_path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    print(done.stdout)
    assert done.returncode == 0
