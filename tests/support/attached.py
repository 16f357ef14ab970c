"""A service that answers requests, which `pinsight attach` comes to while it runs."""
import contextlib
import os
import re
import socket
import subprocess
import threading
import time

from support import places

SERVICE = """
import socket, sys, threading

def leaf(number):
    return number + 1

def handle(times):
    number = 0
    for _ in range(times):
        number = leaf(number)
    return number

def serve(connection):
    while True:
        asked = connection.recv(64)
        if not asked:
            return
        connection.sendall(b"%d" % handle(int(asked)))

def main():
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen(16)
    listener.settimeout(0.05)
    while True:
        try:
            connection, _ = listener.accept()
        except socket.timeout:
            continue
        connection.settimeout(None)
        threading.Thread(target=serve, args=(connection,), daemon=True).start()

main()
"""


class Service:
    def __init__(self, folder, python, options=(), program=SERVICE):
        self.folder = folder
        self.name = str(folder / "service")
        (folder / "service.py").write_text(program)
        self.process = subprocess.Popen([str(python.path), *options, str(folder / "service.py"), self.name],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        cwd=str(folder))
        self.pid = self.process.pid
        until = time.time() + 30
        while not os.path.exists(self.name):
            assert self.process.poll() is None and time.time() < until
            time.sleep(0.01)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.said = self.process.communicate()[0].decode()

    def connect(self):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(30)
        until = time.time() + 30
        while True:  # it is bound a moment before it listens
            try:
                connection.connect(self.name)
                return connection
            except ConnectionRefusedError:
                assert time.time() < until
                time.sleep(0.01)

    def descriptors(self):
        return sorted(os.listdir("/proc/%d/fd" % self.pid))

    def threads(self):
        """The names of its threads."""
        names = []
        for task in os.listdir("/proc/%d/task" % self.pid):
            with contextlib.suppress(OSError), open("/proc/%d/task/%s/comm" % (self.pid, task), encoding="utf-8") as file:
                names.append(file.read().strip())
        return sorted(names)

    def mapped(self, text):
        with open("/proc/%d/maps" % self.pid, encoding="utf-8") as file:
            return [line for line in file if text in line]

    def lent(self):
        """Memory with code that is no file's."""
        return [line for line in self.mapped("r-xp 00000000 00:00 0") if "[" not in line]


def ask(connection, times):
    connection.sendall(b"%d" % times)
    return int(connection.recv(64))


class Load:
    """Requests from a thread, one after the other; each has to be answered rightly."""

    def __init__(self, service, times=20):
        self.service, self.times = service, times
        self.answered, self.wrong, self.ends = 0, 0, False
        self.thread = threading.Thread(target=self.run)

    def run(self):
        with self.service.connect() as connection:
            while not self.ends:
                try:
                    self.wrong += ask(connection, self.times) != self.times
                except OSError:
                    self.wrong += 1
                    return
                self.answered += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends = True
        self.thread.join(60)


def pinsight(*words, rc=0, cwd=None, **more):
    """What `pinsight` says on stderr."""
    done = subprocess.run([str(places.COMMAND), *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, cwd=cwd, check=False, timeout=120, **more)
    assert done.returncode == rc, done.stderr.decode()
    return done.stderr.decode()


def calls(trace):
    """How often each function of the program began in a trace, and which began before it."""
    done = subprocess.run([str(places.COMMAND), "dump", str(trace)], stdout=subprocess.PIPE, check=True)
    begun, before = {}, set()
    for name, how in re.findall(r" function_begin +(\S+) +\S+service\.py:\d+ +(\w+)", done.stdout.decode()):
        if how == "start":
            begun[name] = begun.get(name, 0) + 1
        else:
            before.add(name)
    return begun, before
