"""The keys of `pinsight top` on a terminal."""
import fcntl
import os
import re
import signal
import struct
import subprocess
import sys
import termios
import time

import pytest

from support import places

PROGRAM = """
import os, sys, time
def resting():
    time.sleep(0.01)
def often():
    pass
def once():
    resting()
open(sys.argv[1] + "/ready", "w").close()
once()
while not os.path.exists(sys.argv[1] + "/end"):
    resting()
    for _ in range(20):
        often()
"""
# A terminal's first process, like a shell's: keys send it signals.
LEADER = """import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
CLEAR = "\033[H\033[2J"


class Terminal:
    """`pinsight top` in a terminal of so many lines."""

    def __init__(self, trace, lines):
        self.main, self.side = os.openpty()
        fcntl.ioctl(self.main, termios.TIOCSWINSZ, struct.pack("HHHH", lines, 100, 0, 0))
        self.before = termios.tcgetattr(self.side)
        self.process = subprocess.Popen([sys.executable, "-c", LEADER, places.COMMAND, "top", str(trace)], stdin=self.side, stdout=self.side,
                                        stderr=self.side, env=dict(os.environ, NO_COLOR="1", TERM="xterm", LC_ALL="C.UTF-8"))
        os.set_blocking(self.main, False)
        self.text = ""

    def press(self, keys):
        os.write(self.main, keys.encode())

    def shows(self, *patterns, without=()):
        """Waits for a screen in which each pattern is found, and no other one. Returns it."""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                self.text += os.read(self.main, 1 << 16).decode(errors="replace")
            except BlockingIOError:
                time.sleep(0.02)
            screen = self.text.replace("\r\n", "\n").split(CLEAR)[-1]
            whole = "/: find" in screen or "find: " in screen  # the last line
            if whole and all(re.search(pattern, screen) for pattern in patterns) and not any(re.search(pattern, screen) for pattern in without):
                return screen
        raise AssertionError((patterns, without, self.text[-3000:]))

    def end(self):
        status = self.process.wait(60)
        after = termios.tcgetattr(self.side)
        os.close(self.main)
        os.close(self.side)
        return status, after == self.before


@pytest.fixture
def terminal(newest, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    process = subprocess.Popen([places.COMMAND, "run", "--quiet", "-o", tmp_path / "trace", "--", newest.path, tmp_path / "program.py", tmp_path],
                               stdin=subprocess.DEVNULL)
    while not (tmp_path / "ready").exists():
        assert process.poll() is None
        time.sleep(0.05)
    terminal = Terminal(tmp_path / "trace", 32)
    yield terminal
    (tmp_path / "end").touch()
    if terminal.process.poll() is None:
        terminal.process.kill()
        terminal.process.wait()
    assert process.wait(60) == 0


def functions(screen):
    return re.findall(r" (resting|often|once) +program\.py:", screen)


def test_they_sort(terminal):
    assert functions(terminal.shows(r"sort \(own time\)", "often", "once"))[0] == "resting"
    terminal.press("ss")
    screen = terminal.shows(r"sort \(calls\)", "with their libraries, by calls")
    assert functions(screen)[0] == "often"
    terminal.press("sss")
    assert functions(terminal.shows(r"sort \(name\)", "by name")) == sorted(functions(screen))
    terminal.press("s")
    terminal.shows(r"sort \(own time\)", without=["by name"])
    terminal.press("q")
    assert terminal.end() == (0, True)


def test_they_find(terminal):
    terminal.shows("often", "resting")
    terminal.press("/REST\x7f")
    terminal.shows("find: RES_", "resting", without=["often"])
    terminal.press("T\n")
    terminal.shows('with "REST"; 1 of', "/: find", without=["often"])
    terminal.press("/nothing of the kind\n")
    terminal.shows('with "nothing of the kind"; 0 of', without=["resting +program"])
    terminal.press("/x\033")
    terminal.shows("often", "resting", without=["with \""])
    terminal.press("\033[A\033OB\033[15~ss")  # arrows and F5 are no keys here
    terminal.shows(r"sort \(calls\)")
    terminal.press("q")
    assert terminal.end() == (0, True)


def test_they_freeze(terminal):
    def calls(screen):
        return re.search(r" ([\d,]+) .* often +program", screen).group(1)
    screen = terminal.shows("often")
    terminal.press(" ")
    frozen = calls(terminal.shows("frozen", "space: go on"))
    time.sleep(2.5)  # longer than the time between screens
    terminal.press("s")
    assert calls(terminal.shows("frozen", r"sort \(total\)")) == frozen
    terminal.press(" ")
    assert calls(terminal.shows("often", without=["frozen", r"\b%s\b" % frozen])) != frozen
    assert len(screen.rstrip("\n").split("\n")) <= 32
    terminal.press("\003")  # Ctrl-C
    assert terminal.end() == (130, True)


def test_a_signal_leaves_the_terminal_as_it_was(terminal):
    terminal.shows("often")
    terminal.process.send_signal(signal.SIGTERM)
    assert terminal.end() == (130, True)
