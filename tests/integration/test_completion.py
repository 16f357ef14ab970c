"""Completion of shells: every option of every verb is in all three scripts, and bash completes with its own."""

import os
import re
import shutil
import subprocess

import pytest

from support import places

VERBS = ("run", "attach", "detach", "dump-stacks", "report", "view", "top", "diff", "dump", "export", "sql", "store", "pack", "config", "ctl", "doctor")
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
    (tmp_path / "remesh.py").write_text("")
    assert complete(tmp_path, "re") == {"report", "remesh.py"}
    assert set(VERBS) | {"help"} <= complete(tmp_path, "")
    assert complete(tmp_path, "help", "d") == {"detach", "diff", "dump", "dump-stacks", "doctor"}
    assert complete(tmp_path, "report", "--op") == {"--openmp"}
    assert complete(tmp_path, "report", "--by", "") == {"function", "module", "file", "thread", "rank"}
    assert complete(tmp_path, "report", "--limit", "") == set()
    assert complete(tmp_path, "report", "tr") == {"trace"}
    assert complete(tmp_path, "export", "--to", "c") >= {"csv", "chrome"}
    assert complete(tmp_path, "run", "-o", "tr") == {"trace"}
    assert complete(tmp_path, "ctl", "4711", "st") == {"status", "stop"}
    assert complete(tmp_path, "config", "s") >= {"show"}
    assert complete(tmp_path, "run", "--", "--by") == set()


def fish_completes(folder, line):
    """What fish offers at the end of a line, without the descriptions."""
    (folder / "pinsight.fish").write_text(script("fish"))
    done = subprocess.run(["fish", "-N", "-c", "source pinsight.fish; complete -C '{}'".format(line)], cwd=folder,
                          stdout=subprocess.PIPE, universal_newlines=True, check=True,
                          env=dict(os.environ, PATH="{}:{}".format(os.path.dirname(places.COMMAND), os.environ["PATH"])))
    return {word.split("\t")[0] for word in done.stdout.split("\n")} - {""}


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_completes(tmp_path):
    assert fish_completes(tmp_path, "pinsight re") == {"report"}
    assert set(VERBS) | {"help"} <= fish_completes(tmp_path, "pinsight ")
    assert fish_completes(tmp_path, "pinsight report --op") == {"--openmp"}
    assert fish_completes(tmp_path, "pinsight report --by ") == {"function", "module", "file", "thread", "rank"}
    assert fish_completes(tmp_path, "pinsight ctl 4711 st") == {"status", "stop"}


ZSH = r"""
zmodload zsh/zpty
zpty shell 'PS1=">"; zsh -f -i'
zpty -w shell 'PS1=">"; fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; zstyle ":completion:*" list-colors ""; setopt no_beep'
zpty -w shell 'print rea''dy'
zpty -r shell output '*ready*'
zpty -w -n shell "$1"$'\t\t'
for number in {1..60}; do
    sleep 0.5
    while zpty -r -t shell output; do print -r -- "$output"; all+=$output; done
    [[ $all == *$2* ]] && break
done
"""


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_completes(tmp_path):
    """In a terminal, as completion works only there."""
    (tmp_path / "_pinsight").write_text(script("zsh"))
    (tmp_path / "ask").write_text(ZSH)

    def told(line, expected):
        return subprocess.run(["zsh", "-f", "ask", line, expected], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=60, encoding="utf-8", errors="replace").stdout
    assert "pinsight report" in told("pinsight rep", "pinsight report")
    assert "pinsight report --openmp" in told("pinsight report --op", "pinsight report --openmp")
    offered = told("pinsight report --by ", "thread")
    assert all(word in offered for word in ("function", "module", "file", "thread", "rank")), offered


def test_descriptions_are_whole():
    """None ends in the middle of a clause, and none lost a character that another stands for."""
    for line in script("fish").splitlines():
        about = re.search(r" -d '([^']*)'$", line)
        if about:
            assert not re.search(r"[,;(] ?$|  |[A-Za-z] s ", about.group(1)), line


@pytest.mark.parametrize("arguments", [(), ("tcsh",)])
def test_another_shell(arguments):
    done = command("--completion", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "bash, zsh or fish" in done.stderr
