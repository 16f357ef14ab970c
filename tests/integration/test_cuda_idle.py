"""Why devices are idle, on made traces: the report's table, and the sentence of the first screen. What has to come out
is worked out in support/cuda_idle.py."""
import csv
import io
import json
import os
import re
import subprocess

import pytest

from support import cuda_idle, made, places
from support.cuda_idle import MS, US

import test_golden

pytestmark = pytest.mark.timed


def run(*words, rc=0, **how):
    done = subprocess.run([places.COMMAND, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)
    assert done.returncode == rc, done.stderr
    return done.stdout.decode()


def told(folder, *options):
    return json.loads(run("report", "-q", "--format", "json", *options, folder))["cuda"]


def rows_of(cuda):
    return {(row["device"], row["cause"], row["function"], row["line"], row["callee"]):
            (row["idle_ns"], row["gaps"], row["longest_ns"], row["before_line"]) for row in cuda["idle"]}


def check(one):
    cuda = told(one.folder)
    assert {row["device"]: (row["begin_ns"], row["end_ns"], row["busy_ns"], row["idle_ns"], row["gaps"], row["longest_gap_ns"])
            for row in cuda["devices"]} == {
        device: (made.ns(first), made.ns(last), *rest) for device, (first, last, *rest) in one.devices().items()}
    found, expected = rows_of(cuda), one.rows()
    assert found == expected
    for row in cuda["devices"]:  # all of the idle time, exactly, has a cause
        assert sum(why["idle_ns"] for why in cuda["idle"] if why["device"] == row["device"]) == row["idle_ns"]
        assert row["busy_ns"] + row["idle_ns"] == row["end_ns"] - row["begin_ns"]
        assert row["late"] == 0
    assert len(cuda["idle"]) == len(found) and cuda["idle_coarse_ns"] == 0
    return found


@pytest.fixture
def one(tmp_path):
    return cuda_idle.Run(tmp_path / "made")


@pytest.fixture
def main(one):
    """The main thread of its only process, or the first."""
    return one.process(70).thread(70)


@pytest.mark.parametrize("seed", range(40))
def test_any_run(tmp_path, seed):
    check(cuda_idle.any_run(tmp_path / "made", seed))


def test_all_of_the_first_screen(tmp_path):
    """A loader that sleeps: the first screen names the line that does."""
    one = starved(tmp_path)
    check(one)
    line = first_line(one.folder)
    share = 100 * one.rows()[0, "Python", "load_batch", 41, "sleep"][0] / span(one)
    assert line.endswith(": %.1f %% in load_batch (/home/u/train.py:41, in sleep)" % share), line
    assert "idle %.1f %% of" % (100 * one.devices()[0][3] / span(one)) in line
    assert first_line(one.folder, "--cuda") == line == first_line(one.folder, "--process", "70")


def test_a_busy_device(tmp_path):
    """Nothing is said of idleness."""
    one = cuda_idle.Run(tmp_path / "busy")
    main = one.process(70).thread(70)
    with main.function("train", 10):
        for _ in range(30):
            main.launch(20, took=500 * US)
        main.sync(21)
    text = run("report", "-q", one.write())
    assert " idle " not in text and "   GPU 0 busy 100 % of 15.0 ms\n" in text


def stands_out(folder):
    return {row["rule"]: row for row in json.loads(run("report", "-q", "--format", "json", folder))["stands_out"]}


def test_stands_out(tmp_path):
    """An idle device stands out with the line that it waits for."""
    one = starved(tmp_path)
    row = stands_out(one.folder)["device_idle"]
    assert row["ns"] == one.devices()[0][3] and (row["file"], row["line"]) == (cuda_idle.SCRIPT, 41)
    assert row["text"] == first_line(one.folder).strip()


@pytest.mark.parametrize("count, size, said", [(600, 4, True), (400, 4, False), (600, 1 << 20, False)])
def test_small_copies(tmp_path, count, size, said):
    """A loop that copies a number each time, and waits for it."""
    one = cuda_idle.Run(tmp_path / "made")
    main = one.process(70).thread(70)
    with main.function("train", 10):
        for _ in range(count):
            main.launch(20, took=50 * US)
            main.copy(21, took=2 * US, bytes=size)
            main.sync(21)
    one.write()
    row = stands_out(one.folder).get("small_copies")
    assert bool(row) == said
    if said:
        assert (row["file"], row["line"], row["option"]) == (cuda_idle.SCRIPT, 21, "cuda"), row
        assert row["text"].startswith("train.py:21 in train copies %d times %d bytes " % (count, size)), row


def starved(folder, more=lambda thread: None):
    one = cuda_idle.Run(folder / "made")
    main = one.process(70).thread(70)
    with main.function("train", 10):
        for _ in range(5):
            with main.function("load_batch", 40):
                main.c_call("sleep", 41, 30 * MS)
            for _ in range(10):
                main.launch(20, took=500 * US)
            main.sync(21)
    more(main)
    one.write()
    return one


def span(one, device=0):
    first, last, *_ = one.devices()[device]
    return last - first


def first_line(folder, *options):
    """What the report says first of a device."""
    return next((line for line in run("report", "-q", *options, folder, env=dict(os.environ, COLUMNS="200")).splitlines()
                 if "GPU" in line and "idle" in line), None)


def test_a_loader_with_workers(one, main):
    """The loader's workers are processes that call no CUDA: the thread waits in the loader, which a line of the user's
    called. The line is known where something in the loader tells it, as a wait for a lock does."""
    with main.function("train", 10):
        for turn in range(4):
            with main.function("__next__", 600, at=15):
                main.c_call("poll", 931, 20 * MS)
                if turn == 3:
                    main.lock(15, 10 * MS)
            for _ in range(4):
                main.launch(16, took=MS)
            main.sync(17)
    one.write()
    found = check(one)
    assert found[0, "data loader", "train", 15, "__next__"] == (70 * MS, 3, 30 * MS, None)
    assert "in the data loader, called by train (/home/u/train.py:15, in __next__)" in first_line(one.folder)


def test_a_queue(one):
    """A thread loads, the one that launches waits for a queue."""
    process = one.process(70)
    main, loader = process.thread(70), process.thread(71, 1)
    with loader.function("read_files", 50):
        loader.c_call("read", 52, 90 * MS)
    other = process.thread(72, 2)
    with other.function("reports", 70):
        other.c_call("write", 71, 20 * MS)
    with main.function("train", 10):
        for _ in range(3):
            main.lock(12, 25 * MS)
            main.launch(13, took=2 * MS)
            main.sync(14)
    one.write()
    assert check(one)[0, "lock", "train", 12, None][0] == 50 * MS
    assert first_line(one.folder).endswith("waiting for a lock in train (/home/u/train.py:12), while others are in read_files "
                                           "(/home/u/train.py:52, in read)")


def test_the_gil(one, main):
    with main.function("train", 10):
        for _ in range(3):
            main.launch(13, took=2 * MS)
            main.sync(14)
            main.gil(15 * MS)
    one.write()
    assert check(one)[0, "GIL", "train", None, None][0] == 30 * MS
    assert "waiting for the GIL in train" in first_line(one.folder)


def test_launches_that_come_too_slowly(one, main):
    """Small kernels: the device is done with each before the next one comes."""
    with main.function("train", 10):
        for _ in range(200):
            main.wait(12 * US)
            main.launch(13, took=3 * US)
    one.write()
    found = check(one)
    assert set(key[1] for key in found) == {"small launches", "launch latency"}
    assert "because small launches come too slowly from train (/home/u/train.py:13)" in first_line(one.folder)


def test_a_gap_after_waiting_for_the_device(one, main):
    """It is what the host does from there on, but for the moment in which the waiting ends."""
    with main.function("train", 10):
        for _ in range(2):
            main.launch(13, took=5 * MS)
            main.sync(14, late=7 * US)
            main.c_call("item", 15, 3 * MS)
    one.write()
    assert check(one) == {(0, "synchronisation", "train", 14, "cudaStreamSync"): (7 * US, 1, 7 * US, None),
                          (0, "Python", "train", 15, "item"): (3 * MS, 1, 3 * MS, None),
                          (0, "launch latency", "train", 13, "cudaKernelLaunch"): (5 * US, 1, 5 * US, None)}


def test_streams_beside_each_other(one):
    """What one stream does fills the gaps of another, of another process too."""
    for pid, stream in (70, 7), (80, 8):
        main = one.process(pid).thread(pid)
        main.wait(0 if pid == 70 else 2 * MS)
        with main.function("train", 10):
            for _ in range(5):
                main.launch(13, stream=stream, took=3 * MS)
                main.c_call("item", 15, 4 * MS)
    one.write()
    check(one)
    assert told(one.folder)["devices"][0]["gaps"] == 0 and told(one.folder)["devices"][0]["processes"] == 2
    assert told(one.folder)["idle"] == [] and first_line(one.folder) is None
    alone = told(one.folder, "--process", "70")["devices"][0]
    assert alone["gaps"] == 4 and alone["processes"] == 1


def test_a_thread_without_python(one):
    """A framework's thread launches: what counts is what the thread of Python does that waits for it."""
    process = one.process(70)
    main, backward = process.thread(70), process.thread(71, 1)
    with main.function("train", 10):
        main.launch(12, took=MS)
        main.c_call("run_backward", 13, 20 * MS)
    backward.wait(8 * MS)
    backward.launch(None, took=MS)
    one.write()
    found = check(one)
    assert found[0, "Python", "train", 13, "run_backward"][0] > 6 * MS


def test_latency(one, main):
    delays = [1000 * at for at in range(5, 105)]
    with main.function("train", 10):
        for delay in delays:
            main.launch(13, took=US, delay=delay)
            main.sync(14)
    one.write()
    latency = told(one.folder)["devices"][0]["latency"]
    assert latency["count"] == 100 and latency["min_ns"] == 5000 and latency["max_ns"] == 104000
    assert abs(latency["median_ns"] - 54000) < 2000 and abs(latency["p90_ns"] - 94000) < 3000


def test_csv(tmp_path):
    one = starved(tmp_path)
    rows = list(csv.DictReader(io.StringIO(run("report", "-q", "--cuda", "--format", "csv", one.folder))))
    work = told(one.folder)["work"]
    assert [{key: str(value) for key, value in row.items()} for row in work] == [
        {key: row[key] for key in work[0]} for row in rows]


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_the_section(tmp_path, columns):
    def evaluate(main):
        with main.function("evaluate", 60):
            for line in 61, 62:
                main.copy(line, took=MS)
                main.lock(line, 2 * MS)
                main.launch(line, took=2 * MS, stream=8)
                main.launch(line, took=2 * MS, device=1)
    one = starved(tmp_path, evaluate)
    env = dict(os.environ, COLUMNS=str(columns), LC_ALL="C.UTF-8")
    test_golden.compare("cuda-%d" % columns, lambda: re.sub(r"[\d.]+ KiB$", "SIZE", run("report", "-q", "--cuda", one.folder, env=env),
                                                           count=1, flags=re.MULTILINE))  # which the table of events has part in


def test_without_records(tmp_path):
    trace = made.Trace(tmp_path / "made")
    with trace.process(70).main.call(100, 300, "cudaDeviceSync", correlationId=4):
        pass
    text = run("report", "-q", "--cuda", trace.write())
    assert "CUDA was called, but there is no record of what devices did." in text
    assert told(trace.folder)["devices"] == []


def test_devices_by_their_own_numbers(one):
    """Processes that see one device each call it 0: those of another are not it, those of the same are."""
    for pid, uuid in (70, "aa"), (80, "bb"), (90, "aa"):
        process = one.process(pid)
        process.made.main.event(1, "cuda", "device_info", pid=pid, devId=0, name="H100", uuid=uuid,
                                bus="?" if uuid == "bb" else "0000:18:00.0", memory=80 << 30, multiprocessors=132,
                                compute_major=9)
        main = process.thread(pid, start=1000 + pid)
        with main.function("train", 10):
            main.launch(13, took=MS)
            main.wait(pid * MS)
            main.launch(13, took=MS)
    cuda = told(one.write())
    assert sorted((row["uuid"], row["device"], row["model"], row["processes"], row["works"], row["gaps"])
                  for row in cuda["devices"]) == [("aa", 0, "H100", 2, 4, 2), ("bb", 0, "H100", 1, 2, 1)]
    assert {row["uuid"]: row["bus"] for row in cuda["devices"]} == {"aa": "0000:18:00.0", "bb": None}
    assert {(row["memory_bytes"], row["multiprocessors"], row["compute_capability"]) for row in cuda["devices"]} == {
        (80 << 30, 132, "9.0")}
    text = run("report", "-q", "--cuda", one.folder, env=dict(os.environ, COLUMNS="200"))
    assert ("GPU 0 of train.py (70)" in text) != ("GPU 0 of train.py (90)" in text)
    assert "GPU 0 of train.py (80)" in text and "H100" in text


def test_what_the_others_do(one):
    """Threads that call no CUDA, of the process and of those that it started, from the first call of CUDA on; not of
    another program."""
    process = one.process(70)
    main = process.thread(70)
    with main.function("train", 10):
        main.launch(13, took=MS)
        for _ in range(3):
            with main.function("__next__", 600, at=15):
                main.c_call("poll", 931, 20 * MS)
            main.launch(13, took=MS)
    for pid, parent, name in (80, 70, "collate"), (90, 1, "service"):
        worker = one.process(pid, parent).thread(pid, start=1000)
        with worker.function("worker", 30):
            worker.wait(MS)
            with worker.function(name, 40):
                worker.c_call("stack", 42, 50 * MS)
                worker.lock(43, 90 * MS)
    one.write()
    others = {(row["pid"], row["cause"], row["function"], row["line"], row["callee"]): row["time_ns"]
              for row in told(one.folder)["others"]}
    assert others[80, "Python", "collate", 42, "stack"] == others[90, "Python", "service", 42, "stack"] == 50 * MS
    assert others[80, "lock", "collate", 43, None] == 90 * MS
    assert others[80, "Python", "worker", None, None] < MS + 10 * US
    assert first_line(one.folder).endswith(" in the data loader, called by train (/home/u/train.py:10, before line 13, in "
                                           "__next__), while "
                                           "others are in collate (/home/u/train.py:42, in stack)")


def test_once_and_again(tmp_path):
    """A start-up is one long gap: what comes again and again is said beside it."""
    def begin(thread):
        with thread.function("setup", 70):
            thread.c_call("compile", 71, 900 * MS)
            thread.launch(72, took=MS)
    one = starved(tmp_path, begin)
    check(one)
    share = 100 * one.rows()[0, "Python", "load_batch", 41, "sleep"][0] / span(one)
    assert first_line(one.folder).endswith(
        "once 900 ms in setup (/home/u/train.py:71, in compile); again and again, %.1f %% in load_batch "
        "(/home/u/train.py:41, in sleep)" % share)


def test_one_thread(tmp_path):
    """What other threads asked for is not there: nothing is said of devices' idle time."""
    cuda = told(starved(tmp_path).folder, "--thread", "70")
    assert cuda["devices"] == cuda["idle"] == [] and cuda["records"]["work"] == 50


def test_records_that_are_missing(one):
    process = one.process(70)
    main = process.thread(70)
    with main.function("train", 10):
        for _ in range(3):
            main.launch(13, took=MS)
            main.wait(5 * MS)
    process.made.main.event(main.now, "cuda", "device_lost", pid=70, records=5, cause=1)
    assert "Records of devices' work are missing: devices were idle for less." in run("report", "-q", "--cuda", one.write())


def test_how_many_are_queued(one, main):
    with main.function("train", 10):
        for _ in range(3):
            for _ in range(5):
                main.launch(13, took=MS)
            main.launch(14, took=MS, stream=8)
            main.sync(15)
            main.sync(16, stream=8)
    one.write()
    expected = [sum(1 for other, _ in one.works if (other.stream, other.order < work.order) == (work.stream, True)
                    and other.begin > work.asked) for work, _ in one.works]
    (device,) = told(one.folder)["devices"]
    assert device["queue"] == {"count": 18, "mean": pytest.approx(sum(expected) / 18, abs=1e-4), "max": max(expected)}
    assert max(expected) >= 3


def test_many_devices(one, main):
    """Those that are idle for one reason are one sentence."""
    with main.function("train", 10):
        for turn in range(6):
            with main.function("load_batch", 40):
                main.c_call("sleep", 41, 30 * MS)
            for device in range(8):
                main.launch(20, took=(device + 1) * MS, device=device)
            main.launch(21, took=36 * MS, device=8)
            main.launch(22, took=35 * MS, device=9)
    one.write()
    check(one)
    idle = [100 * idle / (last - first) for first, last, _, idle, *_ in one.devices().values()]
    text = run("report", "-q", one.folder, env=dict(os.environ, COLUMNS="200"))
    assert "   GPU 0 idle %.1f %% of 151 ms, 7 more %.1f to %.1f %%: " % (idle[0], idle[7], idle[1]) in text
    assert "GPU 1 idle" not in text and "in load_batch (/home/u/train.py:41, in sleep)" in text
    assert "   2 GPUs busy 100 to 100 %\n" in text
