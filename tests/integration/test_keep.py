"""keep_if(), snapshot() and recording(): the flight recorder's content after exactly the slow spans.

A clock of the test's tells the spans how long they took, so the machine's load makes none slow.
"""
import json
import os
import re
import subprocess

import pytest

from support import places, traces
from support.pythons import pythons

# The clock goes on by what a request is told to take.
SERVICE = """
import glob, os, sys, time
import pinsight, pinsight._keep

class Clock:
    now = 0.0
    def perf_counter(self):
        return self.now

clock = pinsight._keep.time = Clock()

def work(seconds):
    clock.now += seconds

def dumps():
    return len(glob.glob(os.environ["PINSIGHT_OUTPUT"] + "-dump-*/trace"))

def wait_for_dumps(number):
    until = time.monotonic() + 60
    while dumps() < number and time.monotonic() < until:
        time.sleep(0.01)
    assert dumps() == number
"""


@pytest.fixture
def python():
    if not pythons():
        pytest.skip("no Python has an extension")
    return pythons()[-1]


def run(tmp_path, python, text, *options, rc=0):
    (tmp_path / "service.py").write_text(SERVICE + text)
    done = subprocess.run([str(places.COMMAND), "run", *options, "-o", str(tmp_path / "trace"), "--", str(python.path), "service.py"],
                          cwd=tmp_path, env=dict(os.environ, PYTHONPATH=str(places.PACKAGES)), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=120)
    assert done.returncode == rc, done.stderr
    return done


def dumps(tmp_path):
    return sorted((path for path in tmp_path.iterdir() if "-dump-" in path.name), key=lambda path: int(path.name.rpartition("-")[2]))


def spans(folder, name):
    """How many regions of that name begin and end in a trace, and its marks."""
    events = [event for event in traces.events(folder) if event.name in ("region_begin", "region_end", "mark")]
    return (tuple(sum(event.name == kind and event.fields["name"] == name for event in events) for kind in ("region_begin", "region_end")),
            [event.fields["name"] for event in events if event.name == "mark"])


REQUESTS = """
@pinsight.keep_if(seconds=1.0, name="checkout")
def checkout(number):
    for turn in range(200):
        work(0.0)
    work(1.5 if number % 100 == 50 else 0.999)
    return number

for number in range(300):
    assert checkout(number) == number
    if number % 100 == 50:
        wait_for_dumps(number // 100 + 1)
"""


def test_exactly_the_slow_calls_are_kept(tmp_path, python):
    done = run(tmp_path, python, REQUESTS, "--ring", "64M")
    kept = dumps(tmp_path)
    assert len(kept) == 3 and done.stdout == ""
    for at, folder in enumerate(kept):
        (begun, ended), marks = spans(folder, "checkout")
        assert begun == ended == 100 * at + 51  # it was made before the next request
        assert marks == ["slow checkout: 1.500 s"] * (at + 1)
    assert re.findall(r"is in (\S+); next", done.stderr) == [str(folder) for folder in kept]


def test_what_is_kept_is_as_large_as_the_ring(tmp_path, python):
    run(tmp_path, python, REQUESTS.replace("range(200)", "range(2000)"), "--ring", "1M")
    for folder in dumps(tmp_path):
        (begun, ended), marks = spans(folder, "checkout")
        assert ended and marks and begun in (ended, ended - 1) and begun < 51
        # The names of functions, and the file that is filled, are no part of the limit.
        assert sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) < (2 << 20)


def test_the_number_of_snapshots_has_a_limit(tmp_path, python):
    done = run(tmp_path, python, """
for number in range(5):
    with pinsight.keep_if(1.0, name="a", most=2, about="GET /%d" % number):
        work(2)
    wait_for_dumps(min(number + 1, 2))
with pinsight.keep_if(1.0, name="b", most=1):
    work(1)
wait_for_dumps(3)
""", "--ring", "1M")
    assert done.stderr.count("2 snapshots are kept of slow 'a': from now on, slow ones have a mark only") == 1
    assert spans(tmp_path / "trace", "a")[1] == ["slow a: 2.000 s GET /%d" % number for number in range(5)] + ["slow b: 1.000 s"]


def test_each_of_interleaved_calls_has_its_own_time(tmp_path, python):
    """Two coroutines of one decorated function: the time of one is not the other's."""
    done = run(tmp_path, python, """
import asyncio

@pinsight.keep_if(5.0, name="handler")
async def handler(name, before, after):
    await before.wait()
    after.set()
    await done[name].wait()
    return name

async def main():
    global done
    done = {"quick": asyncio.Event(), "slow": asyncio.Event()}
    go, between, last = asyncio.Event(), asyncio.Event(), asyncio.Event()
    go.set()
    slow = asyncio.ensure_future(handler("slow", go, between))
    await between.wait()
    work(4.0)
    quick = asyncio.ensure_future(handler("quick", go, last))
    await last.wait()
    work(2.0)
    done["quick"].set()
    print(await quick, dumps())
    done["slow"].set()
    print(await slow)
    wait_for_dumps(1)
asyncio.run(main())
""", "--ring", "1M")
    assert done.stdout == "quick 0\nslow\n" and spans(tmp_path / "trace", "handler")[1] == ["slow handler: 6.000 s"]


def test_an_exception_passes_through(tmp_path, python):
    done = run(tmp_path, python, """
try:
    with pinsight.keep_if(1.0):
        work(1.5)
        raise KeyError("mine")
except KeyError as error:
    print(error)
wait_for_dumps(1)
print(pinsight.snapshot())
wait_for_dumps(2)
""", "--ring", "1M")
    assert done.stdout == "'mine'\nTrue\n"


