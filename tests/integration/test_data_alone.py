"""The trace as data needs no package: in a Python without pandas, Polars, DuckDB, PyArrow and NumPy, everything that does not
ask for them works, and the rest names the package and the cure."""
import ast
import json
import subprocess
import sys

import pytest

from support import places

PACKAGES = ("pandas", "polars", "duckdb", "pyarrow", "numpy")
PROGRAM = "def inner(n):\n    return n\ndef outer():\n    return [inner(n) for n in range(7)]\nouter()\n"

READ = """
import importlib.util, json, sys
sys.path.insert(0, sys.argv[1])
packages = json.loads(sys.argv[3])
assert [name for name in packages if importlib.util.find_spec(name)] == []
import pinsight
trace = pinsight.open(sys.argv[2])
calls = {row[1]: row[6] for row in trace.functions.rows()}
assert calls["inner"] == 7 and calls["outer"] == 1, calls
for name in trace.tables():
    table = trace.table(name)
    rows = table.head(3)
    assert all(list(row) == [column.name for column in table.columns] for row in rows)
    assert table._repr_html_().startswith("<table>")
    table.__arrow_c_stream__(), table.__arrow_c_schema__()
assert len(list(trace.calls.filter(function="in*").rows())) == 7
assert "inner" in trace.report() and trace.page().html.startswith("<!")
errors = {}
for method in "to_pandas", "to_polars", "to_arrow":
    try:
        getattr(trace.calls, method)()
    except ImportError as error:
        errors[method] = str(error)
assert not set(packages) & set(sys.modules)
print(json.dumps(errors))
"""


@pytest.fixture
def alone(newest):
    """The path of a Python without packages."""
    return newest.with_packages()


@pytest.fixture
def folder(newest, run_traced):
    return run_traced(newest, PROGRAM).folder


def test_every_table_is_read(alone, folder):
    told = subprocess.run([alone, "-c", READ, str(places.PACKAGES), str(folder), json.dumps(PACKAGES)], stdout=subprocess.PIPE, check=True,
                          encoding="utf-8").stdout
    errors = json.loads(told)
    for method, package in ("to_pandas", "pandas"), ("to_polars", "polars"), ("to_arrow", "pyarrow"):
        assert errors[method].startswith(package + " is needed here") and errors[method].endswith("`pip install %s`" % package)


def test_pandas_without_arrow(alone, folder, tmp_path):
    """The package that is missing is named, and not the one that is there."""
    (tmp_path / "pandas.py").write_text("")
    program = "import sys; sys.path[:0] = sys.argv[1:3]; import pinsight; pinsight.open(sys.argv[3]).calls.to_pandas()"
    done = subprocess.run([alone, "-c", program, str(tmp_path), str(places.PACKAGES), str(folder)], stderr=subprocess.PIPE, encoding="utf-8")
    assert done.returncode == 1 and done.stderr.splitlines()[-1].endswith("install it with `pip install pyarrow`")


def test_reports_exports_and_the_store(alone, folder, tmp_path):
    def command(*words):
        return subprocess.run([places.COMMAND, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    assert "inner" in command("report", "-q", folder).stdout
    for form in "parquet", "parquet-dataset", "csv", "perfetto":
        done = command("export", "-q", "--to", form, "-o", tmp_path / form, folder)
        assert done.returncode == 0 and (tmp_path / form).exists(), done.stderr
    store = "--file", tmp_path / "history.db", "--python", alone
    assert command("store", "add", *store, folder).returncode == 0
    assert command("store", "trend", *store, "inner").stdout.startswith("inner (Python, ")
    done = command("sql", "--python", alone, folder, "from calls")
    assert done.returncode == 1 and done.stderr.startswith("pinsight: `pinsight sql` needs DuckDB, and %s lacks it" % alone)


def top_imports(path):
    """The packages that a module imports where it is loaded, and not in a function."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.split(".")[0]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="sys.stdlib_module_names, tomllib")
def test_an_installation_needs_no_package():
    """The wheel asks for none, and the modules load none but the standard library's; the plugin of pytest has pytest."""
    import tomllib

    project = tomllib.loads((places.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert not project.get("dependencies") and "dependencies" not in project["dynamic"]
    for path in sorted((places.ROOT / "python").rglob("*.py")):
        allowed = set(sys.stdlib_module_names) | {"pinsight", "pinsight_python"} | ({"pytest"} if path.stem == "pytest_plugin" else set())
        assert not set(top_imports(path)) - allowed, path
