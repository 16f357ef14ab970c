"""IPython and Jupyter: cells are recorded in the running kernel. Their pages stand beneath them.

    %load_ext pinsight

    %%pinsight                 # the first line of a cell
    %%pinsight -o cell.html    # the page is kept
    %pinsight solve(1000)      # one statement

The kernel records into one trace. Between recorded cells it records nothing. The page has the time
of its cell alone.
"""
import ast
import fcntl
import html
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

from . import _locate

PREFIX = "pinsight-notebook-"
# A larger page is not put into the notebook.
MOST_BYTES = 16 << 20
FRAME = ('<iframe srcdoc="%s" sandbox="allow-scripts" title="PInsight: %s" '
         'style="width:100%%;height:720px;border:1px solid #ccc;border-radius:6px"></iframe>')
HELP = "%%pinsight [-o FILE]: records a cell, and shows its page; %pinsight STATEMENT: records a statement"


def load(shell):
    """Adds the magics to a shell of IPython."""
    shell.register_magic_function(_Recorder(shell).magic, "line_cell", "pinsight")


class _Recorder:
    def __init__(self, shell):
        self.shell, self.folder, self.lock, self.recorded = shell, None, None, 0

    def magic(self, line, cell=None):
        """Records a cell or a statement, and shows its page."""
        __tracebackhide__ = True  # IPython leaves this frame out
        output = None
        if cell is None:
            cell = line
        else:
            words = shlex.split(line)
            if len(words) == 2 and words[0] in ("-o", "--output"):
                output = os.path.abspath(os.path.expanduser(words[1]))
            elif words:
                return self.say(HELP)
        if not cell.strip():
            return self.say(HELP)
        if not self.start():
            return self.shell.run_cell(cell) and None
        self.recorded += 1
        name = "cell %d" % self.recorded
        codes = self.compiled(cell)
        try:
            self.run(name, codes)
        finally:
            self.show(name, output)

    def start(self):
        """Starts to record in this process at the first call. Returns whether that was possible."""
        import pinsight

        if self.folder is None:
            _remove_old()
            folder = tempfile.mkdtemp(prefix="%s%d-" % (PREFIX, os.getpid()))
            self.lock = _lock(folder)
            if not pinsight.activate(output=os.path.join(folder, "trace")):
                shutil.rmtree(folder, True)
                return False
            self.folder = folder
        else:
            pinsight.activate()
        pinsight.set_mode("Python", "STANDBY")
        return True

    def compiled(self, cell):
        """Returns the code of a cell: all but its last expression, and that expression. Either can
        be None.

        The text is in a file, as the page shows it, and tracebacks do, too.
        """
        source = self.shell.transform_cell(cell)
        name = os.path.join(self.folder, "cell-%d.py" % self.recorded)
        with open(name, "w", encoding="utf-8") as file:
            file.write(source)
        tree = self.shell.transform_ast(ast.parse(source, name))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        return (compile(tree, name, "exec") if tree.body else None,
                compile(ast.fix_missing_locations(ast.Expression(last.value)), name, "eval") if last else None)

    def run(self, name, codes):
        import pinsight
        from . import _extension

        __tracebackhide__ = True
        space, value = self.shell.user_ns, None
        pinsight.set_mode("Python", "TRACING")
        _extension.extension.region_begin(name)
        try:
            if codes[0] is not None:
                exec(codes[0], self.shell.user_global_ns, space)
            if codes[1] is not None:
                value = eval(codes[1], self.shell.user_global_ns, space)
        finally:
            _extension.extension.region_end(name)
            pinsight.set_mode("Python", "STANDBY")
        if value is not None:
            sys.displayhook(value)

    def show(self, name, output):
        """Writes the page of a cell, and shows it."""
        command = _locate.command()
        if not command:
            return self.say("the command pinsight was not found: there is no page")
        page = output or os.path.join(self.folder, name.replace(" ", "-") + ".html")
        done = subprocess.run([command, "view", "--no-open", "-q", "--region", name, "-o", page, os.path.join(self.folder, "trace")],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              encoding="utf-8", errors="backslashreplace", env=_without_recording())
        if done.returncode not in (0, 1) or not os.path.isfile(page):
            return self.say(done.stderr.strip())
        if os.path.getsize(page) > MOST_BYTES:
            return self.say("the page is too large for the notebook: %s" % page)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        from IPython.display import display

        display({"text/plain": "PInsight: %s" % (page if output else name),
                 "text/html": FRAME % (html.escape(text), html.escape(name))}, raw=True)

    @staticmethod
    def say(text):
        print("pinsight: " + text, file=sys.stderr)


def _lock(folder):
    """Locks a folder. Returns its descriptor, which holds the lock, or None if another process
    holds it.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _remove_old():
    """Removes the folders of kernels that have ended. A kernel records until its very end, and
    cannot remove its own. A kernel in another container has a number of its own, and holds a lock.
    """
    for name in os.listdir(tempfile.gettempdir()):
        folder, pid = os.path.join(tempfile.gettempdir(), name), name[len(PREFIX):].split("-")[0]
        try:
            if (name.startswith(PREFIX) and pid.isdigit() and not os.path.exists("/proc/" + pid)
                    and os.lstat(folder).st_uid == os.getuid()):
                lock = _lock(folder)
                if lock is not None:
                    shutil.rmtree(folder, True)
                    os.close(lock)
        except OSError:
            continue


def _without_recording():
    """Returns this process's environment without what makes a child record into its trace."""
    return {key: value for key, value in os.environ.items() if key != "LD_PRELOAD" and
            (not key.startswith("PINSIGHT") or key == "PINSIGHT_LIBDIR")}
