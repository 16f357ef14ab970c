"""The session daemon that the tests share, and what is done when it stops answering."""
import os
import shutil
import subprocess
import tempfile

from . import places, world


class SharedDaemon:
    """lttng-sessiond of the tests' own world. `start` gives False when it does not come up."""

    def __init__(self):
        self.process = None
        self.output = tempfile.TemporaryFile()

    def start(self):
        # As `pinsight run` starts it: else its consumer computes for 200 ms at each end of a traced process.
        environment = dict(os.environ, LD_PRELOAD=str(places.LIBDIR / "libpinsight-hasten.so"))
        self.process = subprocess.Popen(["lttng-sessiond", "--no-kernel"], stdin=subprocess.DEVNULL,
                                        stdout=self.output, stderr=self.output, env=environment)
        return world.wait_until(lambda: self.answers(20), 20)

    @staticmethod
    def answers(seconds):
        """Whether a client is answered within so many seconds."""
        try:
            return subprocess.run(["lttng", "--no-sessiond", "list"], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  timeout=seconds).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def tree(self):
        """The pids of the daemon and of the consumer daemons below it."""
        pids = [self.process.pid]
        for pid in pids:
            children = subprocess.run(["pgrep", "-P", str(pid)], stdout=subprocess.PIPE).stdout.split()
            pids += [int(child) for child in children]
        return pids

    def stacks(self):
        """Where each thread of the daemons stands, as gdb tells it; empty without gdb."""
        if not shutil.which("gdb"):
            return ""
        told = []
        for pid in self.tree():
            command = ["gdb", "--batch", "-p", str(pid), "-ex", "thread apply all backtrace 12"]
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, timeout=60)
            told.append("%s %d\n%s" % (world.process_name(pid), pid, done.stdout.decode(errors="replace")))
        return "\n".join(told)

    def replace(self):
        """Kills a daemon that does not answer, and starts another."""
        subprocess.run(["kill", "-KILL", *map(str, self.tree())], stderr=subprocess.DEVNULL)
        self.process.wait()
        return self.start()

    def end(self):
        """Ends the daemon; gives its status and what it printed if it had ended by itself, else None."""
        status = self.process.poll()
        if status is not None:
            self.output.seek(0)
            return status, self.output.read()[-2000:].decode(errors="replace")
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        return None
