"""Whose code it is: the interpreter's own folders decide, and what the user started; the names of folders do not."""
import pathlib
import zipfile

import pytest

CODE = """
def work(n): return sum(one(i) for i in range(n))
def one(i): return i * i
def main(): work(200)
made = {"__name__": "elsewhere"}
exec(compile("def rebuilt(n): return sum(range(n))", "<dynamic-code>", "exec"), made)
if __name__ == "__main__":
    main()
    made["rebuilt"](100)
"""
# As pip writes it.
# As installers write it where the path of the interpreter is long or has blanks.
SCRIPT = """
#!/bin/sh
'''exec' "{}" "$0" "$@"
' '''
# -*- coding: utf-8 -*-
import re
import sys
from mytool.cli import main
if __name__ == '__main__':
    sys.argv[0] = re.sub(r'(-script\\.pyw|\\.exe)?$', '', sys.argv[0])
    sys.exit(main())
"""


def users(run_command, *command, **variables):
    """The names of the user's functions."""
    told = run_command(*command, options=["--no-summary"], env=variables).report("--links")
    return {row["function"] for row in told["links"]["lines"]} - {None}


def test_a_project_below_folders_with_the_names_of_libraries(newest, run_command, tmp_path):
    for below in ("lib/python3", "lib/python3.12/site-packages/project", "bin"):
        folder = tmp_path / below
        folder.mkdir(parents=True)
        script = folder / ("simulate" if below == "bin" else "app.py")
        script.write_text(CODE)
        named = users(run_command, newest.path, script)
        assert {"<module>", "work", "rebuilt"} <= named, (below, named)


def test_the_package_of_a_console_script(newest, run_command, tmp_path):
    packages, programs = tmp_path / "lib" / "site-packages", tmp_path / "bin"
    for folder in (packages / "mytool", packages / "other", programs):
        folder.mkdir(parents=True)
    (packages / "mytool" / "__init__.py").touch()
    (packages / "mytool" / "cli.py").write_text("import other\n" + CODE)
    (packages / "other" / "__init__.py").write_text("def helped(): pass\n")
    (programs / "mytool").write_text(SCRIPT.format(newest.path).lstrip())
    (programs / "mytool").chmod(0o755)
    for command in ([programs / "mytool"], [newest.path, "-Bm", "mytool.cli"]):
        named = users(run_command, *command, PYTHONPATH=str(packages))
        assert "work" in named and "helped" not in named, (command, named)


STARTS = {
    "call": ["-c", "from mytool.cli import main; main()"],
    "exit": ["-c", "import sys, os.path\nfrom mytool.cli import main  # the program\nif __name__ == '__main__': sys.exit(main())"],
    "module": ["-c", "import mytool.cli as cli, other\nsys = None\ncli.main()"],
    "names": ["-c", "import mytool.cli, other\nmytool.cli.main()"],
    "runpy": ["-m", "runpy", "mytool.cli"],
    "profiler": ["-m", "cProfile", "-s", "time", "-m", "mytool.cli"],
}


@pytest.mark.parametrize("how", [*STARTS, "input", "input without a word", "zip"])
def test_code_that_only_starts_a_package(how, newest, run_command, tmp_path):
    """The code after -c, or on the standard input, imports a package and calls it: the package is the program."""
    packages = tmp_path / "lib" / "site-packages"
    for package in ("mytool", "other"):
        (packages / package).mkdir(parents=True)
    (packages / "mytool" / "__init__.py").touch()
    (packages / "mytool" / "cli.py").write_text("import other\n" + CODE)
    (packages / "other" / "__init__.py").write_text("def helped(): pass\nhelped()\n")
    (tmp_path / "code").write_text(STARTS["exit"][1] + "\n")
    with zipfile.ZipFile(tmp_path / "app.pyz", "w") as archive:
        archive.writestr("__main__.py", STARTS["call"][1])
        for name in ("__init__.py", "cli.py"):
            archive.write(packages / "mytool" / name, "mytool/" + name)
    given = {"input": "- <", "input without a word": "<", "zip": ""}.get(how)
    named = users(run_command, *([newest.path, "-B", *STARTS[how]] if given is None else [
        "bash", "-c", 'exec "$0" -B %s "$1"' % given, newest.path, tmp_path / ("app.pyz" if how == "zip" else "code")]),
        PYTHONPATH=str(packages))
    # An assignment of its own makes it a program, whose libraries are libraries.
    assert ("work" in named) == (how != "module") and "helped" not in named, named


WORKER = """
import subprocess, sys
def helped(): pass
def served(): helped()
def start():
    for words in (["-m", "pool.worker"], ["-c", "from pool.server import main; main()"], [__file__]):
        subprocess.run([sys.executable, "-B"] + words, check=True)
if __name__ == "__main__":
    served()
"""


def test_the_workers_of_a_library(newest, run_command, tmp_path):
    """A library starts its workers as modules or scripts of its own, or with -c. The user did not start them."""
    packages = tmp_path / "lib" / "site-packages"
    for package in ("pool", "tool", "torch"):
        (packages / package).mkdir(parents=True)
        (packages / package / "__init__.py").touch()
    (packages / "pool" / "worker.py").write_text(WORKER)
    (packages / "pool" / "server.py").write_text("def main(): pass\n")
    script = tmp_path / "app.py"
    script.write_text("import pool.worker\ndef work(): pool.worker.start()\nwork()\n")
    # What a tool starts of itself, and what a runner starts for the user, is the user's.
    (packages / "tool" / "__main__.py").write_text("import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'tool.part'])\n")
    (packages / "tool" / "part.py").write_text("def work(): pass\nwork()\n")
    (packages / "torch" / "__main__.py").write_text("import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'tool.part'])\n")

    def named(*command):
        result = run_command(newest.path, "-B", *command, options=["--no-summary"], env={"PYTHONPATH": str(packages)})
        return {(row["function"], pathlib.Path(row["file"]).name) for row in result.report("--lines", "--limit", "0")["lines"]}
    assert named(script) == {("<module>", "app.py"), ("work", "app.py")}
    for started in ("tool", "torch"):
        assert ("work", "part.py") in named("-m", started), started


def test_what_the_user_says(newest, run_command, tmp_path):
    """--mine says it of a report, and the key of a run; a + adds to what is the user's by its folder."""
    (tmp_path / "app.py").write_text("import json\ndef work(): return json.dumps([1])\nfor _ in range(20): work()\n")
    (tmp_path / "mine.ini").write_text("[Python]\n    mine = +json\n")

    def named(told):
        return {row["function"] for row in told["lines"]}
    result = run_command(newest.path, tmp_path / "app.py", options=["--no-summary"])
    assert named(result.report("--lines")) == {"<module>", "work"}
    json = named(result.report("--lines", "--mine", "json.encoder"))
    assert "JSONEncoder.encode" in json and not {"work", "dumps"} & json
    assert named(result.report("--lines", "--mine", "app.py")) == {"<module>", "work"}
    result = run_command(newest.path, tmp_path / "app.py", options=["--no-summary", "-c", tmp_path / "mine.ini"])
    assert {"<module>", "work", "JSONEncoder.encode"} <= named(result.report("--lines"))
    assert named(result.report("--lines", "--mine", "__main__")) == {"<module>", "work"}
