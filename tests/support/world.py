"""LTTng worlds: where a command finds session daemons, and what it left there.

The whole test session lives in one (tests/isolate made it), with a session daemon that runs. A test that
needs none running, or kills one, makes a world of its own.
"""
import os
import re
import signal
import subprocess
import time

import pytest

from .places import TESTS

LTTNG_LEFT = re.compile(r"^(shm-ust|shm-|ust-shm|lttng-consumer)")


def mount_namespace(pid="self"):
    try:
        return os.readlink("/proc/%s/ns/mnt" % pid)
    except OSError:
        return None


def process_name(pid):
    try:
        with open("/proc/%d/comm" % pid) as file:
            return file.read().strip()
    except OSError:
        return ""


def process_state(pid):
    """The letter that /proc gives; 'X' for a process that is gone or only waits to be reaped."""
    try:
        with open("/proc/%d/stat" % pid) as file:
            letter = file.read().rpartition(")")[2].split()[0]
    except OSError:
        return "X"
    return "X" if letter == "Z" else letter


def command_line(pid):
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def processes_of(namespace, home):
    """Pids of live processes of a world: by its mount namespace, or by its LTTNG_HOME without one."""
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        pid = int(entry)
        if os.getuid() == 0:
            inside = mount_namespace(pid) == namespace
        else:
            try:
                with open("/proc/%d/environ" % pid, "rb") as file:
                    inside = ("LTTNG_HOME=" + home).encode() in file.read().split(b"\0")
            except OSError:
                inside = False
        if inside and process_state(pid) != "X":
            yield pid


class World:
    """A place of its own for LTTng. Use as a context manager; `run` and `start` put commands in it."""

    def __init__(self, daemon=False):
        self.want_daemon = daemon
        self.daemon = None

    def __enter__(self):
        self.holder = subprocess.Popen(
            [str(TESTS / "isolate"), "bash", "-c", 'echo $$ "$LTTNG_HOME"; exec cat'],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        pid, self.home = self.holder.stdout.readline().decode().split()
        self.pid = int(pid)
        self.namespace = mount_namespace(self.pid)
        os.chmod(self.home, 0o755)
        if self.want_daemon:
            self.start_daemon()
        return self

    def __exit__(self, *exception):
        self.holder.stdin.close()
        self.holder.stdout.close()
        self.holder.wait(timeout=60)

    def prefix(self, cwd=None):
        if os.getuid() != 0:
            return []
        return ["nsenter", "-t", str(self.pid), "-m", "--wd=" + str(cwd or os.getcwd()), "--"]

    def environment(self, env=None):
        env = dict(os.environ if env is None else env)
        env["LTTNG_HOME"] = self.home
        return env

    def start(self, argv, cwd=None, env=None, **how):
        """subprocess.Popen in this world."""
        return subprocess.Popen(self.prefix(cwd) + [str(word) for word in argv], cwd=cwd,
                                env=self.environment(env), **how)

    def run(self, argv, cwd=None, env=None, timeout=120, **how):
        """subprocess.run in this world; with its output as bytes unless told otherwise."""
        how.setdefault("stdin", subprocess.DEVNULL)
        how.setdefault("stdout", subprocess.PIPE)
        how.setdefault("stderr", subprocess.PIPE)
        return subprocess.run(self.prefix(cwd) + [str(word) for word in argv], cwd=cwd,
                              env=self.environment(env), timeout=timeout, **how)

    def mount(self, folder, options):
        """A file system in memory on a folder that is made where it is not there, with mount's options; gives the
        folder. Only root can: else the test is skipped."""
        if os.getuid() != 0:
            pytest.skip("needs a file system of its own, which root can mount")
        os.makedirs(folder, exist_ok=True)
        assert self.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder]).returncode == 0
        return folder

    def start_daemon(self):
        self.daemon = self.start(["lttng-sessiond", "--no-kernel"], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        wait_until(lambda: self.run(["lttng", "--no-sessiond", "list"]).returncode == 0, 20)

    def processes(self):
        """Live processes in this world, its holder apart, as {pid: command line}."""
        mine = {self.pid, self.holder.pid}
        return {pid: command_line(pid) for pid in processes_of(self.namespace, self.home)
                if pid not in mine and not command_line(pid).startswith("/bin/bash " + str(TESTS / "isolate"))}

    def named(self, name):
        """Pids of live processes whose command name is `name` (as the kernel has it, 15 characters)."""
        return [pid for pid in self.processes() if process_name(pid) == name[:15]]

    def shared_memory(self):
        """What sessions keep in /dev/shm (LTTng's own wait files stay, and do not count)."""
        done = self.run(["ls", "/dev/shm"])
        return [name for name in done.stdout.decode().split() if not name.startswith("lttng-ust-wait-")
                and not name.startswith("sem.") and ("ust" in name or "lttng" in name or "pinsight" in name)]

    def sessions(self):
        """Names of sessions, empty without a daemon."""
        done = self.run(["lttng", "--no-sessiond", "--mi", "xml", "list"])
        return re.findall(r"<session>\s*<name>([^<]*)</name>", done.stdout.decode())

    def left_over(self, within=10, programs=()):
        """Waits for the world to be clean, and says what is left after `within` seconds (empty is clean).

        A daemon that the world itself started is not left over; neither are the pids in `programs`.
        """
        end = time.monotonic() + within
        while True:
            left = {}
            mine = set(programs)
            if self.daemon and self.daemon.poll() is None:
                mine |= {self.daemon.pid} | children(self.daemon.pid)
            processes = {pid: line for pid, line in self.processes().items() if pid not in mine}
            if processes:
                left["processes"] = processes
            shared = self.shared_memory()
            if shared:
                left["shared memory"] = shared
            sessions = self.sessions()
            if sessions:
                left["sessions"] = sessions
            if not left or time.monotonic() > end:
                return left
            time.sleep(0.2)

    def end_what_goes_on(self, line, within):
        """Kills the commands of that line, and gives how many; within so many seconds nothing else may be left."""
        going_on = [pid for pid, command in self.processes().items() if command == line]
        assert self.left_over(within, going_on) == {}
        for pid in going_on:
            kill(pid)
        return len(going_on)


def children(pid):
    """All descendants of a process."""
    found = set()
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open("/proc/%s/stat" % entry) as file:
                    parents[int(entry)] = int(file.read().rpartition(")")[2].split()[1])
            except OSError:
                pass
    changed = True
    while changed:
        changed = False
        for child, parent in parents.items():
            if child not in found and (parent == pid or parent in found):
                found.add(child)
                changed = True
    return found


def wait_until(condition, seconds, step=0.05):
    """Whether `condition()` came true within `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(step)
    return True


def kill(pid, how=signal.SIGKILL):
    try:
        os.kill(pid, how)
    except ProcessLookupError:
        pass
