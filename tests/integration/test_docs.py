"""The documentation agrees with the program: options, links, the event reference, man pages, commands to type."""

import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from support import places
from test_golden import compare
from support.traces import Trace

ROOT = places.ROOT
gen_man = places.module(ROOT / "src" / "cli" / "gen_man.py")
MAN = places.BUILD / "man" / "man1"
VERBS = ("run", "attach", "detach", "dump-stacks", "report", "view", "top", "diff", "dump", "export", "sql", "store", "pack", "config", "ctl", "doctor")
PAGES = sorted(
    path
    for folder in (".", "docs", "examples", "bench")
    for path in (ROOT / folder).glob("*.md" if folder == "." else "**/*.md")
    if not {".venv", "venv"} & set(path.relative_to(ROOT).parts)
)
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*|-[a-zA-Z])(?![\w-])")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")


def help_text(verb):
    done = subprocess.run(
        [places.COMMAND, verb, "--help"], stdout=subprocess.PIPE, universal_newlines=True, check=True
    )
    return done.stdout


def help_options(verb):
    """The options that head a line of the help, with their short forms, in their order."""
    found = []
    for line in help_text(verb).splitlines():
        head = re.match(r"\s{1,8}(-\S.*?)(?:\s{2,}|$)", line)
        if head:
            found += OPTION.findall(head.group(1))
    return found


def man_options(verb):
    """The options that head an entry of the man page, in their order."""
    found = []
    lines = (MAN / "pinsight-{}.1".format(verb)).read_text(encoding="utf-8").splitlines()
    for tag, head in zip(lines, lines[1:]):
        if tag in (".TP", ".TQ"):
            found += OPTION.findall(re.sub(r"\\f[A-Z]", "", head).replace("\\-", "-"))
    return found


def code_blocks(page):
    """The lines of the fenced blocks of a page, continuation lines joined."""
    text = page.read_text(encoding="utf-8")
    for block in re.findall(r"^```[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield from block.replace("\\\n", " ").splitlines()


def anchors(page):
    """The anchors that a page's headings get on GitHub."""
    found = set()
    in_block = False
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            in_block = not in_block
        elif not in_block and line.startswith("#"):
            heading = line.lstrip("#").strip().lower()
            found.add(re.sub(r"[^\w\- ]", "", heading).replace(" ", "-"))
    return found


@pytest.mark.parametrize("verb", VERBS)
def test_man_page_has_exactly_the_options_of_the_help(verb):
    in_help = help_options(verb)
    assert in_help, "no options found in the help of {}".format(verb)
    assert man_options(verb) == in_help


@pytest.mark.parametrize("verb", ("run", "dump"))
def test_options_of_a_man_page(verb):
    page = (MAN / "pinsight-{}.1".format(verb)).read_text(encoding="utf-8")
    compare("man-" + verb, lambda: page[page.index(".SH OPTIONS") : page.index(".SH EXIT STATUS")])


def man_page(template, options):
    options = [dict({"letter": None, "value": None, "words": []}, **option) for option in options]
    return "\n".join(gen_man.page(template, "1.2.3", {"run": {"about": "runs", "options": options}}, "run"))


def test_template_of_a_man_page():
    options = [
        {"name": "depth", "letter": "d", "value": "N", "help": "levels, N of\nthem \u2026; see `pinsight -x` (--all)"},
        {"name": "sort", "value": "KEY", "help": "self (default) or self_time; - is none", "words": ["self", "self_time"]},
    ]
    template = ".TH X @version@\n@options\n@option sort\nMore.\n@end\n.SH END"
    assert man_page(template, options).splitlines() == [
        ".TH X 1.2.3",
        ".TP",
        r"\fB\-d\fR, \fB\-\-depth\fR \fIN\fR",
        r"Levels, \fIN\fR of them \[u2026]; see \fBpinsight \-x\fR (\fB\-\-all\fR).",
        ".TP",
        r"\fB\-\-sort\fR \fIKEY\fR",
        r"\fBself\fR (default) or \fBself_time\fR; \- is none.",
        "More.",
        ".SH END",
    ]


@pytest.mark.parametrize("template, wrong", (
    ("@options\n@option deep\nMore.\n@end", "no option --deep"),
    ("@options\n@option all\nMore.\n@option all\nMore.\n@end", "--all is explained twice"),
    ("@options\nMore.\n@end", "explains no option: More."),
    ("@options\n@option all\nMore.", "no line @end"),
    (".SH OPTIONS", "no line @options"),
))
def test_wrong_template_of_a_man_page(template, wrong):
    with pytest.raises(gen_man.Wrong, match=wrong):
        man_page(template, [{"name": "all", "help": "all"}])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_options_in_examples_exist(page):
    for line in code_blocks(page):
        # The part up to `--` is ours, what follows belongs to the traced command.
        match = re.search(r"(?:^|[\s/])pinsight (run|report|diff|dump|config|doctor)\b(.*)", line.split("#")[0])
        if match is None:
            continue
        verb, rest = match.groups()
        ours = re.split(r"\s--(?:\s|$)|[|;&]", rest)[0]
        unknown = set(OPTION.findall(ours)) - set(help_options(verb))
        assert not unknown, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for link in ("".join(groups) for groups in LINK.findall(text)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), "{} links to {}, which is not there".format(page.name, link)
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), "{} has no heading for {}".format(target.name, link)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_of_the_source_exist(page):
    """Pages name files and folders of the repository by their paths; the change log names old ones, too."""
    if page.name == "CHANGELOG.md":
        return
    for path in re.findall(r"`((?:src|include|python|tests|bench|cmake|tracecompass)/[\w./-]*)`", page.read_text(encoding="utf-8")):
        assert (ROOT / path).exists() or "NAME" in path, "{} names {}".format(page.name, path)


