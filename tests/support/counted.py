"""Programs that count what they do in memory of a file of their own, and what a trace of the file recorder holds of
them: so what has to be in it is known without asking PInsight."""
import json
import os
import re
import struct
import subprocess

from . import places

COUNTING = """
import mmap, os, sys, threading
counts = mmap.mmap(os.open(sys.argv[1], os.O_RDWR), 0)
view = memoryview(counts).cast("Q")
def f(x):
    return x
def work(number, calls):
    done = 0
    while done != calls:
        f(done)
        done += 1
        view[number] = done
"""


def run(tmp_path, program, *words, options=(), name="trace", python=None, places_of_counts=512, **more):
    """Runs COUNTING and a program under the file recorder. Returns what it did, and its folder."""
    file = tmp_path / "program.py"
    file.write_text(COUNTING + program)
    (tmp_path / "counts").write_bytes(b"\0" * 8 * places_of_counts)
    command = [str(places.COMMAND), "run", "--recorder", "file", *options, "-o", str(tmp_path / name), "--",
               python or "python3", str(file), str(tmp_path / "counts"), *words]
    return command if more.pop("only", False) else (
        subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, **more),
        tmp_path / name)


def report(folder):
    done = subprocess.run([places.COMMAND, "report", str(folder), "--format", "json"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def calls(folder):
    return sum(row["calls"] for row in report(folder)["functions"] if row["name"] == "f")


def counted(tmp_path):
    content = (tmp_path / "counts").read_bytes()
    return struct.unpack("<%dQ" % (len(content) // 8), content)


def stream_folder(folder):
    return folder / "trace" / os.uname().nodename


def streams(folder):
    return [name for name in os.listdir(stream_folder(folder)) if name != "metadata" and name[0] != "."]


def read_by_babeltrace(folder):
    done = subprocess.run(["babeltrace2", "-o", "dummy", str(folder)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True)
    assert (done.returncode, done.stderr) == (0, "")


def no_buffer_is_left(folder):
    return [name for name in os.listdir(stream_folder(folder)) if name.startswith(".") and name != ".streams"] == [".control"]


def make_another(folder):
    """Gives the trace in a folder of streams a number of its own: a copy of a trace is left out beside it."""
    uuid = re.search(rb'uuid = "([0-9a-f-]{36})"', (folder / "metadata").read_bytes()).group(1)
    new = os.urandom(16)
    text = "-".join((new[:4].hex(), new[4:6].hex(), new[6:8].hex(), new[8:10].hex(), new[10:].hex()))
    for path in folder.iterdir():
        data = path.read_bytes().replace(bytes.fromhex(uuid.decode().replace("-", "")), new)
        path.write_bytes(data.replace(uuid, text.encode()))
