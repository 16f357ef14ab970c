"""Completion of shells: every option of every verb is in all three scripts, and bash completes with its own."""

import re
import shutil
import subprocess

import pytest

from support import places

VERBS = ("run", "report", "diff", "dump", "export", "config", "ctl", "doctor")
SHELLS = ("bash", "zsh", "fish")


def command(*arguments):
    return subprocess.run([places.COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True)


def script(shell):
    done = command("--completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def options(verb):
    """The long options that head a line of the verb's help, with their short forms."""
    found = {}
    for line in command(verb, "--help").stdout.splitlines():
        head = re.match(r" {2,6}(?:-(\w), )?--([a-z-]+)(?=\s|$)", line)
        if head:
            found[head.group(2)] = head.group(1)
    assert found, verb
    return found


def part(shell, verb):
    """What a script has for a verb."""
    text = script(shell)
    if shell == "fish":
        return "\n".join(line for line in text.splitlines() if "_from {}'".format(verb) in line)
    found = re.search(r"^    {}\)\n(.*?;;\n)(?=    \w+\)|    esac)".format(verb), text, re.M | re.S)
    assert found, verb
    return found.group(1)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("shell", SHELLS)
def test_every_option_is_in_the_script(shell, verb):
    text = part(shell, verb)
    for name, letter in options(verb).items():
        if shell == "fish":
            assert re.search(r" -l {}(?= |$)".format(name), text, re.M), name
            assert not letter or re.search(r" -l {} -s {}(?= |$)".format(name, letter), text, re.M), name
        elif shell == "zsh":
            assert "'--{}[".format(name) in text, name
            assert not letter or "'-{}[".format(letter) in text, name
        else:
            words = re.search(r'options="([^"]*)"', text).group(1).split()
            assert "--" + name in words, name
            assert not letter or "-" + letter in words, name


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_reads_its_script(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(shell + " is not installed")
    (tmp_path / "script").write_text(script(shell))
    subprocess.run([shell, "-n", "script"], cwd=tmp_path, check=True)


def complete(folder, *words):
    """What bash offers for the last of the words."""
    (folder / "script").write_text(script("bash"))
    line = 'source ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pinsight; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "--norc", "-c", line, "bash", "pinsight", *words], cwd=folder,
                          stdout=subprocess.PIPE, universal_newlines=True, check=True)
    return set(done.stdout.split("\n")) - {""}


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes(tmp_path):
    (tmp_path / "trace").mkdir()
    assert complete(tmp_path, "re") == {"report"}
    assert set(VERBS) | {"help"} <= complete(tmp_path, "")
    assert complete(tmp_path, "help", "d") == {"diff", "dump", "doctor"}
    assert complete(tmp_path, "report", "--op") == {"--openmp"}
    assert complete(tmp_path, "report", "--by", "") == {"function", "module", "file", "thread"}
    assert complete(tmp_path, "report", "--limit", "") == set()
    assert complete(tmp_path, "report", "tr") == {"trace"}
    assert complete(tmp_path, "export", "--to", "c") >= {"csv", "chrome"}
    assert complete(tmp_path, "run", "-o", "tr") == {"trace"}
    assert complete(tmp_path, "ctl", "4711", "st") == {"status", "stop"}
    assert complete(tmp_path, "config", "s") >= {"show"}
    assert complete(tmp_path, "run", "--", "--by") == set()


@pytest.mark.parametrize("arguments", [(), ("tcsh",)])
def test_another_shell(arguments):
    done = command("--completion", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "bash, zsh or fish" in done.stderr