def test_pages_that_the_source_names_exist():
    for folder in ("src", "include", "python", "cmake", "bench", "tests/integration", "tests/support", "tests/tools"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".c", ".h", ".S", ".py", ".cmake", ".js", ".txt"):
                for page in re.findall(r"\bdocs/[\w-]+\.md", path.read_text(encoding="utf-8", errors="replace")):
                    assert (ROOT / page).exists(), "{} names {}".format(path, page)


def test_event_reference_is_current(tmp_path):
    tables = sorted((ROOT / "src" / "events").glob("*.json"))
    generator = ROOT / "src" / "events" / "generate.py"
    environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
    subprocess.run(
        [sys.executable, generator, "--out", tmp_path] + tables, check=True, env=environment
    )
    written = (tmp_path / "events.md").read_text(encoding="utf-8")
    kept = (ROOT / "docs" / "events.md").read_text(encoding="utf-8")
    assert kept == written, "docs/events.md is older than src/events: copy the generated one"


def json_keys(text):
    """The keys that the tables of a source file have in JSON: those that a table's list names, and those of columns
    that have no head on a screen."""
    keys = set(re.findall(r'\b(?:COLUMN|GETTER)\(\s*"(\w+)",\s*NULL', text))
    for strings in re.findall(r'\.json =((?:\s*(?:"[^"]*"|[A-Z_]+))+)', text):
        keys.update(" ".join(re.findall(r'"([^"]*)"', strings)).split())
    return keys - set(re.findall(r'\bWRITER\(\s*"(\w+)"', text))


@pytest.mark.parametrize("folder, pages", [("report", "report-json*.md"), ("openmp", "report-json*.md"),
                                           ("mpi", "report-json*.md"), ("cuda", "report-json*.md"),
                                           ("diff", "diff-json.md")])
def test_json_reference_has_every_column(folder, pages):
    text = "".join(page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").glob(pages)))
    keys = set()
    for source in sorted((ROOT / "src" / "views" / folder).glob("*.c")):
        keys |= json_keys(source.read_text(encoding="utf-8"))
    assert keys, "no columns found"
    assert {key for key in keys if "`{}`".format(key) not in text and "`--{}`".format(key) not in text} == set()


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
@pytest.mark.parametrize("page", ["pinsight"] + ["pinsight-" + verb for verb in VERBS])
def test_man_page_has_no_warnings(page):
    done = subprocess.run(
        ["groff", "-ww", "-man", "-Tutf8", "-rLL=78n", MAN / (page + ".1")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        universal_newlines=True,
    )
    assert done.returncode == 0 and done.stderr == ""


@pytest.mark.skipif(shutil.which("man") is None, reason="man is not installed")
@pytest.mark.parametrize("verb", VERBS)
def test_man_shows_the_page(verb):
    done = subprocess.run(["man", "-P", "cat", "-l", MAN / "pinsight-{}.1".format(verb)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", env=dict(os.environ, LC_ALL="C.UTF-8", MANWIDTH="100"))
    assert (done.returncode, done.stderr) == (0, "")
    shown = re.sub(r".\x08", "", re.sub(r"\x1b\[[0-9;]*m", "", done.stdout))
    for option in help_options(verb):
        assert re.search(r"^ {{7}}(?:-\w, )?{}\b".format(option), shown, re.MULTILINE), option


def test_plain_lttng_works_as_written(own_world, newest, tmp_path):
    """Every command of docs/plain-lttng.md, in its order, with a program called app.py."""
    (tmp_path / "app.py").write_text(
        "import threading\ndef work():\n    return len('abc')\n"
        "thread = threading.Thread(target=work)\nthread.start()\nthread.join()\n"
        "for _ in range(100): work()\n"
    )
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    python = bin_folder / "python3"
    python.write_text('#!/bin/sh\nexec {} "$@"\n'.format(shlex.quote(newest.path)))
    python.chmod(0o755)
    page = (ROOT / "docs" / "plain-lttng.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    path = os.pathsep.join([str(bin_folder), os.path.dirname(places.plain_path(places.COMMAND, tmp_path)), os.environ["PATH"]])
    done = own_world.run(
        ["bash", "-e", "-c", "\n".join(blocks)], cwd=tmp_path, env=dict(os.environ, PATH=path)
    )
    assert done.returncode == 0, done.stderr.decode()
    assert re.search(r"\bwork\b", done.stdout.decode()), done.stdout.decode()
    for name in ("heat-trace", "small-trace"):
        trace = Trace(tmp_path / name)
        trace.assert_balanced()
        assert trace.calls("work") == 101


def source_texts():
    """The string literals of the sources, those that stand next to each other joined."""
    literal = r'"((?:[^"\\]|\\.)*)"'
    for folder, ending in (("src", ".c"), ("src", ".h"), ("python", ".py")):
        for path in (ROOT / folder).rglob("*" + ending):
            text = path.read_text(encoding="utf-8")
            for chain in re.findall(r'(?:{}\s*(?:PRI\w+)?\s*)+'.format(literal.replace("(", "(?:", 1)), text):
                yield "".join(re.findall(literal, chain)).replace('\\"', '"')


def test_messages_of_the_guide_exist():
    """The trouble-shooting tables quote messages; `…` stands for varying text."""
    page = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    section = page[page.index("## Messages") : page.index("## No message")]
    texts = list(source_texts())
    quoted = [row.split("|")[1] for row in section.splitlines() if row.startswith("| `")]
    assert len(quoted) > 15
    for cell in quoted:
        for part in re.split("…", cell.replace("`", " ")):
            wanted = " ".join(part.split())
            assert any(wanted in text for text in texts), "no message has: " + wanted
