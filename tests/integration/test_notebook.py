"""Notebooks: %%pinsight records a cell in the kernel and shows its page. The shell is a small one of the test's, except in
the part `wheel`, where Jupyter executes a notebook."""
import fcntl
import html
import json
import os
import re
import subprocess
import sys

import pytest

from support import page, places
from support.pythons import pythons

# The part of IPython that the magic uses.
SHELL = """
import sys, types

class Shell:
    def __init__(self):
        self.user_ns = self.user_global_ns = {"__name__": "__main__"}
    def register_magic_function(self, function, kind, name):
        assert (kind, name) == ("line_cell", "pinsight")
        self.magic = function
    transform_cell = transform_ast = staticmethod(lambda same: same)
    def run_cell(self, cell):
        exec(cell, self.user_ns)

shown = []
sys.modules["IPython"] = types.ModuleType("IPython")
sys.modules["IPython.display"] = display = types.ModuleType("IPython.display")
display.display = lambda data, raw: shown.append(data)
shell = Shell()
import pinsight
pinsight.load_ipython_extension(shell)
"""
CELLS = r"""
shell.run_cell("def early(n):\n    return sum(map(len, map(str, range(n))))\n")
shell.magic("", "early(100)\ndef own():\n    return early(3)\nown()\n")
shell.run_cell("early(200)")
shell.magic("-o kept.html", "def other():\n    return 1\nfor i in range(5):\n    other()\n")
try:
    shell.magic("", "other()\n1/0\n")
except ZeroDivisionError:
    print("raised")
shell.magic("--nonsense", "1")
shell.magic("print(early(4))")
print(len(shown))
for number, data in enumerate(shown):
    open("frame-%d.html" % number, "w", encoding="utf-8").write(data["text/html"])
"""


def run(tmp_path, python, text):
    env = {key: value for key, value in os.environ.items() if not key.startswith("PINSIGHT_") and key != "LD_PRELOAD"}
    (tmp_path / "tmp").mkdir(exist_ok=True)
    done = subprocess.run([python, "-c", text], cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=dict(env, PYTHONPATH=str(places.PACKAGES), TMPDIR=str(tmp_path / "tmp")), universal_newlines=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done


def pages(frames):
    """The pages within frames of HTML."""
    return [page.Page(html.unescape(re.search('srcdoc="([^"]*)"', text).group(1))) for text in frames]


def functions(read):
    return {row["name"]: row["calls"] for row in read.report["functions"]}


def test_a_cell_has_a_page_of_its_own(tmp_path):
    if not pythons():
        pytest.skip("no Python has an extension")
    (tmp_path / "tmp" / "pinsight-notebook-99999999-old").mkdir(parents=True)
    elsewhere = tmp_path / "tmp" / "pinsight-notebook-99999998-elsewhere"
    elsewhere.mkdir()
    lock = os.open(elsewhere, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)  # as a kernel in another container does
    done = run(tmp_path, pythons()[-1].path, SHELL + CELLS)
    assert done.stdout.split() == ["3", "raised", "4", "4"]
    assert "[-o FILE]" in done.stderr and "Traceback" not in done.stderr
    first, other, failed, line = pages([(tmp_path / ("frame-%d.html" % at)).read_text(encoding="utf-8") for at in range(4)])
    assert functions(first) == {"<module>": 2, "own": 1, "early": 2}
    assert functions(other) == {"<module>": 1, "other": 5}
    assert functions(failed) == {"<module>": 2, "other": 1}  # the last expression is a module, too
    assert functions(line) == {"<module>": 1, "early": 1}
    assert first.index["region"] == "cell 1" and {source["text"] for source in first.index["sources"]} >= {
        "early(100)\ndef own():\n    return early(3)\nown()\n"}
    assert page.read(tmp_path / "kept.html").data == other.data
    assert elsewhere.exists()
    assert len(os.listdir(tmp_path / "tmp")) == 2  # that of a kernel that ended is gone
    os.close(lock)


@pytest.mark.wheel
def test_jupyter_executes_a_notebook(tmp_path):
    """With IPython's kernel from PyPI: the page is in the notebook's output, after the cell's value."""
    if not any(os.path.realpath(python.path) == os.path.realpath(sys.executable) for python in pythons()):
        pytest.skip("there is no extension for the Python that pytest runs in")
    env = dict(os.environ, PYTHONPATH=str(places.PACKAGES), TMPDIR=str(tmp_path))
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    path = tmp_path / "venv" / "bin"
    subprocess.run([str(path / "python"), "-m", "pip", "install", "-q", "ipykernel", "nbconvert"], check=True)
    cells = ["%load_ext pinsight\ndef early(n):\n    return sum(map(len, map(str, range(n))))",
             "%%pinsight\nimport json\ndef own():\n    return early(3)\nown()", "%pinsight x = early(10)", "_ + x"]
    (tmp_path / "in.ipynb").write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
        {"cell_type": "code", "id": str(at), "metadata": {}, "outputs": [], "execution_count": None, "source": cell} for at, cell in enumerate(cells)]}))
    subprocess.run([str(path / "jupyter"), "nbconvert", "--to", "notebook", "--execute", "in.ipynb", "--output", "out.ipynb"], cwd=tmp_path,
                   env=env, check=True, timeout=300)
    outputs = [cell["outputs"] for cell in json.loads((tmp_path / "out.ipynb").read_text(encoding="utf-8"))["cells"]]
    assert [output["output_type"] for output in outputs[1]] == ["execute_result", "display_data"]
    assert "".join(outputs[3][0]["data"]["text/plain"]) == "13"
    (read,) = pages(["".join(outputs[1][1]["data"]["text/html"])])
    assert functions(read)["early"] == 1 and functions(read)["own"] == 1
