"""`python -m pinsight`: turns its command line into one of `pinsight run` and executes that.

A new start of the same interpreter with the same options runs the program. Therefore sys.argv,
sys.path[0], __main__, tracebacks and the exit status are those of an untraced program.
"""
import os
import sys

from . import _locate
from ._output import original_words

# The options of `pinsight run`: those that take a value, and those that do not.
WITH_VALUE = {"-o", "--output", "--config", "--recorder", "--domains", "--events", "--names", "--mode", "--buffer-size",
              "--max-size", "--ring", "--ring-signal", "--lines", "--budget"}
WITHOUT_VALUE = {"-q", "--quiet", "--quick", "--force", "--lossless", "--leave-environments", "--no-summary"}

USAGE = """\
Usage: python -m pinsight [OPTION...] FILE [ARGUMENT...]
       python -m pinsight [OPTION...] -m MODULE [ARGUMENT...]
       python -m pinsight [OPTION...] -c CODE [ARGUMENT...]

Traces a Python program with this interpreter, as `pinsight run` does, and prints a summary. FILE may be a folder or
a zip file with a __main__.py, or - for standard input. Options of the interpreter go before -m:
python -X dev -m pinsight app.py.
"""


class UsageError(Exception):
    pass


def main(arguments):
    """Executes `pinsight run`. Returns an exit status only if that is not possible."""
    try:
        options, program = split(arguments)
    except UsageError as problem:
        report_error("%s; see python -m pinsight --help" % problem)
        return 2
    command = _locate.command()
    if options == ["--help"]:
        return show_help(command)
    if not command:
        report_error("the command `pinsight` is neither beside this package nor in PATH; install PInsight again, or add "
                 "the folder it is in to PATH")
        return 127
    if not sys.executable:
        report_error("this interpreter does not know its own path; start it by its full path")
        return 127
    words = [command, "run"] + options + ["--", sys.executable] + interpreter_options() + program
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execv(command, words)
    except OSError as problem:
        report_error("cannot start %s: %s; install PInsight again" % (command, problem.strerror))
    return 126


def split(arguments):
    """Returns the options of `pinsight run`, and the words after the interpreter's own options."""
    options = []
    rest = list(arguments)
    while rest:
        word = rest[0]
        if word in ("-h", "--help"):
            return ["--help"], []
        if word == "--":
            rest.pop(0)
            break
        if word == "-" or not word.startswith("-") or word[:2] in ("-m", "-c"):
            break
        rest.pop(0)
        options.append(word)
        if word.startswith("--"):
            name, equals, _ = word.partition("=")
            if name not in WITH_VALUE | WITHOUT_VALUE:
                raise UsageError("unknown option %s" % name)
            if equals and name in WITHOUT_VALUE:
                raise UsageError("option %s takes no value" % name)
            wants_value = name in WITH_VALUE and not equals
        else:
            wants_value = short_options(word)
        if wants_value:
            if not rest:
                raise UsageError("option %s wants a value" % word)
            options.append(rest.pop(0))
    if not rest:
        raise UsageError("no program to run")
    if rest[0] in ("-m", "-c") and len(rest) == 1:
        raise UsageError("%s wants a %s" % (rest[0], "module" if rest[0] == "-m" else "program text"))
    if rest[0].startswith("-") and rest[0] != "-" and rest[0][:2] not in ("-m", "-c"):
        raise UsageError("%s is no program; options of the interpreter go before -m pinsight" % rest[0])
    return options, rest


def short_options(word):
    """Returns whether the last of some short options, as in -qo, takes the next word as value."""
    for place, letter in enumerate(word[1:], 1):
        option = "-" + letter
        if option in WITH_VALUE:
            return place == len(word) - 1
        if option not in WITHOUT_VALUE:
            raise UsageError("unknown option %s" % option)
    return False


def interpreter_options():
    """Returns the options of this interpreter's start that stand before `-m pinsight`."""
    words = original_words()
    options = []
    place = 1
    while place < len(words):
        word = words[place]
        place += 1
        if not word.startswith("-") or word == "-":
            break
        if word.startswith("--"):
            options.append(word)
            if word == "--check-hash-based-pycs" and place < len(words):
                options.append(words[place])
                place += 1
            continue
        for at, letter in enumerate(word[1:], 1):
            attached = word[at + 1:]
            if letter == "m":
                module = attached or (words[place] if place < len(words) else "")
                if module != "pinsight":
                    return from_flags()
                return options + ([word[:at]] if at > 1 else [])
            if letter == "c":
                return from_flags()
            if letter in "WX":
                options.append(word)
                if not attached and place < len(words):
                    options.append(words[place])
                    place += 1
                break
        else:
            options.append(word)
    return from_flags()


def from_flags():
    """Returns the options that sys.flags has, for a start without -m."""
    import subprocess

    return subprocess._args_from_interpreter_flags()


def show_help(command):
    try:
        print(USAGE)
        if command:
            print("The options are those of `pinsight run`:\n")
        sys.stdout.flush()
    except OSError as problem:
        if not isinstance(problem, BrokenPipeError):
            report_error("the output could not be written: %s" % problem.strerror)
        # Discards the rest of the buffer. Otherwise the interpreter would write it again at its
        # end, with a message of its own.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    if not command:
        return 0
    import subprocess

    return subprocess.call([command, "run", "--help"])


def report_error(text):
    sys.stderr.write("pinsight: %s\n" % text)
