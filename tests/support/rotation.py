"""Traces that LTTng rotates while the program runs."""
import subprocess

from . import places, world

# Three phases of calls, each until a file says to go on.
PROGRAM = """
import os, time
def step():
    pass
for phase in range(3):
    for _ in range(100):
        step()
    open("ready-%d" % phase, "w").close()
    while not os.path.exists("go-%d" % phase):
        time.sleep(0.01)
"""


class Running:
    """A program under `pinsight run` that waits for files."""

    def __init__(self, python, folder, names, program=PROGRAM, options=()):
        self.folder, self.trace = folder, folder / "trace"
        (folder / "program.py").write_text(program)
        self.process = subprocess.Popen(
            [places.COMMAND, "run", "-o", "trace", "--lossless", "--names", names, *options, "--", python.path,
             "program.py"],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")

    def wait_for(self, phase):
        assert world.wait_until((self.folder / ("ready-%d" % phase)).exists, 60)

    def go_on(self, phase):
        (self.folder / ("go-%d" % phase)).touch()

    def rotate(self):
        """Gives the folder of the new chunk."""
        lines = (self.trace / "pinsight-run.txt").read_text().splitlines()
        session = next(line.split(" ", 1)[1] for line in lines if line.startswith("session "))
        before = self.chunks()
        subprocess.run(["lttng", "--no-sessiond", "rotate", session], check=True, stdout=subprocess.DEVNULL)
        new, = [chunk for chunk in self.chunks() if chunk not in before]
        return new

    def chunks(self):
        archives = self.trace / "archives"
        return sorted(archives.iterdir()) if archives.exists() else []

    def end(self):
        for phase in range(3):
            self.go_on(phase)
        _, said = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, said
        return said


def rotated(python, folder, names, options=()):
    """The folder of a trace of three chunks."""
    running = Running(python, folder, names, options=options)
    for phase in range(2):
        running.wait_for(phase)
        running.rotate()
        running.go_on(phase)
    running.end()
    return running.trace
