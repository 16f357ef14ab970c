"""A module of the user's whose own code takes long when it is imported is named on the first screen."""
import re

import pytest

SCREEN = {"COLUMNS": "80", "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}


def run(run_command, newest, tmp_path, mode, table):
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").write_text("from . import prices\n")
    (package / "prices.py").write_text("import time\n\ndef table():\n    %s\n\nTABLE = table()\n" % table)
    program = tmp_path / "app.py"
    program.write_text("import json\nimport shop\nprint(json.dumps(len(dir(shop))))\n")
    result = run_command(newest.path, program, options=("--mode", mode), env=SCREEN)
    assert result.rc == 0, result.stderr
    return result, [row for row in result.report()["stands_out"] if row["rule"] == "own_imports"]


@pytest.mark.parametrize("mode", ["TRACING", "MONITORING"])
def test_it_is_named(mode, newest, run_command, tmp_path):
    """The package's time is that of its module. The program itself is no import. On a busy machine the import of json takes
    long, too, and is taken off."""
    result, (row,) = run(run_command, newest, tmp_path, mode, "time.sleep(1)")
    assert re.search(r"importing your module shop\.prices \(prices\.py\) takes [\d.]+ m?s of [\d.]+ m?s", row["text"])
    assert row["file"].endswith("/shop/prices.py") and row["line"] == 1 and row["ns"] >= 1e9
    assert 0.1 <= row["share"] <= 1 and row["ns"] <= row["within_ns"]
    assert "importing your module shop.prices" in result.stderr


@pytest.mark.parametrize("mode", ["TRACING", "MONITORING"])
def test_a_short_one_is_not(mode, newest, run_command, tmp_path):
    assert not run(run_command, newest, tmp_path, mode, "pass")[1]
