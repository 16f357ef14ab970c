"""The output folder of a process without `pinsight run`, for the file recorder.

$PINSIGHT_OUTPUT names the folder, also for the children of the process.
"""
import os
import re
import sys

FILE = "file"
RING = re.compile(r"\d+([kmgt](i?b)?|s|min|h)?$", re.I)
_settled = False


def settle(output, recorder, ring=None) -> str:
    """Sets up the output folder and the limit of the flight recorder, before recording begins.

    `output` is the folder that the program asks for, or None. `recorder` is the recorder
    in use if the program names no folder. `ring` is the amount of recent events to keep, or
    None.

    Returns a message for the user, or "".
    """
    global _settled
    if ring is not None and not RING.match(ring):
        raise ValueError("ring=%r is neither a size nor a time, such as '64M' or '30s'" % (ring,))
    first, _settled = not _settled, True
    in_run = bool(os.environ.get("PINSIGHT_SESSION"))
    if ring is not None and ring != os.environ.get("PINSIGHT_RING"):
        if in_run or not first:
            return "ring=%r has no effect: %s" % (ring, "`pinsight run --ring` says it for all of a run" if in_run
                                                  else "this process records already")
        os.environ["PINSIGHT_RING"] = ring
    return "" if in_run else _settle_folder(output, recorder, first)  # a run has a folder


def _settle_folder(output, recorder, first):
    if not first:
        there = os.environ.get("PINSIGHT_OUTPUT")
        same = output is None or os.path.abspath(os.fspath(output)) == there
        return "" if same else "output=%r has no effect: this process records into %s" % (output, there or "a session")
    if output is not None:
        if os.environ.get("PINSIGHT_RECORDER", FILE) != FILE:
            return "output=%r has no effect with PINSIGHT_RECORDER=%s" % (output, recorder)
        os.environ["PINSIGHT_RECORDER"] = FILE
        os.environ["PINSIGHT_OUTPUT"] = os.path.abspath(os.fspath(output))
        return ""
    there = os.environ.get("PINSIGHT_OUTPUT", "")
    if recorder != FILE or os.path.isabs(there):
        return ""
    folder = there or _make_folder("pinsight-%s-%d" % (program(), os.getpid()))
    os.environ["PINSIGHT_OUTPUT"] = os.path.abspath(folder)
    return "this process records into %s; next: pinsight report %s" % (folder, folder)


def _make_folder(name):
    """Makes a new folder. The name gets a number if it exists, because processes in containers can
    have the same process number in each run.
    """
    number, folder = 1, name
    while number < 100000:
        try:
            os.mkdir(folder, 0o755)
        except FileExistsError:
            number += 1
            folder = "%s-%d" % (name, number)
            continue
        except OSError:
            return name  # the recorder says why
        if not os.access(folder, os.W_OK | os.X_OK):  # by the umask
            os.chmod(folder, 0o700)
        return folder
    return name


def program() -> str:
    """Returns the name that `pinsight run` would give this program."""
    word = script(original_words())
    name = os.path.basename(word)
    for suffix in (".py", ".pyz"):
        if name.endswith(suffix):
            name = name[:-len(suffix)]
    return name if name and not name.startswith(".") else os.path.basename(sys.executable or "python")


def script(words) -> str:
    """Returns the script or module in an interpreter's command line, or ""."""
    rest = list(words[1:])
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            return word
        if word.startswith("--"):
            if word == "--check-hash-based-pycs" and rest:
                rest.pop(0)
            continue
        at = next((place for place, letter in enumerate(word[1:], 1) if letter in "cmWX"), 0)
        if word == "-" or (at and word[at] == "c"):
            return ""
        if at:
            value = word[at + 1:] or (rest.pop(0) if rest else "")
            if word[at] == "m":
                return value
    return ""


def original_words():
    """Returns the command line of this process, including the interpreter's own options."""
    if hasattr(sys, "orig_argv"):
        return list(sys.orig_argv)
    try:
        with open("/proc/self/cmdline", "rb") as file:
            return [os.fsdecode(word) for word in file.read().split(b"\0")[:-1]]
    except OSError:
        return []