def test_without_a_ring_nothing_is_kept(tmp_path, python):
    done = run(tmp_path, python, """
for _ in range(3):
    with pinsight.keep_if(1.0):
        work(1.5)
print(pinsight.snapshot())
""")
    assert done.stdout == "False\n" and done.stderr.count("there is no flight recorder: run the program with `pinsight run --ring 30s`") == 1
    assert not dumps(tmp_path) and spans(tmp_path / "trace", "request") == ((3, 3), ["slow request: 1.500 s"] * 3)


def test_an_untraced_program_notices_nothing(tmp_path, python):
    done = subprocess.run([python.path, "-c", """
import pinsight
with pinsight.keep_if(0.0), pinsight.region("x"):
    pass
print(pinsight.snapshot(), pinsight.is_active())
"""], env=dict(os.environ, PYTHONPATH=str(places.PACKAGES)), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "False False\n", "")


def test_a_process_that_records_itself(tmp_path, python):
    """activate(output=..., ring=...): the folder was not in the environment when the process began."""
    (tmp_path / "service.py").write_text(SERVICE + """
with pinsight.recording(output="trace", ring="1M"):
    with pinsight.keep_if(1.0):
        work(1.5)
    wait_for_dumps(1)
""")
    env = {key: value for key, value in os.environ.items() if not key.startswith("PINSIGHT_")}
    done = subprocess.run([python.path, "service.py"], env=dict(env, PYTHONPATH=str(places.PACKAGES)), cwd=tmp_path, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True, timeout=120)
    assert done.returncode == 0, done.stderr
    (folder,) = dumps(tmp_path)
    assert spans(folder, "request") == ((1, 1), ["slow request: 1.500 s"])


def test_a_recorded_part(tmp_path, python):
    (tmp_path / "part.py").write_text("""
import pinsight
def before(): pass
def inner(): pass
def last(): pass
before()
with pinsight.recording(output="trace"):
    inner()
    with pinsight.recording():  # changes nothing
        inner()
    inner()
before()
part = pinsight.recording()
try:
    with part:
        last()
        raise KeyError
except KeyError:
    print(pinsight.is_active())
before()
""")
    env = {key: value for key, value in os.environ.items() if not key.startswith("PINSIGHT_")}
    done = subprocess.run([python.path, "part.py"], env=dict(env, PYTHONPATH=str(places.PACKAGES)), cwd=tmp_path, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "False\n"), done.stderr
    told = subprocess.run([str(places.COMMAND), "report", "--format", "json", "--limit", "0", str(tmp_path / "trace")], stdout=subprocess.PIPE, check=True)
    rows = json.loads(told.stdout.decode())["functions"]
    calls = {row["name"]: row["calls"] for row in rows if row["name"] in ("before", "inner", "last")}
    assert calls == {"inner": 3, "last": 1}


WSGI = """
import io, wsgiref.validate, wsgiref.handlers
import pinsight.middleware

def app(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    work(float(environ["QUERY_STRING"]))
    yield b"part "
    work(0.5)
    yield b"end"

def broken(environ, start_response):
    work(2.0)
    raise KeyError("broken")

def ask(app, query):
    sent = io.BytesIO()
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/a", "SCRIPT_NAME": "", "QUERY_STRING": query, "SERVER_NAME": "x", "SERVER_PORT": "80",
               "SERVER_PROTOCOL": "HTTP/1.1"}
    wsgiref.handlers.SimpleHandler(io.BytesIO(), sent, io.StringIO(), environ, multithread=False).run(wsgiref.validate.validator(app))
    return sent.getvalue().split(b"\\r\\n\\r\\n")[-1].decode()

kept = pinsight.middleware.WSGI(wsgiref.validate.validator(app), seconds=1.0)
print(ask(kept, "0.25"), dumps())
print(ask(kept, "0.5"))
wait_for_dumps(1)
bodies = [pinsight.middleware.WSGI(lambda environ, start_response: body, seconds=9.0)({}, None) for body in ([], [b"x"], (part for part in ()))]
print([bool(body) for body in bodies], len(bodies[1]))
for body in bodies:
    body.close()
ask(pinsight.middleware.WSGI(broken, seconds=1.0), "")
wait_for_dumps(2)
"""
ASGI = """
import asyncio
import pinsight.middleware

async def app(scope, receive, send):
    work(scope.get("takes", 5.0))
    await send({"type": "http.response.start", "status": 200})

async def main():
    sent = []
    async def send(message):
        sent.append(message["type"])
    kept = pinsight.middleware.ASGI(app, seconds=1.0)
    for takes in (0.5, 1.0):
        await kept({"type": "http", "method": "GET", "path": "/a", "takes": takes}, None, send)
    await kept({"type": "lifespan"}, None, send)
    wait_for_dumps(1)
    print(sent)
asyncio.run(main())
"""


def test_wsgi(tmp_path, python):
    done = run(tmp_path, python, WSGI, "--ring", "1M")
    assert done.stdout == "part end 0\npart end\n[False, True, True] 1\n"
    assert spans(tmp_path / "trace", "request") == ((6, 6), ["slow request: 1.000 s GET /a", "slow request: 2.000 s GET /a"])


def test_asgi(tmp_path, python):
    done = run(tmp_path, python, ASGI, "--ring", "1M")
    assert done.stdout == "%s\n" % (["http.response.start"] * 3)
    assert spans(tmp_path / "trace", "request") == ((2, 2), ["slow request: 1.000 s GET /a"])
