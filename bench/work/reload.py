"""Reload the configuration of a program that computes, again and again, and see how soon it is in force.

    reload.py THREADS TIMES

runs under `pinsight run -c FILE`. THREADS threads, this one among them, compute. Another process, which is not
traced, writes FILE anew with another mode and asks this one to reload, as `pinsight ctl` does; the answer says
when the interpreter was in line with it.
"""

import os
import sys
import threading

MODES = ("TRACING", "STANDBY")


def ask(pid, path, times):
    """In the other process: the answers' times, ns."""
    import socket
    import time

    prefix = "@pinsight-ctl/%d/" % pid
    names = []
    limit = time.monotonic() + 10
    while not names and time.monotonic() < limit:
        with open("/proc/net/unix", encoding="ascii", errors="replace") as file:
            names = [line.split()[-1] for line in file if prefix in line]
        time.sleep(0.01)
    if not names:
        raise SystemExit("reload.py: process %d has no socket" % pid)
    own = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    own.bind("\0pinsight-bench/%d" % os.getpid())
    own.settimeout(10)
    effects = []
    for number in range(times):
        with open(path, "w", encoding="ascii") as file:
            file.write("[Python]\n    trace_mode = %s\n    events = function\n" % MODES[(number + 1) % 2])
        own.sendto(b"reload\nid %d\nwait 5000\n" % number, "\0" + names[0][1:])
        answer = dict(line.split(" ", 1) for line in own.recv(65536).decode().splitlines() if " " in line)
        if answer.get("result") != "ok":
            raise SystemExit("reload.py: %s" % answer)
        effects.append(int(answer["effect_ns"]))
        time.sleep(0.02)
    return effects


def add(value):
    return value + 1


def compute(ended):
    value = 0
    while not ended():
        for _ in range(2000):
            value = add(value)


def main():
    import json
    import subprocess

    threads, times = int(sys.argv[1]), int(sys.argv[2])
    clean = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD" and "PINSIGHT" not in key}
    command = [sys.executable, __file__, "ask", str(os.getpid()), os.environ["PINSIGHT_CONFIG"], str(times)]
    done = threading.Event()
    others = [threading.Thread(target=compute, args=(done.is_set,)) for _ in range(threads - 1)]
    for other in others:
        other.start()
    asker = subprocess.Popen(command, env=clean, stdout=subprocess.PIPE, text=True)
    compute(lambda: asker.poll() is not None)
    done.set()
    for other in others:
        other.join()
    effects = json.loads(asker.stdout.read())
    result = {"effects_ns": effects, "switch_interval_s": sys.getswitchinterval()}
    with open(os.environ["PINSIGHT_BENCH_RESULT"], "w", encoding="utf-8") as file:
        json.dump(result, file)


if __name__ == "__main__":
    if sys.argv[1] == "ask":
        print(ask(int(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
    else:
        main()
